import { isAbsolute, relative } from 'node:path';
import type { ToolCall } from '../../core/event';
import { expandBraces, globMatches, MOST_ALTERNATIVES, matchesPath } from '../../core/glob';
import type { Requirement, Trigger } from './config';

/** The commands of a line, each as its words; `undefined` where it does not parse. */
type CommandLines = readonly (readonly string[])[] | undefined;

/** The requirements that this call triggers. */
export function triggeredBy(
  call: ToolCall,
  requirements: readonly Requirement[],
  projectRoot: string,
  commandLines: CommandLines,
): Requirement[] {
  const fits = (trigger: Trigger): boolean =>
    trigger.kind === 'tool' ||
    (call.command !== undefined && matchesCommand(trigger.pattern, call.command, commandLines));
  return requirements.filter(
    ({ triggers, paths, excludePaths }) =>
      triggers.some((trigger) => namesTool(trigger, call) && fits(trigger)) &&
      arePathsMeant(call.paths, projectRoot, paths, excludePaths),
  );
}

/** Whether the call could trigger anything, as far as its tool alone tells. */
export function mayTrigger(call: ToolCall, requirements: readonly Requirement[]): boolean {
  return requirements.some(({ triggers }) => triggers.some((trigger) => namesTool(trigger, call)));
}

/** Whether the call's command has to be taken apart to tell. */
export function asksForCommand(call: ToolCall, requirements: readonly Requirement[]): boolean {
  return requirements.some(({ triggers }) =>
    triggers.some((trigger) => trigger.kind === 'command' && namesTool(trigger, call)),
  );
}

function namesTool(trigger: Trigger, call: ToolCall): boolean {
  return call.names.some((name) => globMatches(trigger.tool, name));
}

/**
 * Calls that nothing ever holds, and that therefore use up no pass either: writing plans, and our own command alone,
 * by which a hold is cleared. Any character that a shell could make more of disqualifies that.
 */
export function isExempt({ command, paths }: ToolCall, root: string, home: string): boolean {
  if (command === undefined) return isPlanFile(paths, root, home);
  return /^\s*(req|holdpoint)([ \t][^;&|<>`$()\\\n\r]*)?$/.test(command);
}

const PLAN_DIRS = ['.claude/plans', 'docs/plans'];

/** Writing a plan is how one gets a requirement satisfied, so it is never held. */
function isPlanFile(paths: readonly string[], root: string, home: string): boolean {
  if (paths.length === 0 || !paths.every((path) => path.endsWith('.md'))) return false;
  const dirs = [...PLAN_DIRS.map((dir) => `${root}/${dir}`), `${home}/.claude/plans`];
  return paths.every((path) => dirs.some((dir) => isInside(dir, path)));
}

function isInside(dir: string, path: string): boolean {
  const way = relative(dir, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

/**
 * Whether a pattern of the user's speaks of one of these commands, of its name or of what follows:
 * an option, a subcommand, a command that another one runs. Never inside a quoted argument, which is
 * prose, and a pattern that begins with a name counts only where a word begins.
 */
export function matchesCommand(pattern: string, text: string, lines: CommandLines): boolean {
  const expression = new RegExp(pattern, 'gi');
  // A line that does not parse is matched as text: better held once too often than never.
  if (lines === undefined) return expression.test(text);
  return lines.some((words) => matchesWords(expression, words));
}

function matchesWords(expression: RegExp, words: readonly string[]): boolean {
  const line = words.join(' ');
  const named = /^(?:\\b|\(\?:|\()*[A-Za-z]/.test(expression.source);
  // Commands that only print their arguments: nothing they say is done.
  const isPrinter = words[0] === 'echo' || words[0] === 'printf';
  for (const { index, 0: found } of line.matchAll(expression)) {
    if (index === 0) return true;
    if (isPrinter) return false;
    const startsWord = line[index - 1] === ' ';
    if ((startsWord || !named) && !isInsideProse(index, found.length, words)) return true;
  }
  return false;
}

function isInsideProse(from: number, length: number, words: readonly string[]): boolean {
  let start = 0;
  for (const word of words) {
    const end = start + word.length;
    if (from >= start && from < end) return from + length <= end && /\s/.test(word);
    start = end + 1;
  }
  return false;
}

/** Commands that cannot be undone, each with what it would do. Matched at the start of a command, never in prose. */
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

/** `/`, the home, what is right below one of them, and the current directory or one above it. */
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

/**
 * Whether a call that touches these paths is meant: it touches one that is named and not excluded.
 * Without any path nothing can be left out, so it is meant.
 */
export function arePathsMeant(
  paths: readonly string[],
  root: string,
  wanted: readonly string[],
  excluded: readonly string[],
): boolean {
  if (paths.length === 0 || (wanted.length === 0 && excluded.length === 0)) return true;
  return paths.some((path) => {
    const below = belowRoot(path, root);
    const isWanted = wanted.length === 0 || wanted.some((glob) => isMeant(glob, below, path));
    return isWanted && !excluded.some((glob) => isMeant(glob, below, path));
  });
}

/** A slash in front means the root of the project, and where that is not meant, the root of the machine. */
function isMeant(glob: string, below: string, path: string): boolean {
  if (!glob.startsWith('/')) return matchesPathBelow(glob, below);
  return matchesPathBelow(glob.slice(1), below) || matchesPathBelow(glob, path.replaceAll('\\', '/'));
}

/** `./` in front says nothing; a name that ends with a slash means all that is in it. */
export function matchesPathBelow(glob: string, path: string): boolean {
  const pattern = glob.replace(/^(?:\.\/)+/, '');
  return matchesPath(pattern.endsWith('/') ? `${pattern}**` : pattern, path);
}

/** Relative to the root with forward slashes; a path outside keeps its full name. */
function belowRoot(path: string, root: string): string {
  const way = relative(root, path);
  return (/^\.\.(?:[/\\]|$)/.test(way) || isAbsolute(way) ? path : way).replaceAll('\\', '/');
}

/* Why a glob would not mean what it seems to: said when the config is read, or it would silently match nothing. */

/** Of a path below the project. */
export function pathTrouble(glob: string): string | undefined {
  if (glob.startsWith('!'))
    return `begins with \`!\`; what is left out stands in \`exclude_paths\`, and ${PLAIN}`;
  if (glob.startsWith('~')) return 'begins with `~`, which is not filled in; write the directory out';
  if (glob.split('/').includes('..')) return 'leads out of the project with `..`; write the directory out';
  return nameTrouble(glob);
}

/** Of a name, such as that of a branch. */
export function nameTrouble(glob: string): string | undefined {
  if (glob.startsWith('!')) return `begins with \`!\`, which turns nothing round here; ${PLAIN}`;
  const bare = glob.replace(/\\./gs, '_');
  if (/[?*+@!]\(/.test(bare)) return `has a group in round brackets with a sign before it; ${PLAIN}`;
  if (bare.endsWith('\\')) return 'ends with a backslash that stands before nothing';
  return classTrouble(bare) ?? braceTrouble(bare) ?? countTrouble(glob);
}

/** Of a tool, whose name has none of these signs: there only `*` and alternatives are of use. */
export function toolTrouble(glob: string): string | undefined {
  if (/[?[\]!\\]/.test(glob)) return 'takes `*` and `{a,b}` only; no tool has such a sign in its name';
  return nameTrouble(glob);
}

const PLAIN = 'a backslash before it makes it a plain sign';

function classTrouble(bare: string): string | undefined {
  const rest = bare.replace(CLASSES, (whole) => (isReversed(whole) ? '[' : ''));
  if (/\[\[?[:.=]/.test(bare)) return 'has a class such as `[[:alpha:]]`; write the signs out, as in `[a-z]`';
  if (/\[/.test(rest)) return `has a class in square brackets that is open, empty or reversed; ${PLAIN}`;
  return undefined;
}

const CLASSES = /\[[!^]?\]?[^\]/]*\]/g;

function isReversed(text: string): boolean {
  return [...text.slice(1, -1).matchAll(/(.)-(.)/gs)].some(([, from = '', to = '']) => from > to);
}

function braceTrouble(bare: string): string | undefined {
  if (/\{[^{},]*\.\.[^{},]*\}/.test(bare))
    return 'has a range in braces; write its members out, as in `{1,2,3}`';
  let depth = 0;
  for (const sign of bare) {
    depth += sign === '{' ? 1 : sign === '}' ? -1 : 0;
    if (depth < 0) break;
  }
  return depth === 0 ? undefined : `has a brace without its other half; ${PLAIN}`;
}

function countTrouble(glob: string): string | undefined {
  if (expandBraces([glob]).length <= MOST_ALTERNATIVES) return undefined;
  return `stands for more than ${MOST_ALTERNATIVES} globs; write fewer alternatives`;
}
