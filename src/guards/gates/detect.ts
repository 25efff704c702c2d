import { statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { attempt } from '../../core/failure';
import { globMatcher, isGlob } from '../../core/text';
import type { CheckGate, EntryPoint, GatesConfig, ReviewGate } from './config';

export type Scope = {
  /** Relative to the project root; `.` is the root itself. */
  readonly path: string;
  /** Whether `path` is a glob; a directory name may only look like one. */
  readonly glob: boolean;
  readonly exclude: readonly string[];
};

type ActiveEntry = ReturnType<typeof activeEntries>[number];

/** The entry points that contain changed files. One like `packages/*` yields one entry per child. */
export function activeEntries(entryPoints: readonly EntryPoint[], changed: readonly string[]) {
  return entryPoints.flatMap((entryPoint) =>
    scopesOf(entryPoint, changed).flatMap((scope) => {
      const files = changed.filter(scopeTest(scope));
      return files.length === 0 ? [] : [{ entryPoint, scope, files }];
    }),
  );
}

export function scopeTest(scope: Scope): (file: string) => boolean {
  const isUnder = scope.glob ? reachedBy(scope.path) : (file: string) => isBelow(scope.path, file);
  const isExcluded = exclusionTest(scope.exclude);
  return (file) => isUnder(file) && !isExcluded(file);
}

/** Whether `file` is `path` itself or below it. */
export function isBelow(path: string, file: string): boolean {
  return path === '.' || file === path || file.startsWith(`${path}/`);
}

/** A pattern without glob characters excludes a file, or a directory with everything in it. */
function exclusionTest(patterns: readonly string[]): (file: string) => boolean {
  const tests = patterns.map((pattern) => {
    const matches = isGlob(pattern) ? globMatcher(pattern) : () => false;
    return (file: string) => isBelow(pattern, file) || matches(file);
  });
  return (file) => tests.some((test) => test(file));
}

/** A glob matches files, or directories with everything in them. */
function reachedBy(pattern: string): (file: string) => boolean {
  const matches = globMatcher(pattern);
  return (file) => {
    const parts = file.split('/');
    return isBelow(pattern, file) || parts.some((_, at) => matches(parts.slice(0, at + 1).join('/')));
  };
}

function scopesOf({ path, exclude }: EntryPoint, changed: readonly string[]): readonly Scope[] {
  const children = childrenOf(path);
  if (children === undefined) return [{ path, glob: isGlob(path), exclude }];
  const isExcluded = exclusionTest(exclude);
  const names = changed.filter((file) => !isExcluded(file)).flatMap((file) => children(file) ?? []);
  return [...new Set(names)].map((child) => ({ path: child, glob: false, exclude }));
}

/** For a glob like `packages/*`: returns a function from a file to the matching child that contains it. */
export function childrenOf(path: string): ((file: string) => string | undefined) | undefined {
  const slash = path.lastIndexOf('/') + 1;
  const [parent, name] = [path.slice(0, slash), path.slice(slash)];
  if (!name.endsWith('*') || name.includes('**') || isGlob(parent)) return undefined;
  const matches = globMatcher(name);
  return (file) => {
    if (!file.startsWith(parent)) return undefined;
    const [child = ''] = file.slice(slash).split('/', 1);
    return matches(child) ? parent + child : undefined;
  };
}

/** Whether we run in CI and, if so, the pull request's base branch (without remote) and the built commit. */
export function detectCi(env: Readonly<Record<string, string | undefined>>) {
  const flag = env['CI']?.toLowerCase();
  const ci = flag === 'true' || flag === '1' || env['GITHUB_ACTIONS'] === 'true';
  const { GITHUB_BASE_REF: baseRef, GITHUB_SHA: sha } = ci ? env : {};
  return { ci, baseRef: baseRef || undefined, sha: sha || undefined };
}

export type Job = CheckJob | ReviewJob;

interface CommonJob {
  /** `check:<entry point>:<name>` or `review:<entry point>:<name>`. */
  readonly id: string;
  /** For an entry point like `packages/*`: the one child. */
  readonly entryPoint: string;
  /** Several if entry points share the job. */
  readonly scopes: readonly Scope[];
  readonly files: readonly string[];
}

export interface CheckJob extends CommonJob {
  readonly kind: 'check';
  readonly gate: CheckGate;
  /** Relative to the project root, unless the config has an absolute path. */
  readonly cwd: string;
}

export interface ReviewJob extends CommonJob {
  readonly kind: 'review';
  readonly gate: ReviewGate;
}

export interface JobSelection {
  readonly root: string;
  readonly mode: 'run' | 'check' | 'review';
  readonly gate?: string;
  readonly ci: boolean;
}

export function gateNames({ checks, reviews }: GatesConfig): readonly string[] {
  return [...new Set([...checks, ...reviews].map(({ name }) => name))];
}

export type PathKind = 'directory' | 'file' | 'missing';

/** The jobs for changed files in config order, each once; `notes` tells people what was left out. */
export function findJobs(
  config: GatesConfig,
  changed: readonly string[],
  wanted: JobSelection,
  kindOf = (path: string): PathKind => kindOnDisk(join(wanted.root, path)),
) {
  const jobs = new Map<string, Job>();
  const notes: string[] = [];
  const add = (key: string, job: Job): void => {
    const { scopes = [], files = [] } = jobs.get(key) ?? {};
    const joined = { scopes: [...scopes, ...job.scopes], files: [...new Set([...files, ...job.files])] };
    jobs.set(key, { ...(jobs.get(key) ?? job), ...joined });
  };
  for (const entry of activeEntries(config.entryPoints, changed)) {
    const { entryPoint, scope, files } = entry;
    const { path } = scope;
    const common = { entryPoint: path, scopes: [scope], files };
    for (const gate of named(config.checks, entryPoint.checks, wanted, 'check')) {
      const id = `check:${path}:${gate.name}`;
      const cwd = gate.workingDirectory ?? directoryOf(entry, kindOf);
      if (cwd !== undefined) add(`check ${gate.name} ${cwd}`, { id, kind: 'check', gate, cwd, ...common });
      else notes.push(`${path} no longer exists, so the check ${gate.name} is not run there.`);
    }
    for (const gate of named(config.reviews, entryPoint.reviews, wanted, 'review')) {
      const id = `review:${path}:${gate.name}`;
      add(id, { id, kind: 'review', gate, ...common });
    }
  }
  return { jobs: [...jobs.values()], notes };
}

function named<Gate extends CheckGate | ReviewGate>(
  gates: readonly Gate[],
  names: readonly string[],
  { mode, gate: only, ci }: JobSelection,
  kind: 'check' | 'review',
): readonly Gate[] {
  if (mode !== 'run' && mode !== kind) return [];
  return [...new Set(names)].flatMap((name) => {
    const gate = only === undefined || name === only ? gates.find((one) => one.name === name) : undefined;
    return gate !== undefined && (ci ? gate.runInCi : gate.runLocally) ? [gate] : [];
  });
}

/**
 * Where a check runs: in the entry point's directory, in that of its file, or at the root for a glob.
 * If the directory was deleted: in the nearest one above, or nowhere if it was one child of `packages/*`.
 */
function directoryOf(
  { entryPoint, scope, files }: ActiveEntry,
  kindOf: (path: string) => PathKind,
): string | undefined {
  const found = kindOf(scope.path);
  if (found === 'directory') return scope.path;
  if (scope.glob) return '.';
  const wasFile = found === 'file' || files.includes(scope.path);
  if (!wasFile && entryPoint.path !== scope.path) return undefined;
  let above = posix.dirname(scope.path);
  while (above !== '.' && kindOf(above) !== 'directory') above = posix.dirname(above);
  return above;
}

function kindOnDisk(path: string): PathKind {
  const isDirectory = attempt(() => statSync(path).isDirectory());
  return isDirectory === undefined ? 'missing' : isDirectory ? 'directory' : 'file';
}
