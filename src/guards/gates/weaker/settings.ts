/* Reads settings as lines, and tells whether a change only made them stricter. */

/** A file's old and new text; absent if the file did or does not exist. */
export interface FileChange {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

export interface CheckCommand {
  readonly name: string;
  readonly command: string;
  /** The whole text of a script, whose `command` has only the files that it executes. */
  readonly script?: string;
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Words in settings that may make a check find less. */
const LOOSENS =
  /off\b|warn(?!_|ings)|exclude|(?<!unused_)ignore|omit|disable|(?<!dis)allow|false|skip|passWith|(?<!first-|all-)retr|rerun|bail|threshold|timeout|deselect|dry-?run|only|none|noCheck|--co\b|testpaths|["'=\s]-[mkp]\s|=\s*0\b|:\s*0\b|globalTeardown|\|\|\s*(?:true|:|exit)/i;

/** A file of the project in the place of a test library, of a dependency, or of what a test imports by its path. */
export const REPLACES =
  /=> \.{1,2}\/|(?:["']\.{1,2}\/[^"'\n]*["']|(?<![\w@/-])["']?(?:vitest|@jest\/globals|jest|chai|expect|(?:node:)?assert|node:test)["']?)\s*:\s*(?:["'](?!npm:|jsr:|https?:|[\^~]?\d)|[\w.]+\()/;

/** Settings that select tests, or what runs them. A longer list of what is selected is stricter; the first one is not. */
const SELECTS =
  /^(?:testNamePattern|testRegex|testMatch|roots|rootDir|filter|shard|runner|f?grep|grepInvert|spec|specPattern|dir|norecursedirs|python_(?:files|classes|functions)|--(?:tag|example|pattern))$/;

/** What no linter should read. */
export const GENERATED =
  /^\/?(?:dist|build|coverage|node_modules|out|target|vendor|\.\w[\w-]*)(?:\/\**)?$|[.-]lock\b|\.min\./;

/** Settings that make no check find less: how code looks, and for which version it is. */
const NEUTRAL =
  /["']?(?:\$schema|\bprintWidth|\bline[-_]?(?:width|length)|\bindent[-_]?(?:width|style|size)|\btarget[-_]?(?:version|RubyVersion)|\b(?:python_version|rev))["']?\s*[:=]\s*["']?[\w@:/.+-]+["']?/gi;
/** A file of the project as the environment could replace what tests call. */
const USUAL_ENVIRONMENT =
  /(?<=\benvironment["']?\s{0,9}[:=]\s{0,9}["'])(?:node|jsdom|happy-dom|edge-runtime)\b/g;
const IGNORED =
  /["']?\b(?:ignores?|exclude|ignorePatterns|globalIgnores)["']?\s*[:=(]\s*\[([^\]]{0,500})\]/gi;

function withoutNeutral(text: string): string {
  const isHarmless = (list: string): boolean =>
    list.split(',').every((one) => /^\s*$/.test(one) || GENERATED.test(one.replace(/["'\s]/g, '')));
  return text
    .replace(NEUTRAL, '')
    .replace(USUAL_ENVIRONMENT, 'node')
    .replace(IGNORED, (all, list) => (isHarmless(list) ? '' : all));
}

/** Comparing more pairs of lines would take long, and so many changes are no mere addition. */
const MOST_PAIRS = 10_000;

/** Whether lines, or words in a line, were only added or raised, and none of them loosens a check. */
export function isStricter(before: string, after: string): boolean {
  const [was, now] = [before, after].map((text) => settingsIn(withoutNeutral(text))) as [
    Set<string>,
    Set<string>,
  ];
  const lost = [...was].filter((line) => !now.has(line));
  const added = [...now].filter((line) => !was.has(line));
  // The same in another layout.
  if (wordsIn(lost.join(' ')).join(' ') === wordsIn(added.join(' ')).join(' ')) return true;
  if (lost.length * added.length > MOST_PAIRS) return false;
  const fresh = added.filter((line) => !lost.some((one) => isRaised(one, line)));
  if (fresh.some((line) => LOOSENS.test(line) || REPLACES.test(line))) return false;
  const longer = fresh.map(wordsIn);
  const known = new Set(wordsIn(before));
  if (longer.flat().some((word) => SELECTS.test(word) && !known.has(word))) return false;
  return lost.every(
    (line) =>
      added.some((one) => isRaised(line, one)) ||
      longer.some((one) => wordsAdded(wordsIn(line), one) !== undefined),
  );
}

const VALUE = /\b(?:false|off|warn|error|true|\d+(?:\.\d+)?)\b/gi;
const LAX_TO_STRICT = ['false', 'off', 'warn', 'error', 'true'];
/** Numbers that are stricter the higher they are. */
const LEAST = /\b(?:lines|branches|functions|statements|level)\b|fail[_-]under|^go /;

/** Whether a line differs from another only in values that became stricter. */
function isRaised(from: string, to: string): boolean {
  if (from.replace(VALUE, '#') !== to.replace(VALUE, '#')) return false;
  const now = to.toLowerCase().match(VALUE) ?? [];
  const isLoose = LOOSENS.test(to.replace(VALUE, ''));
  return (from.toLowerCase().match(VALUE) ?? []).every((value, at) => {
    const is = now[at] ?? '';
    if (value === is) return true;
    if (/^\d/.test(value)) return LEAST.test(to) && Number(is) > Number(value);
    return LAX_TO_STRICT.indexOf(is) > LAX_TO_STRICT.indexOf(value) && !(is === 'true' && isLoose);
  });
}

export function settingsIn(text: string): Set<string> {
  const lines = withoutComments(text)
    .split('\n')
    .map((line) => line.trim().replace(/,$/, ''));
  return new Set(lines.filter((line) => line !== ''));
}

function wordsIn(line: string): readonly string[] {
  return line.match(/[\w@./*!-]+/g) ?? [];
}

/** The words that `after` has more; `undefined` if it does not have all words of `before`, in the same order. */
export function wordsAdded(
  before: readonly string[],
  after: readonly string[],
): readonly string[] | undefined {
  let found = 0;
  const added = after.filter((word) => {
    const isOld = word === before[found];
    if (isOld) found++;
    return !isOld;
  });
  return found === before.length ? added : undefined;
}

const COMMENTS =
  /(["'`])(?:\\.|(?!\1)[^\\\n])*\1?|(?<![^\s;,({[])(?:(?:\/\/|#).*|\/\*(?:[\s\S]*?\*\/|[\s\S]*))/g;

export function withoutComments(text: string): string {
  return text.replace(COMMENTS, (found, quote) => (quote === undefined ? '' : found));
}

/** A command without what only decides how its program is found, or that it prints more. */
export function plainCommand(line: string): string {
  return (
    line
      .replace(
        /\b(?:npx|bunx|(?:pnpm|yarn) exec|(?:uv|poetry|pdm|pipenv) run|bundle exec|cross-env)[ \t]+/g,
        '',
      )
      .replace(/\b(?:npm|pnpm|yarn)(?: run)?[ \t]+(?=\w)/g, 'npm run ')
      .replace(/\bvitest run\b/g, 'vitest')
      // Other programs only print their version.
      .replace(/\b(pytest|(?:go|cargo) test)[ \t]+-v+(?![\w-])/g, '$1')
  );
}

const CHECKS_FIRST = /^(?:(?:npm run|bun run|tsc|eslint|prettier|biome)\b[^&|;`$\n]*&&\s*)*$/;
const TELLS_MORE =
  /^(?:\s+--(?:verbose|coverage|ci|colou?r|reporters?)\b(?:=[\w./-]+)?)*\s*(?:&&[^&|;`$\n]+)*$/;

/** Whether a script only got more commands, none of which can turn a failure into a success, or prints more. */
export function runsMore(before: string, after: string): boolean {
  const [from, to] = [plainCommand(before), plainCommand(after)];
  const at = to.indexOf(from);
  return at >= 0 && CHECKS_FIRST.test(to.slice(0, at)) && TELLS_MORE.test(to.slice(at + from.length));
}
