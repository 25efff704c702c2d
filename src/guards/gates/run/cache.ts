import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../../core/iso-time';
import { isJsonObject, type Json } from '../../../core/json';
import { sha256Hex } from '../../../core/sha256';
import { discard, writeTemporary } from '../../../state/write-file';
import { isBelow, scopeTest } from '../detect/entry-points';
import type { Job } from '../detect/jobs';

/** Survives every cleaning: what has passed stays passed as long as nothing of it changes. */
export const CACHE_NAME = '.gate-cache.json';

/** A gate that has passed. */
export interface Pass {
  /** Tells its definition from another. */
  readonly definition: string;
  /** The work tree it has passed on. */
  readonly tree: string;
  readonly at: string;
}

/** Passes by the ids of their jobs. */
export type GateCache = Readonly<Record<string, Pass>>;

/** Jobs come and go with the directories they are for; the oldest are forgotten. */
const MOST_PASSES = 500;

/** The kept passes. A file that cannot be read holds none: then everything runs. */
export function readGateCache(logDir: string): GateCache {
  try {
    const kept: unknown = JSON.parse(readFileSync(join(logDir, CACHE_NAME), 'utf8'));
    const passes = isJsonObject(kept) && isJsonObject(kept['passes']) ? Object.entries(kept['passes']) : [];
    return Object.fromEntries(passes.flatMap(([id, pass]) => (isPass(pass) ? [[id, pass]] : [])));
  } catch {
    return {};
  }
}

/** The trees that have to be compared with the present one before `cachedOn` can tell. */
export function treesOf(cache: GateCache, jobs: readonly Job[], baseCommit?: string): readonly string[] {
  return [...new Set(jobs.flatMap((job) => passOf(cache, job, baseCommit)?.tree ?? []))];
}

/**
 * The tree on which a job has passed, if nothing that it looks at has changed since: neither its
 * definition nor any file of its scope. `since` has the changed files by tree.
 */
export function cachedOn(
  cache: GateCache,
  job: Job,
  since: ReadonlyMap<string, readonly string[]>,
  baseCommit?: string,
): string | undefined {
  const pass = passOf(cache, job, baseCommit);
  const changed = pass && since.get(pass.tree);
  if (pass === undefined || changed === undefined) return undefined;
  const looksAt = job.scopes.map(scopeTest);
  return changed.some((file) => looksAt.some((test) => test(file)) || isWhereItWorks(job, file))
    ? undefined
    : pass.tree;
}

/** Keeps what has passed on a tree and forgets what has not. Trouble with the file only costs time later. */
export function recordOutcomes(
  logDir: string,
  outcomes: readonly { readonly job: Job; readonly passed: boolean }[],
  tree: string,
  at: Date,
  baseCommit?: string,
): void {
  if (outcomes.length === 0) return;
  const passes = new Map(Object.entries(readGateCache(logDir)));
  let hasNews = false;
  for (const { job, passed } of outcomes) {
    const isKept = passed && job.gate.cache;
    hasNews = passes.delete(job.id) || isKept || hasNews;
    if (!isKept) continue;
    passes.set(job.id, { definition: definitionOf(job, baseCommit), tree, at: isoTime(at.getTime()) });
  }
  if (hasNews)
    write(logDir, { passes: Object.fromEntries([...passes].slice(-MOST_PASSES)) as unknown as Json });
}

function write(logDir: string, content: Json): void {
  const file = join(logDir, CACHE_NAME);
  let temporary: string | undefined;
  try {
    temporary = writeTemporary(file, `${JSON.stringify(content, null, 2)}\n`, false, 0o644);
    renameSync(temporary, file);
  } catch {
    if (temporary !== undefined) discard(temporary);
  }
}

function passOf(cache: GateCache, job: Job, baseCommit: string | undefined): Pass | undefined {
  const pass = job.gate.cache && Object.hasOwn(cache, job.id) ? cache[job.id] : undefined;
  return pass && pass.definition === definitionOf(job, baseCommit) ? pass : undefined;
}

/** A check that is told where to work may read all that lies there. */
function isWhereItWorks(job: Job, file: string): boolean {
  return job.kind === 'check' && job.gate.workingDirectory !== undefined && isBelow(job.cwd, file);
}

/** Asked several times in a run, and slow enough to be asked once. */
const definitions = new WeakMap<Job, { readonly base: string | undefined; readonly digest: string }>();

/** How long it may take and in which order it runs says nothing about its result. */
function definitionOf(job: Job, baseCommit: string | undefined): string {
  const known = definitions.get(job);
  if (known !== undefined && known.base === baseCommit) return known.digest;
  const digest = sha256Hex(JSON.stringify(definingParts(job, baseCommit)));
  definitions.set(job, { base: baseCommit, digest });
  return digest;
}

function definingParts(job: Job, baseCommit: string | undefined): readonly unknown[] {
  if (job.kind === 'review') {
    const { prompt, model, preference, numReviews } = job.gate;
    // What it looks at is a difference, and that has two ends.
    return ['review', prompt, model, preference, numReviews, baseCommit];
  }
  const { command } = job.gate;
  const namesBase = command.includes('BASE_BRANCH') && /\$\{?BASE_BRANCH\b/.test(command);
  const base = namesBase ? baseCommit : undefined;
  return ['check', command, job.cwd, base];
}

function isPass(value: unknown): value is Pass {
  return isJsonObject(value) && ['definition', 'tree', 'at'].every((key) => typeof value[key] === 'string');
}
