import { readText } from '../../../core/failure';
import { isJsonObject, type JsonObject, jsonIn, objectIn } from '../../../core/json';
import { RECIPES, recipeFacts, targetsOf } from './recipes';
import {
  type CheckCommand,
  type FileChange,
  GENERATED,
  isStricter,
  nameOf,
  plainCommand,
  REPLACES,
  runsMore,
  settingsIn,
  withoutComments,
  wordsAdded,
} from './settings';
import { testFile } from './tests';

/* Changes to what decides which tests and checks run: scripts, make targets, the tools' config, and ours. */

const RUNNER =
  /^(?:(?:vitest|jest|playwright|cypress|karma|ava|wdio|vite)\.(?:config|conf|workspace|setup)\.(?:[cm]?[jt]sx?|json)|\.mocharc(?:\.\w+)?|bunfig\.toml|nx\.json|turbo\.jsonc?|\.taprc|\.?nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|\.rspec|\.?pytest\.(?:ini|toml)|phpunit\.xml(?:\.dist)?|nextest\.toml|go\.work)$/;
const LINTER =
  /^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?|\.eslintignore|\.prettierignore|biome\.jsonc?|\.flake8|\.pylintrc|mypy\.ini|ruff\.toml|\.ruff\.toml|\.golangci\.\w+|\.rubocop(?:_todo)?\.yml|\.stylelintrc(?:\.\w+)?|\.?oxlintrc\.jsonc?|knip\.jsonc?|phpstan[\w-]*\.neon(?:\.dist)?|psalm\.xml(?:\.dist)?|\.swiftlint\.yml|detekt\.ya?ml|checkstyle\.xml|\.pre-commit-config\.yaml|\.?clippy\.toml|\.coveragerc|deno\.jsonc?)$/;
const SECTIONED = /^(?:pyproject\.toml|setup\.cfg|tox\.ini|Cargo\.toml)$/;
const BUILD =
  /^(?:pom\.xml|go\.mod|(?:maven|jvm)\.config|build\.gradle(?:\.kts)?|\.npmrc|.*\.(?:cs|fs|vb)proj|Directory\.Build\.(?:props|targets)|.*\.runsettings)$/;
const TSCONFIG = /^[tj]sconfig(?:\.[\w-]+)?\.json$/;
const CARGO = /(?:^|\/)\.cargo\/config(?:\.toml)?$/;
const PIPELINE =
  /(?:^|\/)(?:\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci\/config\.yml|azure-pipelines\.yml|bitbucket-pipelines\.yml|\.husky\/[\w-]+|\.?lefthook\.ya?ml|\.travis\.yml|Jenkinsfile)$/;
const OWN = /^(?:\.holdpoint\/config[\w.]*\.ya?ml|\.gauntlet\/.*)$/;

/** Whether a file may define what the checks do. */
export function definesChecks(path: string, checks: readonly CheckCommand[]): boolean {
  const name = nameOf(path);
  const isKnown =
    SCRIPTED.has(name) ||
    [RUNNER, LINTER, SECTIONED, BUILD, TSCONFIG, ...Object.values(RECIPES)].some((pattern) =>
      pattern.test(name),
    ) ||
    [OWN, CARGO, PIPELINE].some((pattern) => pattern.test(path));
  return (
    (isKnown && !path.includes('node_modules/')) ||
    runBy(path, checks) !== undefined ||
    targetsOf('make', checks)?.includes(path) === true
  );
}

/** What changed in such a file, as sentences for people. */
export function definitionFacts(change: FileChange, checks: readonly CheckCommand[]): readonly string[] {
  const { path, after } = change;
  const name = nameOf(path);
  const is = after === undefined ? 'deleted' : 'changed';
  if (OWN.test(path)) return ownFacts(change, is);
  const runner = SCRIPTED.get(name);
  if (runner !== undefined) return packageFacts(change, runner, checks);
  if (PIPELINE.test(path)) return pipelineFacts(change);
  if (SECTIONED.test(name)) return sectionFacts(change, is);
  if (BUILD.test(name) || CARGO.test(path)) return buildFacts(change, is);
  if (TSCONFIG.test(name)) return strictFacts(change, is);
  const tool = Object.keys(RECIPES).find((one) => RECIPES[one]?.test(name));
  if (tool !== undefined) return recipeFacts(change, tool, checks);
  if (RUNNER.test(name) || LINTER.test(name)) return toolFacts(change, is);
  return namedFacts(change, is, checks);
}

/** A file that is named in a check's command. */
function namedFacts({ path, before }: FileChange, is: string, checks: readonly CheckCommand[]) {
  if (before === undefined)
    return targetsOf('make', checks)?.includes(path)
      ? [`the file ${path} may keep \`make ${path}\` from running`]
      : [];
  const check = runBy(path, checks);
  return check === undefined ? [] : [`${path} ${is}, which the check \`${check}\` runs`];
}

function buildFacts({ path, before = '', after = '' }: FileChange, is: string): readonly string[] {
  return skipSettings(before) === skipSettings(after) ? [] : [`what ${path} leaves out ${is}`];
}

/** A new config file weakens the checks only if it excludes tests. */
function toolFacts({ path, before, after = '' }: FileChange, is: string): readonly string[] {
  const name = nameOf(path);
  // Most of a vite config is about the application.
  if (name.startsWith('vite.') && !/\btest\s*:/.test(`${before}${after}`)) return [];
  if (name.endsWith('ignore')) {
    const known = settingsIn(before ?? '');
    const isNew = (line: string): boolean => !known.has(line) && !GENERATED.test(line);
    return [...settingsIn(after)].some(isNew) ? [`${path} leaves files out`] : [];
  }
  if (before !== undefined) return isStricter(before, after) ? [] : [`${path} ${is}`];
  if (!RUNNER.test(name))
    return SWITCHES_OFF.test(withoutComments(after)) ? [`${path} leaves something out`] : [];
  if (name === 'go.work' || REPLACES.test(after)) return [`${path} replaces what tests use`];
  return LEAVES_OUT.test(after) ? [`${path} leaves tests out`] : [];
}

/** Python's tools find their settings in any of these. */
const PYTHON =
  /^(?:pyproject\.toml|setup\.cfg|tox\.ini|\.?pytest\.(?:ini|toml)|\.flake8|mypy\.ini|\.coveragerc|\.?ruff\.toml|\.pylintrc)$/;

/** Whether a file only gave settings to another one in its directory, or got them from it. */
export function hasMovedSettings({ path }: FileChange, changes: readonly FileChange[]): boolean {
  const [directory, name] = [path.slice(0, -nameOf(path).length), nameOf(path)];
  const files = changes.filter(
    (one) => PYTHON.test(nameOf(one.path)) && one.path === directory + nameOf(one.path),
  );
  const settingsOf = (side: 'before' | 'after'): string =>
    files
      .map((one) => {
        const text = one[side] ?? '';
        return (SECTIONED.test(nameOf(one.path)) ? toolSections(text) : text).replace(/^\[.*$/gm, '');
      })
      .join('\n');
  return PYTHON.test(name) && files.length > 1 && isStricter(settingsOf('before'), settingsOf('after'));
}

/** Steps of a build server or of git's hooks that checked something and are gone, or that may fail now. */
function pipelineFacts({ path, before, after = '' }: FileChange): readonly string[] {
  if (before === undefined) return [];
  // A step may get a name, and then begins with it.
  const [was = [], now = []] = [before, after].map((text) =>
    [...settingsIn(text)].map((line) => line.replace(/^- /, '')),
  );
  const commandIn = (line: string): string =>
    plainCommand(line.replace(/^(?:run|script|sh|command):\s*/, ''));
  const commands = now.map(commandIn);
  const isWeaker =
    was.some((line) => !commands.includes(commandIn(line)) && CHECKS_SOMETHING.test(line)) ||
    now.some((line) => !was.includes(line) && MAY_FAIL.test(line));
  return isWeaker ? [`checks in ${path} ${after === '' ? 'deleted' : 'changed'}`] : [];
}

const CHECKS_SOMETHING =
  /^(?:run|script|sh|command)\b.*(?:test|lint|check|verify|tsc|tox|vet|clippy|spec|unit)|^(?:npm|npx|pnpm|yarn|make|go|cargo|mvn|\.\/|dotnet|bundle|py|vendor|composer)\S*\s.*(?:test|lint|check|verify|tsc|vet|clippy|spec|unit)/;
const MAY_FAIL =
  /continue-on-error:\s*(?!false)|allow_failure:\s*(?!false)|\|\|\s*(?:true|:|exit 0)\b|\bif:\s*["']?(?:\$\{\{\s*)?false/;

/** What a linter's first config may say to find less. */
const SWITCHES_OFF = /\b(?:exclude|ignore|omit|disable|skip)|enabled["'\s:=]+false|^root\b|"root":/im;

function sectionFacts(change: FileChange, is: string): readonly string[] {
  const { path, before, after = '' } = change;
  if (before === undefined)
    return LEAVES_OUT.test(toolSections(after, /pytest/)) ? [`${path} leaves tests out`] : [];
  if (!isStricter(toolSections(before), toolSections(after)))
    return [`test and lint settings in ${path} ${is}`];
  return path.endsWith('Cargo.toml') ? buildFacts(change, is) : [];
}

function strictFacts(change: FileChange, is: string): readonly string[] {
  const { path, before, after = '' } = change;
  const isWeaker = before !== undefined && !isStricter(strictness(before), strictness(after));
  return isWeaker ? [`strictness in ${path} ${is}`] : [];
}

/** Build settings that skip tests, ignore their failures, or change the shell or Node's options. */
function skipSettings(text: string): string {
  const found = text.matchAll(
    /skipTests|test\.skip|<skip>\s*true|testFailureIgnore|test\.failure\.ignore|<phase>\s*none|<test(?:SourceDirectory)?>[^<]*|ignoreFailures|\b(?:isE|e)nabled(?:\s*[=(]\s*|[ \t])false|onlyIf\b|<(?:in|ex)cludes?>[^<]*|<(?:excludedGroups|groups)>[^<]*|\b(?:exclude|include)(?:Tags|Groups|TestsMatching|Categories)?[ (]+["'].*|script-shell\s*=.*|ignore-scripts\s*=.*|node-options\s*=.*|^[ \t]*(?:autotests|test|doctest|harness)[ \t]*=[ \t]*false|^[ \t]*runner[ \t]*=.*|IsTestProject>\s*false|<Compile\s+Remove.*|<TestCaseFilter>[^<]*|<NoWarn>[^<]*|<TreatWarningsAsErrors>\s*false|^.*=> \.{1,2}\/.*/gm,
  );
  return Array.from(found, ([one]) => one).join('\n');
}

const LEAVES_OUT =
  /dry-?run|collect-only|--co\b|["'=\s]-[mp]\s|testpaths|testNamePattern|\broots\b|\bdir\b|"?spec"?\s*:|\bgrep\b|--tag\b|<file>|<group>|exclude|ignore|passWithNoTests|testMatch|testRegex|norecursedirs|deselect|-k\s|\binclude\b(?!\s*:\s*\[\s*['"](?:[\w-]+\/)?\*\*)|test_files|python_files/i;

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
  const empty = idle.find((command) => cannotFail(command) && !was.includes(command));
  return [`gates in ${path} ${is}${empty === undefined ? '' : `: a check is now \`${empty}\``}`];
}

/** Words that may weaken the gates when they are added to our config. */
const LOOSENING =
  /^(?:exclude|mode|warn|shadow|tell|weakening|stop_hook|enabled|false|off|true|cache|max_retries|run_interval_minutes|base_branch|log_dir|timeout)$/;

/** Whether all earlier words are still there in the same order, and no loosening word was added. */
function onlyAdds(was: string, now: string): boolean {
  const wordsOf = (text: string): string[] => text.replace(/#.*$/gm, '').match(/[^\s,:{}[\]"']+/g) ?? [];
  const added = wordsAdded(wordsOf(was), wordsOf(now));
  return was !== '' && added !== undefined && !added.some((word) => LOOSENING.test(word));
}

/** The part of a YAML text below `gates:`. */
function gatesIn(text: string): string {
  return /^gates:.*(?:\n(?:[ \t#].*)?)*/m.exec(text)?.[0].trim() ?? '';
}

/** Files with scripts, and what runs them. */
const SCRIPTED: ReadonlyMap<string, RegExp> = new Map([
  ['package.json', /^(?:npm|pnpm|yarn|bun|npx|node|run-s|run-p|npm-run-all|turbo|nx|lerna)$/],
  ['composer.json', /^composer$/],
]);
const TOOL_KEYS = ['jest', 'vitest', 'mocha', 'ava', 'tap', 'nyc', 'c8', 'eslintConfig', 'eslintIgnore'];

function packageFacts(
  { path, before, after }: FileChange,
  runner: RegExp,
  checks: readonly CheckCommand[],
): readonly string[] {
  const [was, now] = [before, after].map((text): JsonObject => {
    const value = jsonIn(text ?? '');
    return isJsonObject(value) ? value : {};
  }) as [JsonObject, JsonObject];
  if (before === undefined) return [];
  const [old, fresh] = [was, now].map(scriptsIn) as [Scripts, Scripts];
  const where = path === 'package.json' ? '' : ` in ${path}`;
  const reached = scriptsReached(old, runner, checks);
  const more = [...scriptsReached(fresh, runner, checks)].flatMap((name) => {
    const text = fresh[name] ?? '';
    return Object.hasOwn(old, name) || !removesTests(text)
      ? []
      : [`\`${name}\` script added: \`${short(text)}\`${where}`];
  });
  const scripts = Object.entries(old).flatMap(([name, from]) => {
    const to = fresh[name];
    if (from === to) return [];
    const weakened = to !== undefined && cannotFail(to) && !cannotFail(from);
    // A script may be divided into several.
    const whole = plainCommand(to ?? '').replace(/npm run ([\w:.-]+)/g, (all, part) => {
      const { [part]: script = all } = fresh;
      return script.length > LONGEST_PART ? all : script;
    });
    if (
      !weakened &&
      (!reached.has(name) || (to !== undefined && (runsMore(from, to) || runsMore(from, whole))))
    )
      return [];
    const how = to === undefined ? 'deleted' : `${weakened ? 'now' : 'changed to'} \`${short(to)}\``;
    return [`\`${name}\` script ${how}${where}`];
  });
  const tools = TOOL_KEYS.filter((key) => {
    const [from, to = ''] = [was[key], now[key]].map((value) => JSON.stringify(value, null, 1));
    if (from === undefined) return LEAVES_OUT.test(to);
    // Only these have the keys of a file of their own.
    return from !== to && !(/^(?:jest|mocha|eslintConfig)$/.test(key) && isStricter(from, to));
  });
  return [...scripts, ...more, ...tools.map((key) => `\`${key}\` in ${path} changed`)];
}

/** A script that calls itself very often would become too long. */
const LONGEST_PART = 1000;

const REMOVES = /\b(?:rm|rimraf|mv|truncate|git\s+(?:rm|checkout|restore|stash|reset))\b/;
const TESTS = /^(?:\.\/)?(?:tests?|specs?|__tests__)\/?\**$/;

/** Whether a script takes away tests before a check runs, or brings them back afterwards. */
function removesTests(script: string): boolean {
  return script
    .split(/[;&|\n]+/)
    .filter((command) => REMOVES.test(command))
    .some((command) => command.split(/\s+/).some((word) => TESTS.test(word) || testFile(word) !== undefined));
}

/** Scripts with all their commands in one line. */
type Scripts = Readonly<Record<string, string>>;

function scriptsIn(config: JsonObject): Scripts {
  const lines = Object.entries(objectIn(config, 'scripts')).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(' && ') : value,
  ]);
  return Object.fromEntries(lines.filter(([, line]) => typeof line === 'string'));
}

/** The checks and, as further checks, the scripts that they run: of packages, and of a shell one level deep. */
export function withScripts(root: string, checks: readonly CheckCommand[]): readonly CheckCommand[] {
  const read = (path: string): string => readText(`${root}/${path}`) ?? '';
  const own = [...SCRIPTED].flatMap(([file, runner]) => {
    const config = jsonIn(read(file));
    const scripts = isJsonObject(config) ? scriptsIn(config) : {};
    return [...scriptsReached(scripts, runner, checks)].map((name): CheckCommand => {
      const script = scripts[name] ?? '';
      return { name, script, command: programsIn(script) };
    });
  });
  const all = [...checks, ...own];
  const inner = all.flatMap(({ name, command }) => {
    const files = shellScriptsIn(command).flatMap((path) => shellScriptsIn(read(path)));
    return files.length === 0 ? [] : [{ name, command: files.join(' ') }];
  });
  return [...all, ...inner];
}

function shellScriptsIn(text: string): readonly string[] {
  const words = text.replace(/^\s*#.*$/gm, '').split(/[\s"'`;&|()=]+/);
  return words
    .filter((word) => /\.(?:ba)?sh$/.test(word))
    .map((word) => word.replace(/^(?:.*\$[\w{}]+)?\/+/, ''));
}

const RUNS_TESTS =
  /--test\b|\b(?:jest|vitest|mocha|ava|tap|pytest|unittest|rspec|phpunit|bats)\b|\b(?:deno|bun|go) test\b/;

/** The directories in which tests are looked for: none if a check runs tests wherever they are. */
export function testDirectories(
  checks: readonly CheckCommand[],
  paths: readonly string[],
): readonly string[] {
  const runners = checks
    .map(({ command, script = command }) => script)
    .filter((line) => RUNS_TESTS.test(line))
    .map((line) =>
      line
        .split(/[\s"'`;&|()=]+/)
        .map((word) => `${/^(?:\.\/)?([^*]*?)\/?(?:\*.*|\.\.\.)?$/.exec(word)?.[1]}/`)
        .filter((directory) => paths.some((path) => path.startsWith(directory))),
    );
  return runners.every((directories) => directories.length > 0) ? runners.flat() : [];
}

/** The files that a script executes, without those that are only its arguments. */
function programsIn(script: string): string {
  const runs =
    /(?:^|[\s;&|])(?:(?:node|sh|bash|zsh|python3?|tsx|ts-node|bun|ruby|perl)\s+(?:-\S+\s+)*(\S+)|(\.\/\S+))/g;
  return Array.from(script.matchAll(runs), ([, file, own]) => file ?? own).join(' ');
}

/** Scripts that the checks run, directly, through other scripts, or before and after them. */
function scriptsReached(
  scripts: Scripts,
  runner: RegExp,
  checks: readonly CheckCommand[],
): ReadonlySet<string> {
  const reached = new Set<string>();
  const lines = checks.map(({ command }) => command);
  for (let line = lines.pop(); line !== undefined; line = lines.pop()) {
    const words = line.split(/[\s"'`;&|()]+/);
    const isRunner = words.some((word) => runner.test(word));
    const names = words.flatMap((word) =>
      word.startsWith('@') ? word.slice(1) : isRunner ? [word, `pre${word}`, `post${word}`] : [],
    );
    for (const name of names) {
      if (reached.has(name) || !Object.hasOwn(scripts, name)) continue;
      reached.add(name);
      lines.push(scripts[name] ?? '');
    }
  }
  return reached;
}

const HARMLESS = '(?:true|:|exit(?:\\s+0)?|echo\\b[^;&|]*|printf\\b[^;&|]*)';
const EMPTY = new RegExp(`^(?:${HARMLESS})?$|(?:\\|\\||;)\\s*${HARMLESS}$`);

/** Whether a command exits with 0 whatever ran before, such as `npm test || true`. */
export function cannotFail(command: string): boolean {
  return EMPTY.test(command.trim());
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

const STRICTNESS =
  /^(?:extends|strict\w*|no[A-Z]\w*|exactOptionalPropertyTypes|skipLibCheck|allowJs|checkJs|include|exclude|files)$/;

/** The TypeScript settings that decide what is checked, and how strictly; the whole text if it is no JSON. */
function strictness(text: string): string {
  const config = jsonIn(withoutComments(text).replace(/,(?=\s*[\]}])/g, ''));
  if (!isJsonObject(config)) return text;
  return Object.entries({ ...config, ...objectIn(config, 'compilerOptions') })
    .filter(([key]) => STRICTNESS.test(key))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort()
    .join('\n');
}
