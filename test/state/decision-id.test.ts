import { expect, test } from 'vitest';
import { nextDecisionId } from '../../src/state/journal';

const FAR = 2_000_000_000_000;

test('ids are short, of letters and digits, and differ within one millisecond', () => {
  const ids = Array.from({ length: 1_000 }, () => nextDecisionId(FAR, 4_194_304));
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]{9,13}$/);
});

test('ids sort by time, also when the clock goes back', () => {
  const ids = [1, 2, 2, 1, 50].map((ms) => nextDecisionId(FAR + 10_000 + ms, 77));
  expect([...ids].sort()).toEqual(ids);
});

test('an id is its time followed by its process', () => {
  const time = FAR + 1_000_000;
  expect(nextDecisionId(time, 1234)).toBe(time.toString(36) + (1234).toString(36));
});
