import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeCorpus } from './judge-corpus';

test('every command of the corpus is judged as a person would', () => {
  const { count, deviations } = judgeCorpus(join(import.meta.dirname, 'corpus'));
  expect(deviations).toEqual([]);
  expect(count).toBeGreaterThan(900);
});
