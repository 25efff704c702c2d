import type { Result } from '../../../core/failure';
import { succeed } from '../../../core/failure';
import type { CancelSignal } from '../../../exec/cancel-signal';
import { type Changes, type ChangesRequest, changedSince, findChanges } from '../../../git/changes';
import { readHeadCommit } from '../../../git/head';
import { askGit } from '../../../git/run-git';
import { ciOf } from '../detect/ci';
import type { Job } from '../detect/jobs';
import { findJobs } from '../detect/jobs';
import type { GateResult } from '../run-result';
import { cachedOn, readGateCache, treesOf } from './cache';
import { DETECTING, foundFiles, runningGates, UNCHANGED } from './messages';
import type { RunRequest, Selection } from './request';
import type { Scene, Stage } from './scene';
import { heldSince, warn } from './scene';

/** What has changed, and what is to be done about it. */
export interface Plan {
  readonly changes: Changes;
  /** All gates that the changes concern, in the order of the config. */
  readonly jobs: readonly Job[];
  /** Those that need no run, by id. */
  readonly cached: ReadonlyMap<string, GateResult>;
}

/** What of a run tells which changes and gates are meant. */
export interface Asked extends Pick<Stage, 'logDir'> {
  readonly request: Pick<RunRequest, 'root' | 'config' | 'env' | 'select'>;
  readonly signal?: CancelSignal;
}

export async function makePlan(stage: Stage, scene: Scene): Promise<Result<Plan, string>> {
  const { request, console } = stage;
  const { mode } = request;
  if (mode !== 'run') console.say({ kind: 'progress', text: DETECTING });
  const found = await findChanges(comparisonOf(stage, scene));
  if (!found.ok) return found;
  const changes = found.value;
  for (const text of changes.warnings) warn(stage, text);
  if (changes.files.length === 0) return succeed({ changes, jobs: [], cached: new Map() });
  if (mode !== 'run') console.say({ kind: 'progress', text: foundFiles(changes.files.length) });
  const { gate } = request.select;
  const { jobs, notes } = findJobs(request.config, changes.files, {
    mode,
    ci: ciOf(request.env).ci,
    root: request.root,
    ...(gate !== undefined && { gate }),
  });
  for (const text of notes) console.say({ kind: 'note', text });
  const cached = request.select.cache ? await findCached(stage, scene, changes, jobs) : new Map();
  const left = jobs.length - cached.size;
  if (mode !== 'run' && left > 0) console.say({ kind: 'progress', text: runningGates(left, mode) });
  return succeed({ changes, jobs, cached });
}

/** Which changes a run is about. */
export function comparisonOf(
  { request, logDir, signal }: Asked,
  scene: Pick<Scene, 'git' | 'base' | 'state'>,
): ChangesRequest {
  const { base: option, commit, uncommitted } = request.select;
  const { git, base, state } = scene;
  const { sha } = ciOf(request.env);
  const isNarrowed = option !== undefined || commit !== undefined || uncommitted === true;
  const since = isNarrowed ? undefined : heldSince(state, base, readHeadCommit(git, askGit));
  return {
    git,
    base,
    env: request.env,
    leaveOut: [logDir],
    signal,
    stats: request.config.debugLog.enabled,
    ...(commit !== undefined && { commit }),
    ...(uncommitted !== undefined && { uncommitted }),
    ...(sha !== undefined && { upTo: sha }),
    ...(since !== undefined && { heldSince: since }),
  };
}

/** The gates that need no run, by their ids: they have passed, and nothing that they look at has changed since. */
export async function findCached(
  { request, logDir, signal }: Asked,
  { git, base }: Pick<Scene, 'git' | 'base'>,
  changes: Changes,
  jobs: readonly Job[],
): Promise<ReadonlyMap<string, GateResult>> {
  const candidates = jobs.filter((job) => isReusable(job, request.select));
  const cache = readGateCache(logDir);
  const trees = treesOf(cache, candidates, base.commit);
  const since = await changedSince(git, changes, trees, request.env, signal);
  return new Map(
    candidates.flatMap((job) => {
      const cachedTree = cachedOn(cache, job, since, base.commit);
      if (cachedTree === undefined) return [];
      const common = { id: job.id, message: UNCHANGED, durationMs: 0 };
      return [[job.id, { ...common, status: 'cached' as const, cachedOn: cachedTree }] as const];
    }),
  );
}

/** A check looks at the files as they are; a review looks at a difference, which a selection makes another one. */
export function isReusable(job: Job, { base, commit, uncommitted }: Selection): boolean {
  return job.kind === 'check' || (base === undefined && commit === undefined && uncommitted !== true);
}
