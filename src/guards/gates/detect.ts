import { statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { globMatcher, isGlob } from '../../core/glob';
import type { CheckGate, EntryPoint, GatesConfig, ReviewGate } from './config';

/** The part of the project that an active entry point stands for. */
export type Scope = {
  /** Relative to the root, which is `.` itself. */
  readonly path: string;
  /** Whether the path is a pattern; names of directories may look like one. */
  readonly glob: boolean;
  readonly exclude: readonly string[];
};

/** An entry point that changes have reached. */
export interface ActiveEntry {
  readonly entryPoint: EntryPoint;
  readonly scope: Scope;
  /** The changed files in its scope. */
  readonly files: readonly string[];
}

/** The entry points that changed files reach. One that means every child of a directory is several. */
export function activeEntries(
  entryPoints: readonly EntryPoint[],
  changed: readonly string[],
): readonly ActiveEntry[] {
  return entryPoints.flatMap((entryPoint) =>
    scopesOf(entryPoint, changed).flatMap((scope) => {
      const isIn = scopeTest(scope);
      const files = changed.filter(isIn);
      return files.length === 0 ? [] : [{ entryPoint, scope, files }];
    }),
  );
}

/** Tells of a file whether it lies in a scope. */
export function scopeTest(scope: Scope): (file: string) => boolean {
  const isUnder = scope.glob ? reachedBy(scope.path) : (file: string) => isBelow(scope.path, file);
  const isExcluded = exclusionTest(scope.exclude);
  return (file) => isUnder(file) && !isExcluded(file);
}

/** Whether a file is a path or lies in it. */
export function isBelow(path: string, file: string): boolean {
  return path === '.' || file === path || file.startsWith(`${path}/`);
}

/** A pattern without signs names a file or a directory with all that is in it. */
function exclusionTest(patterns: readonly string[]): (file: string) => boolean {
  const tests = patterns.map((pattern) => {
    const matches = isGlob(pattern) ? globMatcher(pattern) : () => false;
    return (file: string) => isBelow(pattern, file) || matches(file);
  });
  return (file) => tests.some((test) => test(file));
}

/** A pattern may name files, or directories and so all that is in them. */
function reachedBy(pattern: string): (file: string) => boolean {
  const matches = globMatcher(pattern);
  return (file) => {
    if (isBelow(pattern, file) || matches(file)) return true;
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      if (matches(file.slice(0, end))) return true;
    }
    return false;
  };
}

function scopesOf({ path, exclude }: EntryPoint, changed: readonly string[]): readonly Scope[] {
  const children = childrenOf(path);
  if (children === undefined) return [{ path, glob: isGlob(path), exclude }];
  const isExcluded = exclusionTest(exclude);
  const names = changed.filter((file) => !isExcluded(file)).flatMap((file) => children(file) ?? []);
  return [...new Set(names)].map((child) => ({ path: child, glob: false, exclude }));
}

/**
 * For a pattern that ends with a star and whose directory is a plain one: tells of a file which child
 * of that directory it is or lies in, if the pattern means it.
 */
function childrenOf(path: string): ((file: string) => string | undefined) | undefined {
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

/** What the environment says of a build server that we run on. */
export interface Ci {
  readonly ci: boolean;
  /** The branch that a pull request wants to go to, without its remote. */
  readonly baseRef?: string;
  /** The commit that is built. */
  readonly sha?: string;
}

/** Outside a build server the variables of one mean nothing. */
export function ciOf(env: Readonly<Record<string, string | undefined>>): Ci {
  const said = env['CI']?.toLowerCase();
  const ci = said === 'true' || said === '1' || env['GITHUB_ACTIONS'] === 'true';
  if (!ci) return { ci };
  const { GITHUB_BASE_REF: baseRef, GITHUB_SHA: sha } = env;
  return { ci, ...(baseRef && { baseRef }), ...(sha && { sha }) };
}

/** A gate at an entry point that changes have reached. */
export type Job = CheckJob | ReviewJob;

interface CommonJob {
  /** `check:<entry point>:<name>` or `review:<entry point>:<name>`. */
  readonly id: string;
  /** One child where the config means all children of a directory. */
  readonly entryPoint: string;
  /** Several where entry points lead to the same job. */
  readonly scopes: readonly Scope[];
  /** The changed files that it is about. */
  readonly files: readonly string[];
}

export interface CheckJob extends CommonJob {
  readonly kind: 'check';
  readonly gate: CheckGate;
  /** Relative to the root, unless the config has an absolute one. */
  readonly cwd: string;
}

export interface ReviewJob extends CommonJob {
  readonly kind: 'review';
  readonly gate: ReviewGate;
}

/** Which gates are wanted of those that apply. */
export interface Wanted {
  readonly root: string;
  readonly mode: 'run' | 'check' | 'review';
  readonly gate?: string;
  readonly ci: boolean;
}

export interface FoundJobs {
  readonly jobs: readonly Job[];
  /** What had to be left out, in words for people. */
  readonly notes: readonly string[];
}

/** All names that a gate may be asked for by. */
export function gateNames({ checks, reviews }: GatesConfig): readonly string[] {
  return [...new Set([...checks, ...reviews].map(({ name }) => name))];
}

export type PathKind = 'directory' | 'file' | 'missing';

/** The jobs for changed files, in the order of the config. The same work is done once. */
export function findJobs(
  config: GatesConfig,
  changed: readonly string[],
  wanted: Wanted,
  kindOf = (path: string): PathKind => kindOnDisk(join(wanted.root, path)),
): FoundJobs {
  const jobs = new Map<string, Job>();
  const notes: string[] = [];
  const add = (key: string, job: Job): void => {
    const same = jobs.get(key);
    jobs.set(key, same === undefined ? job : joined(same, job));
  };
  for (const entry of activeEntries(config.entryPoints, changed)) {
    for (const gate of named(config.checks, entry.entryPoint.checks, wanted, 'check')) {
      const { name } = gate;
      const { path } = entry.scope;
      const cwd = gate.workingDirectory ?? directoryOf(entry, kindOf);
      if (cwd !== undefined) {
        add(`check ${name} ${cwd}`, { kind: 'check', gate, cwd, ...common('check', entry, name) });
      } else notes.push(`${path} does not exist any more, so the check ${name} is not run there.`);
    }
    for (const gate of named(config.reviews, entry.entryPoint.reviews, wanted, 'review')) {
      const job: Job = { kind: 'review', gate, ...common('review', entry, gate.name) };
      add(job.id, job);
    }
  }
  return { jobs: [...jobs.values()], notes };
}

function named<Gate extends CheckGate | ReviewGate>(
  gates: readonly Gate[],
  names: readonly string[],
  wanted: Wanted,
  kind: 'check' | 'review',
): readonly Gate[] {
  if (wanted.mode !== 'run' && wanted.mode !== kind) return [];
  const runs = (gate: Gate): boolean => (wanted.ci ? gate.runInCi : gate.runLocally);
  const isWanted = (name: string): boolean => wanted.gate === undefined || name === wanted.gate;
  return [...new Set(names)].filter(isWanted).flatMap((name) => {
    const gate = gates.find((one) => one.name === name);
    return gate !== undefined && runs(gate) ? [gate] : [];
  });
}

function common(kind: Job['kind'], { scope, files }: ActiveEntry, name: string): CommonJob {
  return { id: `${kind}:${scope.path}:${name}`, entryPoint: scope.path, scopes: [scope], files };
}

function joined(first: Job, second: Job): Job {
  const files = [...new Set([...first.files, ...second.files])];
  return { ...first, scopes: [...first.scopes, ...second.scopes], files };
}

/**
 * Where a check of an entry point runs: in its directory, beside its file, and for a pattern at the
 * root. Nowhere if the directory was deleted.
 */
function directoryOf({ scope, files }: ActiveEntry, kindOf: (path: string) => PathKind): string | undefined {
  const found = kindOf(scope.path);
  if (found === 'directory') return scope.path;
  if (scope.glob) return '.';
  const parent = posix.dirname(scope.path);
  const wasFile = found === 'file' || files.includes(scope.path);
  return wasFile && kindOf(parent) === 'directory' ? parent : undefined;
}

function kindOnDisk(path: string): PathKind {
  try {
    return statSync(path).isDirectory() ? 'directory' : 'file';
  } catch {
    return 'missing';
  }
}
