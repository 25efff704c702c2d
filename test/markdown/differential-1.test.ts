import { expect, test } from 'vitest';
import { compare, MOST_MISSED, report } from './differential';

test('no signal counts that does not by the reference, in the first 25,000 documents', () => {
  const comparison = compare(1, 25_000);
  console.log(report(comparison));
  expect(comparison.wrong).toEqual([]);
  expect(comparison.counted).toBeGreaterThan(comparison.documents / 2);
  expect(comparison.missed.length).toBeLessThan(comparison.documents * MOST_MISSED);
});
