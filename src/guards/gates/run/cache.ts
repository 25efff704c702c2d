import { join } from 'node:path';
import { attempt, readText } from '../../../core/failure';
import { isJsonObject, jsonObjectIn } from '../../../core/json';
import { digest, sha256Hex } from '../../../core/text';
import { isBelow, type Job, scopeTest } from '../detect';
import { replaceFile } from './logs';

/** Not a log, so cleaning keeps it: a pass stays valid until something that the gate looks at changes. */
export const CACHE_NAME = '.gate-cache.json';

type Pass = Readonly<Record<'definition' | 'tree' | 'at', string>>;
type GateCache = Readonly<Record<string, Pass>>;

/** Jobs come and go with their directories, so the oldest are dropped. */
const MOST_PASSES = 500;

/** The recorded passes. None if the file is unreadable or not as we wrote it: then everything runs. */
export function readGateCache(logDir: string, seal?: string): GateCache {
  const text = readText(join(logDir, CACHE_NAME)) ?? '';
  if (seal !== undefined && sealOf(text) !== seal) return {};
  const { passes } = jsonObjectIn(text) ?? {};
  const entries = Object.entries<unknown>(isJsonObject(passes) ? passes : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, Pass] => isPass(entry[1])));
}

/** Kept in the run record, to detect that somebody else has changed the cache file. */
export function sealOf(text: string): string {
  return `${text.length} ${digest(text)}`;
}

function isPass(value: unknown): value is Pass {
  return isJsonObject(value) && ['definition', 'tree', 'at'].every((key) => typeof value[key] === 'string');
}

/** The trees to compare with the current one for `needsNoRun`. */
export function treesOf(cache: GateCache, jobs: readonly Job[], baseCommit?: string): readonly string[] {
  return [...new Set(jobs.flatMap((job) => passOf(cache, job, baseCommit)?.tree ?? []))];
}

/** Whether a job passed, and neither its definition nor any file in its scope has changed since. */
export function needsNoRun(
  cache: GateCache,
  job: Job,
  since: ReadonlyMap<string, readonly string[]>,
  baseCommit?: string,
): boolean {
  const changed = since.get(passOf(cache, job, baseCommit)?.tree ?? '');
  if (changed === undefined) return false;
  const inScope = job.scopes.map(scopeTest);
  // A check with a `working_directory` may read everything in there.
  const worksIn = job.kind === 'check' && job.gate.workingDirectory !== undefined ? job.cwd : undefined;
  if (worksIn !== undefined) inScope.push((file) => isBelow(worksIn, file));
  return !changed.some((file) => inScope.some((test) => test(file)));
}

/** Adds the jobs that passed on a tree and removes those that did not. Returns the new text, if any. */
export function recordOutcomes(
  logDir: string,
  outcomes: readonly { readonly job: Job; readonly passed: boolean }[],
  tree: string,
  at: Date,
  baseCommit?: string,
  seal?: string,
): string | undefined {
  const passes = new Map(Object.entries(readGateCache(logDir, seal)));
  let hasNews = false;
  for (const { job, passed } of outcomes) {
    const isKept = passed && job.gate.cache;
    hasNews = passes.delete(job.id) || isKept || hasNews;
    if (!isKept) continue;
    passes.set(job.id, { definition: definitionOf(job, baseCommit), tree, at: at.toISOString() });
  }
  if (!hasNews) return undefined;
  const newest = Object.fromEntries([...passes].slice(-MOST_PASSES));
  // If this fails, the gates run again next time.
  return attempt(() => replaceFile(join(logDir, CACHE_NAME), { passes: newest }, false));
}

function passOf(cache: GateCache, job: Job, baseCommit: string | undefined): Pass | undefined {
  const pass = job.gate.cache && Object.hasOwn(cache, job.id) ? cache[job.id] : undefined;
  return pass && pass.definition === definitionOf(job, baseCommit) ? pass : undefined;
}

/** Identifies what a result depends on. Timeouts and the order of gates do not change a result. */
function definitionOf(job: Job, baseCommit: string | undefined): string {
  if (job.kind === 'review') {
    const { prompt, model, preference, numReviews } = job.gate;
    // A review depends on the diff, which begins at the base.
    return sha256Hex(JSON.stringify(['review', prompt, model, preference, numReviews, baseCommit]));
  }
  const { command } = job.gate;
  const base = /\$\{?BASE_BRANCH\b/.test(command) ? baseCommit : undefined;
  return JSON.stringify(['check', command, job.cwd, base]);
}
