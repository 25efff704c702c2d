import { expect, test } from 'vitest';
import { stopLimit } from '../../src/core/combine';

test.each<[string, number | undefined, number]>([
  ['with a cap of eight seven are refused, the eighth goes', 8, 7],
  ['with a cap of five four are', 5, 4],
  ['with a cap of one there is still one, which the host honours', 1, 1],
  [
    'where somebody switched the cap off there is no limit',
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ],
  ['a host without a cap is bound by ours', undefined, 8],
])('%s', (_, cap, expected) => {
  expect(stopLimit(cap)).toBe(expected);
});
