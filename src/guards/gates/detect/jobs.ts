import { statSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { CheckGate, GatesConfig, ReviewGate } from '../config';
import { type ActiveEntry, activeEntries, type Scope } from './entry-points';
import { nothingLeft } from './messages';

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
  readonly mode: 'run' | 'check' | 'review';
  readonly gate?: string;
  readonly ci: boolean;
}

export interface FoundJobs {
  readonly jobs: readonly Job[];
  /** What had to be left out, in words for people. */
  readonly notes: readonly string[];
}

export type PathKind = 'directory' | 'file' | 'missing';

/** The jobs for changed files, looking at the disk only to find where checks shall run. */
export function findJobs(
  config: GatesConfig,
  changed: readonly string[],
  { root, ...wanted }: Wanted & { readonly root: string },
): FoundJobs {
  return jobsFor(config, changed, wanted, (path) => kindOf(join(root, path)));
}

/** All names that a gate may be asked for by. */
export function gateNames({ checks, reviews }: GatesConfig): readonly string[] {
  return [...new Set([...checks, ...reviews].map(({ name }) => name))];
}

/** The jobs for changed files, in the order of the config. The same work is done once. */
export function jobsFor(
  config: GatesConfig,
  changed: readonly string[],
  wanted: Wanted,
  kind: (path: string) => PathKind,
): FoundJobs {
  const jobs = new Map<string, Job>();
  const notes: string[] = [];
  const add = (key: string, job: Job): void => {
    const same = jobs.get(key);
    jobs.set(key, same === undefined ? job : joined(same, job));
  };
  for (const entry of activeEntries(config.entryPoints, changed)) {
    for (const gate of named(config.checks, entry.entryPoint.checks, wanted, 'check')) {
      const cwd = gate.workingDirectory ?? directoryOf(entry, kind);
      if (cwd === undefined) notes.push(nothingLeft(entry.scope.path, gate.name));
      else
        add(`check ${gate.name} ${cwd}`, { kind: 'check', gate, cwd, ...common('check', entry, gate.name) });
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
function directoryOf({ scope, files }: ActiveEntry, kind: (path: string) => PathKind): string | undefined {
  const found = kind(scope.path);
  if (found === 'directory') return scope.path;
  if (scope.glob) return '.';
  const parent = posix.dirname(scope.path);
  const wasFile = found === 'file' || files.includes(scope.path);
  return wasFile && kind(parent) === 'directory' ? parent : undefined;
}

function kindOf(path: string): PathKind {
  try {
    return statSync(path).isDirectory() ? 'directory' : 'file';
  } catch {
    return 'missing';
  }
}
