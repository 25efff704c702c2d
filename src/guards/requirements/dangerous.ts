/** Commands that nobody takes back, each with what it would do. Matched at the start of a command, never in prose. */
const DANGEROUS: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /^rm\s+(?=.*(?:^|\s)-\w*[rR])(?=.*(?:^|\s)(?:\/|\/\*|~|~\/|~\/\*|\$HOME|\.\.?)\/?(?:\s|$))/,
    'removes everything below a root',
  ],
  [/^git push\b(?=.*\s(?:--force|-f|\+\S+)(?:\s|$))/, 'rewrites a branch that others have'],
  [/^git reset\b(?=.*--hard)(?=.*\b(?:origin|upstream)\/)/, 'throws local commits away'],
  [/^git clean\b(?=.*\s-\w*f)/, 'removes files that git does not know'],
  [/^(?:psql|mysql|sqlite3|mariadb)\b.*\b(?:drop\s+(?:table|database|schema)|truncate\s)/i, 'destroys data'],
  [/^(?:mkfs\S*|dd)\b(?=.*(?:of=\/dev\/|\s\/dev\/))/, 'overwrites a device'],
];

/** What a dangerous command among these would do, if there is one. */
export function dangerOf(lines: readonly (readonly string[])[]): string | undefined {
  for (const words of lines) {
    const line = words.join(' ');
    const found = DANGEROUS.find(([pattern]) => pattern.test(line));
    if (found !== undefined) return `\`${line.slice(0, 80)}\` ${found[1]}`;
  }
  return undefined;
}
