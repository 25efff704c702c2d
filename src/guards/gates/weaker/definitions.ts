import { readText } from '../../../core/failure';
import { isJsonObject, type JsonObject, jsonIn, objectIn } from '../../../core/json';

/* Changes to what decides which tests and checks run: scripts, make targets, the tools' config, and ours. */

/** A file's old and new text; absent if the file did or does not exist. */
export interface FileChange {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

export interface CheckCommand {
  readonly name: string;
  readonly command: string;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const RUNNER =
  /^(?:(?:vitest|jest|playwright|cypress|karma|ava|wdio|vite)\.(?:config|conf|workspace|setup)\.(?:[cm]?[jt]sx?|json)|\.mocharc(?:\.\w+)?|\.taprc|\.?nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|\.rspec|pytest\.ini|phpunit\.xml(?:\.dist)?|nextest\.toml)$/;
const LINTER =
  /^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?|\.eslintignore|\.prettierignore|biome\.jsonc?|\.flake8|\.pylintrc|mypy\.ini|ruff\.toml|\.ruff\.toml|\.golangci\.\w+|\.rubocop\.yml|\.?clippy\.toml|\.coveragerc|deno\.jsonc?)$/;
const SECTIONED = /^(?:pyproject\.toml|setup\.cfg|tox\.ini|Cargo\.toml)$/;
const BUILD = /^(?:pom\.xml|build\.gradle(?:\.kts)?|\.npmrc)$/;
const TSCONFIG = /^tsconfig(?:\.[\w-]+)?\.json$/;
const RECIPES = /^(?:(?:GNU)?[Mm]akefile|justfile|Justfile|Taskfile\.ya?ml|Rakefile|noxfile\.py)$/;
const OWN = /^(?:\.holdpoint\/config[\w.]*\.ya?ml|\.gauntlet\/.*)$/;

/** Whether a file may define what the checks do. */
export function definesChecks(path: string, checks: readonly CheckCommand[]): boolean {
  const name = nameOf(path);
  const isKnown =
    name === 'package.json' ||
    [RUNNER, LINTER, SECTIONED, BUILD, TSCONFIG, RECIPES].some((pattern) => pattern.test(name)) ||
    OWN.test(path);
  return (isKnown && !path.includes('node_modules/')) || runBy(path, checks) !== undefined;
}

/** What changed in such a file, as sentences for people. */
export function definitionFacts(change: FileChange, checks: readonly CheckCommand[]): readonly string[] {
  const { path, before, after } = change;
  const name = nameOf(path);
  const is = after === undefined ? 'deleted' : 'changed';
  if (OWN.test(path)) return ownFacts(change, is);
  if (name === 'package.json') return packageFacts(change, checks);
  if (SECTIONED.test(name)) return sectionFacts(change, is);
  if (BUILD.test(name)) return differs(change, skipSettings) ? [`what ${path} leaves out ${is}`] : [];
  if (TSCONFIG.test(name)) return strictFacts(change, is);
  if (RECIPES.test(name)) return recipeFacts(change, checks);
  if (RUNNER.test(name) || LINTER.test(name)) return toolFacts(change, is);
  const check = before === undefined ? undefined : runBy(path, checks);
  return check === undefined ? [] : [`${path} ${is}, which the check \`${check}\` runs`];
}

/** A new config file weakens the checks only if it excludes tests. */
function toolFacts({ path, before, after = '' }: FileChange, is: string): readonly string[] {
  const name = nameOf(path);
  // Most of a vite config is about the application.
  if (name.startsWith('vite.') && !/\btest\s*:/.test(`${before}${after}`)) return [];
  if (before !== undefined) return isStricter(before, after) ? [] : [`${path} ${is}`];
  if (path === '.eslintignore') return ['.eslintignore leaves files out'];
  return RUNNER.test(name) && LEAVES_OUT.test(after) ? [`${path} leaves tests out`] : [];
}

function sectionFacts(change: FileChange, is: string): readonly string[] {
  const { path, before, after = '' } = change;
  if (before === undefined)
    return LEAVES_OUT.test(toolSections(after, /pytest/)) ? [`${path} leaves tests out`] : [];
  const [was, now] = [toolSections(before), toolSections(after)];
  return was === now || isStricter(was, now) ? [] : [`test and lint settings in ${path} ${is}`];
}

function strictFacts(change: FileChange, is: string): readonly string[] {
  const { path, before } = change;
  if (before === undefined) return [];
  const [was, now] = [strictness(before), strictness(change.after ?? '')];
  return was === now || isStricter(was, now) ? [] : [`strictness in ${path} ${is}`];
}

/** Words in settings that may make a check find less. */
const LOOSENS =
  /off\b|warn|exclude|ignore|omit|disable|allow|false|skip|passWith|retr|bail|threshold|timeout|deselect|only|none|=\s*0\b|:\s*0\b/i;

/** Whether only lines, or words in a line, were added, and none of them loosens a check. */
function isStricter(before: string, after: string): boolean {
  const [was, now] = [before, after].map(settingsIn) as [string[], string[]];
  const lost = was.filter((line) => !now.includes(line));
  const added = now.filter((line) => !was.includes(line));
  return (
    !added.some((line) => LOOSENS.test(line)) &&
    lost.every((line) => added.some((one) => isLonger(line, one)))
  );
}

function settingsIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim().replace(/,$/, ''))
    .filter((line) => line !== '');
}

/** Whether `after` has all words of `before`, in the same order. */
function isLonger(before: string, after: string): boolean {
  const wordsOf = (line: string): string[] => line.match(/[\w"'@./*-]+/g) ?? [];
  const left = wordsOf(before);
  for (const word of wordsOf(after)) if (word === left[0]) left.shift();
  return left.length === 0;
}

/** Build settings that skip tests, ignore their failures, or change the shell or Node's options. */
function skipSettings(text: string): string {
  const found = text.matchAll(
    /skipTests|test\.skip|testFailureIgnore|ignoreFailures|enabled\s*=\s*false|script-shell\s*=.*|ignore-scripts\s*=.*|node-options\s*=.*/g,
  );
  return Array.from(found, ([one]) => one).join('\n');
}

const LEAVES_OUT =
  /dry-?run|collect-only|exclude|ignore|passWithNoTests|testMatch|testRegex|norecursedirs|deselect|-k\s|\binclude\b(?!\s*:\s*\[\s*['"](?:[\w-]+\/)?\*\*)|test_files|python_files/i;

function differs({ before = '', after = '' }: FileChange, part: (text: string) => string): boolean {
  return part(before) !== part(after);
}

/** The check whose command names the file. */
function runBy(path: string, checks: readonly CheckCommand[]): string | undefined {
  const isNamed = (word: string): boolean => {
    const plain = word.replace(/^\.\//, '');
    return /[./]/.test(word) && (path === plain || path.endsWith(`/${plain}`));
  };
  return checks.find(({ command }) => command.split(/[\s"'`;&|()=]+/).some(isNamed))?.name;
}

function ownFacts({ path, before, after }: FileChange, is: string): readonly string[] {
  if (before === undefined) return [];
  if (path.startsWith('.gauntlet/')) return [`${path} ${is}`];
  const [was, now] = [gatesIn(before), gatesIn(after ?? '')];
  if (was === now || onlyAdds(was, now)) return [];
  const idle = Array.from(now.matchAll(/\bcommand:\s*["']?([^"'\n,}]*)/g), ([, command = '']) =>
    command.trim(),
  );
  const empty = idle.find((command) => !was.includes(command) && cannotFail(command));
  return [`gates in ${path} ${is}${empty === undefined ? '' : `: a check is now \`${empty}\``}`];
}

/** Words that may weaken the gates when they are added to our config. */
const LOOSENING =
  /^(?:exclude|mode|warn|shadow|tell|weakening|stop_hook|enabled|false|off|true|cache|max_retries|run_interval_minutes|base_branch|log_dir|timeout)$/;

/** Whether all earlier words are still there in the same order, and no loosening word was added. */
function onlyAdds(was: string, now: string): boolean {
  const wordsOf = (text: string): string[] => text.replace(/#.*$/gm, '').match(/[^\s,:{}[\]"']+/g) ?? [];
  const added: string[] = [];
  const left = wordsOf(was);
  for (const word of wordsOf(now)) {
    if (word === left[0]) left.shift();
    else added.push(word);
  }
  return was !== '' && left.length === 0 && !added.some((word) => LOOSENING.test(word));
}

/** The part of a YAML text below `gates:`. */
function gatesIn(text: string): string {
  return /^gates:.*(?:\n(?:[ \t#].*)?)*/m.exec(text)?.[0].trim() ?? '';
}

const TOOL_KEYS = ['jest', 'vitest', 'mocha', 'ava', 'tap', 'nyc', 'c8', 'eslintConfig', 'eslintIgnore'];

function packageFacts(
  { path, before, after }: FileChange,
  checks: readonly CheckCommand[],
): readonly string[] {
  const [was, now] = [before, after].map((text): JsonObject => {
    const value = jsonIn(text ?? '');
    return isJsonObject(value) ? value : {};
  }) as [JsonObject, JsonObject];
  if (before === undefined) return [];
  const [old, fresh] = [was, now].map((one) => objectIn(one, 'scripts')) as [JsonObject, JsonObject];
  const where = path === 'package.json' ? '' : ` in ${path}`;
  const reached = scriptsReached(old, checks);
  const scripts = Object.keys(old).flatMap((name) => {
    const [from, to] = [old[name], fresh[name]].map((value) =>
      typeof value === 'string' ? value : undefined,
    );
    if (from === undefined || from === to) return [];
    const weakened = to !== undefined && cannotFail(to) && !cannotFail(from);
    if (!weakened && !reached.has(name)) return [];
    return [
      to === undefined
        ? `\`${name}\` script deleted${where}`
        : `\`${name}\` script now \`${short(to)}\`${where}`,
    ];
  });
  const tools = TOOL_KEYS.filter((key) => {
    const [from, to] = [was[key], now[key]].map((value) => JSON.stringify(value));
    return from === undefined ? LEAVES_OUT.test(to ?? '') : from !== to;
  });
  return [...scripts, ...tools.map((key) => `\`${key}\` in ${path} changed`)];
}

/** The checks and, as further checks, the package.json scripts that they run. */
export function withScripts(root: string, checks: readonly CheckCommand[]): readonly CheckCommand[] {
  const scripts = objectIn(jsonIn(readText(`${root}/package.json`) ?? ''), 'scripts');
  const reached = [...scriptsReached(scripts, checks)];
  return [...checks, ...reached.map((name) => ({ name, command: programsIn(String(scripts[name])) }))];
}

/** The files that a script executes, without those that are only its arguments. */
function programsIn(script: string): string {
  const runs =
    /(?:^|[\s;&|])(?:(?:node|sh|bash|zsh|python3?|tsx|ts-node|bun|ruby|perl)\s+(?:-\S+\s+)*(\S+)|(\.\/\S+))/g;
  return Array.from(script.matchAll(runs), ([, file, own]) => file ?? own).join(' ');
}

/** Scripts that the checks run, directly or through other scripts. */
function scriptsReached(scripts: JsonObject, checks: readonly CheckCommand[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const lines = checks.map(({ command }) => command);
  for (let line = lines.pop(); line !== undefined; line = lines.pop()) {
    const words = line.split(/[\s"'`;&|()]+/);
    const isRunner = words.some((word) =>
      /^(?:npm|pnpm|yarn|bun|npx|node|run-s|run-p|npm-run-all|turbo|nx|lerna)$/.test(word),
    );
    for (const name of isRunner ? Object.keys(scripts) : []) {
      if (reached.has(name) || !words.some((word) => word === name)) continue;
      reached.add(name);
      const text = scripts[name];
      if (typeof text === 'string') lines.push(text);
    }
  }
  return reached;
}

const HARMLESS = '(?:true|:|exit(?:\\s+0)?|echo\\b[^;&|]*|printf\\b[^;&|]*)';
const EMPTY = new RegExp(`^\\s*(?:${HARMLESS})?\\s*$|(?:\\|\\||;)\\s*${HARMLESS}\\s*$`);

/** Whether a command exits with 0 whatever ran before, such as `npm test || true`. */
export function cannotFail(command: string): boolean {
  return EMPTY.test(command);
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** The sections of an INI or TOML file about tests and linters. */
function toolSections(
  text: string,
  tool = /^(?:pytest|ruff|mypy|coverage|flake8|pylint|tox|testenv|lints|test\b)/,
): string {
  const sections = text.split(/^(?=\[)/m);
  return sections
    .filter((section) => tool.test(/^\[+(?:tool[.:])?([^\]\n]*)/.exec(section)?.[1] ?? ''))
    .map((section) => section.trim())
    .join('\n');
}

/** The TypeScript settings that decide what is checked, and how strictly. */
function strictness(text: string): string {
  const settings = text.matchAll(
    /"(extends|strict\w*|no[A-Z]\w*|exactOptionalPropertyTypes|skipLibCheck|checkJs|include|exclude|files)"\s*:\s*(\[[^\]]*\]|[^,\n}]*)/g,
  );
  return Array.from(settings, ([, key, value = '']) => `${key}=${value.replace(/\s+/g, '')}`)
    .sort()
    .join('\n');
}

function recipeFacts(
  { path, before, after = '' }: FileChange,
  checks: readonly CheckCommand[],
): readonly string[] {
  const tool =
    { m: 'make', M: 'make', G: 'make', j: 'just', J: 'just', T: 'task', R: 'rake', n: 'nox' }[
      nameOf(path)[0] ?? ''
    ] ?? '';
  const targets = checks.flatMap(({ command }) => {
    const words = command.split(/[\s;&|()]+/);
    return words.includes(tool) ? words.filter((word) => /^[\w:.-]+$/.test(word) && word !== tool) : [];
  });
  if (before === undefined)
    return nameOf(path) === 'GNUmakefile' && targets.length > 0
      ? [`${path} takes the place of the Makefile`]
      : [];
  const shells = [before, after].map((text) => /^[ \t]*SHELL[ \t]*[:?]?=(.*)/m.exec(text)?.[1] ?? 'sh');
  const isNoShell = shells[0] !== shells[1] && !/sh\b/.test(shells[1] ?? '');
  const all = new Set(targets);
  // Iterating a Set also visits entries that are added meanwhile, so this follows all prerequisites.
  for (const target of all) for (const other of dependenciesOf(recipeOf(before, target))) all.add(other);
  const changed = [...all].flatMap((target) => {
    const [was, now] = [before, after].map((text) => withVariables(text, recipeOf(text, target)));
    return was === '' || was === now ? [] : [`\`${tool} ${target}\` ${now === '' ? 'deleted' : 'changed'}`];
  });
  const switches = [before, after].map((text) => (text.match(MAKE_SWITCHES) ?? []).join('\n'));
  const hasSwitched = targets.length > 0 && switches[0] !== switches[1];
  return [
    ...(isNoShell && targets.length > 0 ? [`the shell of ${path} changed`] : []),
    ...(hasSwitched ? [`what ${path} includes or ignores changed`] : []),
    ...changed,
  ];
}

/** Lines of a Makefile that include other files or make it ignore errors. */
const MAKE_SWITCHES = /^[ \t]*(?:-?s?include\b|MAKEFLAGS\b|\.IGNORE\b).*$/gm;

/** A recipe followed by the assignments of the variables that it uses. */
function withVariables(text: string, recipe: string): string {
  const names = Array.from(recipe.matchAll(/\$[({](\w+)[)}]/g), ([, name = '']) => name);
  const set = names.flatMap(
    (name) => text.match(new RegExp(`^[ \\t]*${name}[ \\t]*[:?+!]*=.*$`, 'gm')) ?? [],
  );
  return [recipe, ...set].join('\n').trim();
}

/** The prerequisites on a target's first line. */
function dependenciesOf(recipe: string): readonly string[] {
  const [, names = ''] = /:([^=\n]*)/.exec(recipe) ?? [];
  return names.split(/\s+/).filter((name) => /^[\w.-]+$/.test(name));
}

/** All definitions of a target, with the indented lines below them; make uses the last one. */
function recipeOf(text: string, target: string): string {
  const name = target.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const found = text.match(new RegExp(`^[ \\t]*${name}\\b.*:.*(?:\\n(?:[ \\t]+.*|$))*`, 'gm')) ?? [];
  return found.join('\n').trim();
}
