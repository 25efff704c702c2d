import { parse } from 'yaml';
import { attempt } from '../../../core/failure';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json';
import { globMatcher, isGlob } from '../../../core/text';
import type { DetectedProject, FoundCheck, ProjectFiles, Purpose, SkippedScript } from './kind';

/** Common script names for each purpose, the most likely first. */
const NAMES: readonly (readonly [Purpose, readonly string[]])[] = [
  ['test', ['test', 'test:unit', 'tests', 'unit']],
  ['lint', ['lint', 'lint:check', 'lint:ci', 'eslint']],
  ['typecheck', ['typecheck', 'type-check', 'check-types', 'check:types', 'types:check', 'tsc']],
  ['format', ['format:check', 'fmt:check', 'check:format', 'prettier:check']],
  ['check', ['check']],
  ['build', ['build']],
];

const WATCHES =
  /(?:^|\s)(?:--watch(?:All|-all)?(?!\S*=false)(?=[\s=]|$)|-w(?=\s|$))|(?:^|\s)(?:nodemon|chokidar)\s/;
const CHANGES_FILES = /(?:^|\s)(?:--fix(?!\S*=false)|--write|--apply)(?=[\s=]|$)/;

/** Programs that watch by default, and the argument that makes them run once. */
const RUN_ONCE: readonly (readonly [RegExp, string])[] = [
  [/\breact-scripts test\b(?!.*--watchAll=false)/, '--watchAll=false'],
  [/\bng test\b(?!.*--(?:no-)?watch)/, '--watch=false'],
];

/** Makes the command line that runs a script. `more` are arguments for the script itself. */
type RunScript = (script: string, more: string) => string;

/** The checks among the scripts of a manifest. `where` is shown as their source: `package.json, scripts`. */
export function checksAmong(scripts: Json | undefined, where: string, run: RunScript) {
  const checks: FoundCheck[] = [];
  const passedOver: SkippedScript[] = [];
  const known = isJsonObject(scripts) ? scripts : {};
  for (const [purpose, names] of NAMES) {
    // A script called `check` usually runs the others together.
    if (purpose === 'check' && checks.some((one) => one.purpose === 'lint' || one.purpose === 'typecheck'))
      continue;
    for (const name of names) {
      const line = lineOf(known[name]);
      if (line === undefined) continue;
      const source = `${where}.${name}`;
      const why = troubleWith(line);
      if (why === undefined) {
        const more = RUN_ONCE.find(([program]) => program.test(line))?.[1] ?? '';
        checks.push({ purpose, command: run(name, more), source });
        break;
      }
      passedOver.push({ what: source, why });
    }
  }
  return { checks, passedOver };
}

function lineOf(script: Json | undefined): string | undefined {
  if (typeof script === 'string') return script.trim() === '' ? undefined : script;
  if (Array.isArray(script)) return script.join(' && ');
  return isJsonObject(script) && typeof script['command'] === 'string' ? script['command'] : undefined;
}

function troubleWith(line: string): string | undefined {
  if (/no test specified/.test(line)) return "is npm's placeholder, not a test";
  if (WATCHES.test(line)) return 'watches files and never ends';
  return CHANGES_FILES.test(line) ? 'changes files, which a check must not do' : undefined;
}

const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;
type Manager = (typeof MANAGERS)[number];

/** The package manager of each lock file. With several, `packageManager` in package.json decides. */
const LOCKS: readonly (readonly [string, Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

/** Projects with a package.json. Members of a workspace use the package manager of the workspace. */
export function node(files: ProjectFiles, workspaceManager?: Manager): DetectedProject | undefined {
  if (!files.has('package.json')) return undefined;
  const manifest = files.json('package.json');
  const manager = workspaceManager ?? managerOf(files);
  const found = checksAmong(manifest['scripts'], 'package.json, scripts', runWith(manager));
  const members = found.checks.length === 0 ? workspaceMembers(files) : [];
  const isComplete = workspaceManager !== undefined || !needsInstall(manifest, files);
  return { ...found, members, ...(!isComplete && { first: `${manager} install` }) };
}

export function managerOf(files: ProjectFiles): Manager {
  const { packageManager } = files.json('package.json');
  const named = typeof packageManager === 'string' ? packageManager.split('@')[0] : undefined;
  return MANAGERS.find((name) => name === named) ?? LOCKS.find(([file]) => files.has(file))?.[1] ?? 'npm';
}

function runWith(manager: Manager): RunScript {
  return (script, more) => {
    // `bun test` starts bun's own test runner and ignores the script.
    const call = script === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${script}`;
    if (more === '') return call;
    return manager === 'npm' ? `${call} -- ${more}` : `${call} ${more}`;
  };
}

function needsInstall(manifest: JsonObject, files: ProjectFiles): boolean {
  const needsAny = ['dependencies', 'devDependencies'].some(
    (key) => Object.keys(manifest[key] ?? {}).length > 0,
  );
  return needsAny && !files.has('node_modules') && !files.has('.pnp.cjs');
}

/** Directories that never contain workspace packages. */
const NEVER = /^\.|^(?:node_modules|dist|build|target|vendor)$/;
const DEEPEST = 4;

/** The directories of a workspace that have a package.json; empty if this is no workspace. */
function workspaceMembers(files: ProjectFiles): readonly string[] {
  const patterns = patternsIn(files).map((pattern) => pattern.replace(/^\.\/|\/+$/g, ''));
  const excluded = patterns.filter((one) => one.startsWith('!')).map((one) => globMatcher(one.slice(1)));
  const found = patterns.filter((one) => !one.startsWith('!')).flatMap((one) => directoriesFor(files, one));
  return [...new Set(found)]
    .filter((dir) => !excluded.some((matches) => matches(dir)) && files.has(`${dir}/package.json`))
    .sort();
}

function patternsIn(files: ProjectFiles): string[] {
  const { workspaces } = files.json('package.json');
  const named = isJsonObject(workspaces) ? workspaces['packages'] : workspaces;
  const pnpm: unknown = attempt(() => parse(files.text('pnpm-workspace.yaml')));
  const ofPnpm = isJsonObject(pnpm) ? pnpm['packages'] : undefined;
  const lists = [named, ofPnpm, files.json('lerna.json')['packages']];
  return lists.flatMap((list) => (Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []));
}

/** Walks only the directories that the pattern can match: walking all of a large project takes too long. */
function directoriesFor(files: ProjectFiles, pattern: string): string[] {
  const segments = pattern.split('/');
  const glob = segments.findIndex(isGlob);
  if (glob < 0) return files.isDirectory(pattern) ? [pattern] : [];
  const start = segments.slice(0, glob).join('/') || '.';
  const depth = pattern.includes('**') ? DEEPEST : segments.length - glob;
  return directoriesIn(files, start, depth).filter(globMatcher(pattern));
}

function directoriesIn(files: ProjectFiles, dir: string, depth: number): string[] {
  const inside = (path: string): string[] => (depth > 1 ? directoriesIn(files, path, depth - 1) : []);
  return files.directories(dir, NEVER).flatMap((path) => [path, ...inside(path)]);
}

const TEST_FILE = /(?:^|[._])test\.[cm]?[jt]sx?$/;

/** Deno projects: their tasks, then `deno lint`, and `deno test` if there are test files. */
export function deno(files: ProjectFiles): DetectedProject | undefined {
  const source = ['deno.json', 'deno.jsonc'].find(files.has);
  if (source === undefined) return undefined;
  const tasks = checksAmong(files.json(source)['tasks'], `${source}, tasks`, (task, more) =>
    `deno task ${task} ${more}`.trim(),
  );
  const hasTests = ['.', 'src', 'test', 'tests'].some((dir) =>
    files.names(dir).some((name) => TEST_FILE.test(name)),
  );
  const builtIn: FoundCheck[] = [
    ...(hasTests ? [{ purpose: 'test', command: 'deno test', source } as const] : []),
    { purpose: 'lint', command: 'deno lint', source },
  ];
  const own = builtIn.filter(({ purpose }) => !tasks.checks.some((one) => one.purpose === purpose));
  return { ...tasks, checks: [...tasks.checks, ...own] };
}
