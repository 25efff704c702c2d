/**
 * The median of values that were rounded to whole numbers: their bin, and how far into it the middle lies.
 * A plain median would jump by a whole millisecond, which is some 3 % of what is measured here.
 */
export function binnedMedian(values) {
  const bins = values.map(Math.round).sort((a, b) => a - b);
  const bin = bins[Math.floor((bins.length - 1) / 2)];
  const below = bins.filter((each) => each < bin).length;
  const within = bins.filter((each) => each === bin).length;
  return bin - 0.5 + (bins.length / 2 - below) / within;
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function shuffled(values) {
  const left = [...values];
  return values.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0]);
}
