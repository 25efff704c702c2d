const SHORTEST = 10;
const LONGEST = 300;
const TELLING = /error:|fail|assert|exception|panic|expected|not ok|[\u2717\u2715\u00d7]/i;
/** Sums of a run that went well say `0 failed` too. */
const NO_FAILURE = /\b(?:0|no) (?:failed|failures?|failing|errors?)\b/gi;

/** The line of a failed run's output that says most; empty where none does. */
export function errorLine(output: string): string {
  const lines = withoutColours(output).split('\n');
  const found = lines.find((line) => {
    const text = line.trim();
    return text.length > SHORTEST && text.length < LONGEST && TELLING.test(text.replace(NO_FAILURE, ''));
  });
  return found?.trim() ?? '';
}

/** What differs from run to run though the failure is the same. Counts are kept: they tell failures apart. */
const varying = (): readonly (readonly [RegExp, string])[] => [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b0x[0-9a-f]+\b/gi, '<address>'],
  [/(?:\/private)?(?:\/var)?\/(?:tmp|folders)\/[^\s:'")]+/g, '<temporary>'],
  [/:\d+:\d+\b/g, ':<line>'],
  [/(\.\w{1,5}):\d+\b/g, '$1:<line>'],
  [/\bline \d+\b/gi, 'line <line>'],
  [/\b(?:pid|process) ?[=:]? ?\d+\b/gi, '<process>'],
  [/\b(?:localhost|127\.0\.0\.1):\d+/g, '<host>'],
  [/\(?\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds|minutes|m|\u00b5s|us|ns)\b\)?/g, '<duration>'],
  [/\s+/g, ' '],
];

/** An error in the form in which two runs of the same failure look alike. */
export function normalisedError(error: string): string {
  return varying()
    .reduce((text, [pattern, mark]) => text.replace(pattern, mark), withoutColours(error))
    .trim();
}

const ESCAPE = String.fromCharCode(27);
const COLOURS = new RegExp(`${ESCAPE}\\[[0-9;]*[A-Za-z]`, 'g');

/** Runners colour what they print, and what looks for a line's beginning would not find it. */
export function withoutColours(text: string): string {
  return text.includes(ESCAPE) ? text.replace(COLOURS, '') : text;
}
