/** Commands that nobody takes back, each with what it would do. Matched at the start of a command, never in prose. */
const DANGEROUS: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^git push (?:.* )?(?:--force|-[a-z]*f[a-z]*|\+\S+)(?: |$)/, 'rewrites a branch that others have'],
  [/^git reset (?=.*--hard\b)(?=.*\b(?:origin|upstream)\/)/, 'throws local commits away'],
  [
    /^git clean (?!(?:.* )?(?:-\w*n|--dry-run))(?:.* )?(?:-\w*f|--force)/,
    'removes files that git does not know',
  ],
  [/^(?:psql|mysql|sqlite3|mariadb) .*\b(?:drop\s+(?:table|database|schema)\b|truncate\s)/i, 'destroys data'],
  [/^(?:dd .*\bof=|mkfs\S* .*)\/dev\/(?!(?:null|zero|full|tty|stdout|stderr|fd)\b)/, 'overwrites a device'],
];

/** What a dangerous command among these would do, if there is one. */
export function dangerOf(lines: readonly (readonly string[])[], home: string): string | undefined {
  for (const words of lines) {
    const line = words.join(' ');
    const what = removesRoot(words, home)
      ? 'removes a root, a home, or what stands right below one'
      : DANGEROUS.find(([pattern]) => pattern.test(line))?.[1];
    if (what !== undefined) return `\`${labelOf(words)}\` ${what}`;
  }
  return undefined;
}

function removesRoot([program, ...args]: readonly string[], home: string): boolean {
  const isRecursive = args.some((arg) => /^(?:-\w*[rR]\w*|--recursive)$/.test(arg));
  return program === 'rm' && isRecursive && args.some((arg) => isRootlike(arg, home));
}

/** `/`, the home, what stands right below one of them, and whatever holds the directory of the moment. */
function isRootlike(arg: string, home: string): boolean {
  const path = arg.replaceAll('"', '').replace(/\/+$/, '') || arg;
  if (/^\.\.?(?:\/\.\.?)*$/.test(path) || path === '/') return true;
  const tilde = home !== '' && `${path}/`.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
  return /^(?:~\w*|\$HOME|\$\{HOME\})?(?:\/[^/]*)?$/.test(tilde) && path !== '';
}

/** The program and its verb: the rest may hold what the journal must not. */
function labelOf([program = '', verb = '']: readonly string[]): string {
  return /^[a-z-]{1,20}$/.test(verb) ? `${program} ${verb}` : program;
}
