import { join } from 'node:path';
import { isJsonObject, jsonObjectIn } from '../../../core/json';
import { digest, sha256Hex } from '../../../core/text';
import { attempt, readText } from '../../../exec/attempt';
import { isBelow, type Job, scopeTest } from '../detect';
import { replaceFile } from './logs';

/** Not a log, so cleaning leaves it: a pass stays valid as long as nothing that the gate looks at changes. */
export const CACHE_NAME = '.gate-cache.json';

type Pass = Readonly<Record<'definition' | 'tree' | 'at', string>>;
type GateCache = Readonly<Record<string, Pass>>;

/** Jobs come and go with the directories they are for; the oldest are forgotten. */
const MOST_PASSES = 500;

/** The kept passes. A file that cannot be read, or that is not as we wrote it, holds none: then everything runs. */
export function readGateCache(logDir: string, seal?: string): GateCache {
  const text = readText(join(logDir, CACHE_NAME)) ?? '';
  if (seal !== undefined && sealOf(text) !== seal) return {};
  const { passes } = jsonObjectIn(text) ?? {};
  const entries = Object.entries<unknown>(isJsonObject(passes) ? passes : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, Pass] => isPass(entry[1])));
}

/** What the record of the runs keeps of the file, to know it again. */
export function sealOf(text: string): string {
  return `${text.length} ${digest(text)}`;
}

function isPass(value: unknown): value is Pass {
  return isJsonObject(value) && ['definition', 'tree', 'at'].every((key) => typeof value[key] === 'string');
}

/** The trees that have to be compared with the present one before `needsNoRun` can tell. */
export function treesOf(cache: GateCache, jobs: readonly Job[], baseCommit?: string): readonly string[] {
  return [...new Set(jobs.flatMap((job) => passOf(cache, job, baseCommit)?.tree ?? []))];
}

/** Whether a job has passed, and neither its definition nor any file of its scope has changed since. */
export function needsNoRun(
  cache: GateCache,
  job: Job,
  since: ReadonlyMap<string, readonly string[]>,
  baseCommit?: string,
): boolean {
  const changed = since.get(passOf(cache, job, baseCommit)?.tree ?? '');
  if (changed === undefined) return false;
  const inScope = job.scopes.map(scopeTest);
  // A check that is told where to work may read all that lies there.
  const worksIn = job.kind === 'check' && job.gate.workingDirectory !== undefined ? job.cwd : undefined;
  if (worksIn !== undefined) inScope.push((file) => isBelow(worksIn, file));
  return !changed.some((file) => inScope.some((test) => test(file)));
}

/**
 * Keeps what has passed on a tree and forgets what has not; returns the new text, if there is one. Trouble with the file
 * only costs time later.
 */
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
  // Where this fails, the gates run again next time.
  return attempt(() => replaceFile(join(logDir, CACHE_NAME), { passes: newest }, false));
}

function passOf(cache: GateCache, job: Job, baseCommit: string | undefined): Pass | undefined {
  const pass = job.gate.cache && Object.hasOwn(cache, job.id) ? cache[job.id] : undefined;
  return pass && pass.definition === definitionOf(job, baseCommit) ? pass : undefined;
}

/** Timeouts and the order of gates are no part of it: they do not change the result. */
function definitionOf(job: Job, baseCommit: string | undefined): string {
  if (job.kind === 'review') {
    const { prompt, model, preference, numReviews } = job.gate;
    // A review looks at a diff, which begins at the base.
    return sha256Hex(JSON.stringify(['review', prompt, model, preference, numReviews, baseCommit]));
  }
  const { command } = job.gate;
  const base = /\$\{?BASE_BRANCH\b/.test(command) ? baseCommit : undefined;
  return JSON.stringify(['check', command, job.cwd, base]);
}
