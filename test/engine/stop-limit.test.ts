import { expect, test } from 'vitest';
import { stopLimit } from '../../src/engine/stop-limit';

const CAP = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP';

test.each<[string, string | undefined, number]>([
  ['without a cap seven are refused, the eighth goes', undefined, 7],
  ['with a cap of eight too', '8', 7],
  ['with a cap of three two are refused', '3', 2],
  ['with a cap of two one is', '2', 1],
  ['with a cap of one there is still one, which the host honours', '1', 1],
  ['with a cap of zero there is no limit', '0', Number.POSITIVE_INFINITY],
  ['nor below zero', '-1', Number.POSITIVE_INFINITY],
  ['spaces around it do not matter', ' 3 ', 2],
  ['an empty cap is none', '', 7],
  ['nor are spaces one', '  ', 7],
  ['nor rubbish', 'many', 7],
  ['nor half a number', '3.5', 7],
  ['nor infinity', 'Infinity', 7],
  ['nor what only begins with a number', '3 or so', 7],
])('%s', (_, cap, expected) => {
  expect(stopLimit(cap === undefined ? {} : { [CAP]: cap })).toBe(expected);
});
