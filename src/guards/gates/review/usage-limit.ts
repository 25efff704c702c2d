/** What reviewers say when they have used up what they were paid for, in any case. */
const SIGNS = [
  'usage limit',
  'quota exceeded',
  'quota will reset',
  'credit balance is too low',
  'out of extra usage',
  'out of usage',
  'hit your limit',
  'exhausted your',
  'insufficient_quota',
  'resource_exhausted',
];

/** Whether a reviewer says that its quota is used up. What it only repeats of the question does not count. */
export function saysUsageLimit(printed: string, asked: string): boolean {
  return printed.split('\n').some((line) => {
    const lower = line.toLowerCase();
    return SIGNS.some((sign) => lower.includes(sign)) && !asked.includes(line.trim());
  });
}
