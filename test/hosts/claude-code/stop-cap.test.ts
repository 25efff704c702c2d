import { expect, test } from 'vitest';
import { stopCap } from '../../../src/hosts/claude-code/stop-cap';

test.each<[string, string | undefined, number]>([
  ['without a setting it is eight', undefined, 8],
  ['it is what is set', '3', 3],
  ['zero switches it off', '0', Number.POSITIVE_INFINITY],
  ['and so does less', '-1', Number.POSITIVE_INFINITY],
  ['spaces around it do not matter', ' 3 ', 3],
  ['an empty one is none', '', 8],
  ['nor are spaces one', '  ', 8],
  ['nor rubbish', 'many', 8],
  ['nor half a number', '3.5', 8],
  ['nor infinity', 'Infinity', 8],
  ['nor what only begins with a number', '3 or so', 8],
])('%s', (_, cap, expected) => {
  expect(stopCap(cap === undefined ? {} : { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: cap })).toBe(expected);
});
