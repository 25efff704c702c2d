import { binnedMedian, percentile } from './statistics.mjs';

export const BASE = 'node -e 0';
export const EMPTY = 'node empty.cjs';

/** One line a row: medians and 95th percentiles, and their ratios to node alone and to the smallest sibling. */
export function summary(ready, samples, memory) {
  const rows = ready.map(({ name, smallest }) => {
    const [walls, cpus] = ['wall', 'cpu'].map((kind) => samples.get(name).map((run) => run[kind]));
    return {
      name,
      smallest,
      wall50: binnedMedian(walls),
      wall95: percentile(walls, 0.95),
      cpu50: binnedMedian(cpus),
      cpu95: percentile(cpus, 0.95),
      megabytes: memory.get(name),
    };
  });
  const find = (wanted) => rows.find(({ name }) => name === wanted);
  const [base, empty] = [find(BASE), find(EMPTY)];
  return rows.map((row) => ({
    ...row,
    wallRatio: row.wall50 / base.wall50,
    cpuRatio: row.cpu50 / base.cpu50,
    emptyRatio: row.cpu50 / empty.cpu50,
    growth: row.smallest === undefined ? undefined : row.cpu50 / find(row.smallest).cpu50,
  }));
}
