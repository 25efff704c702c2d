import { detailOf, fail, type Result, succeed } from '../../../core/failure';
import type { GitHead } from '../../../core/git-head';
import type { CancelSignal } from '../../../exec/cancel-signal';
import { type Base, resolveBase } from '../../../git/base';
import {
  type Changes,
  type ChangesRequest,
  changedSince,
  findChanges,
  hasBeenMerged,
} from '../../../git/changes';
import { findGit } from '../../../git/find-git';
import { readHead, readHeadCommit } from '../../../git/head';
import { askGit } from '../../../git/run-git';
import type { GatesConfig } from '../config';
import { ciOf, findJobs, type Job } from '../detect';
import type { ExecutionState, GateResult } from '../run-result';
import { cachedOn, readGateCache, readState, removeLegacyRef, treesOf } from './cache';
import {
  autoClean,
  type CleanReason,
  type ConsoleLog,
  contextChange,
  type DebugLog,
  type Where,
} from './logs';
import {
  DETECTING,
  foundFiles,
  gateBroke,
  INTERRUPTED,
  NO_GIT,
  runningGates,
  stoppedByFailFast,
  TIME_IS_OVER,
  UNCHANGED,
} from './messages';
import type { Env, Reporter, RunRequest, Selection } from './run';

/** One run while it has the lease: what it was asked, where it speaks. */
export interface Stage {
  readonly request: RunRequest;
  readonly logDir: string;
  readonly console: ConsoleLog;
  readonly debug: DebugLog;
  /** Aborted when a signal ends us. */
  readonly signal: CancelSignal;
  /** Said to whoever asked, beside the console. */
  readonly warnings: string[];
}

/** What it finds before anything is compared. */
export interface Scene {
  readonly git: GitHead;
  /** `HEAD` where no branch is checked out, as git itself has it. */
  readonly branch: string;
  /** Empty while there is none. */
  readonly commit: string;
  readonly base: Base;
  /** The base of the config, whatever this run is compared with: by it sessions are told to be over. */
  readonly ground: Base;
  /** Of the session that goes on; absent when this one is the first, or the last one is over. */
  readonly state?: ExecutionState;
}

export function warn({ console, warnings }: Stage, text: string): void {
  warnings.push(text);
  console.say({ kind: 'warning', text });
}

/**
 * Where the comparisons of an open session begin, if not at today's base: where the base has come up to what is
 * checked out, it would hide the very work that was held. A base that only moved on beside it hides nothing.
 */
export function heldSince(
  state: ExecutionState | undefined,
  base: Base,
  head: string | undefined,
): string | undefined {
  return isOpen(state) && base.commit === head ? state?.base_commit : undefined;
}

/** Whether the last run of this session left something open. */
export function isOpen(state: ExecutionState | undefined): boolean {
  const { last_status: status, run } = state ?? {};
  if (status === undefined) return (run ?? 0) > 0;
  return ['failed', 'retry_limit_exceeded', 'infrastructure_error'].includes(status);
}

/** What a gate may look at while it runs. */
export interface GateContext {
  /** The project's root, absolute. */
  readonly root: string;
  readonly config: GatesConfig;
  readonly env: Env;
  readonly logDir: string;
  /** The number in the names of this run's files. */
  readonly run: number;
  /** The absolute path of a gate's log in this run; `slot` is a reviewer's, such as `claude@1`. */
  logFile(id: string, slot?: string): string;
  /** Whether logs of this session were there already, so that earlier findings are to be verified. */
  readonly rerun: boolean;
  readonly changes: Changes;
  readonly base: Base;
  /** The tree that the session's last run saw. */
  readonly previousTree?: string;
  readonly select: Selection;
  readonly report: Reporter;
  /** Aborted when the run is to end at once. */
  readonly signal: CancelSignal;
  /** Milliseconds since the epoch; infinite where there is none. */
  readonly deadline: number;
}

/** Finds out where we are, and puts away what an earlier session left about something else. */
export async function lookAround(stage: Stage): Promise<Result<Scene, string>> {
  const { request, logDir } = stage;
  const standing = findStanding(request);
  if (!standing.ok) return standing;
  const { git, base, ground, branch } = standing.value;
  if (base.warning !== undefined) warn(stage, base.warning);
  const commit = readHeadCommit(git, askGit) ?? '';
  const state = await stateOfSession(stage, {
    branch,
    base: ground,
    hasBeenMerged: (one, before, after) => hasBeenMerged(git, one, before, after, request.env),
  });
  removeLegacyRef(logDir);
  return succeed({ git, branch, commit, base, ground, ...(state !== undefined && { state }) });
}

/** Where we are, and what our changes are counted from. */
export function findStanding({
  root,
  config,
  env,
  select,
}: Pick<RunRequest, 'root' | 'config' | 'env' | 'select'>): Result<
  Pick<Scene, 'git' | 'base' | 'ground' | 'branch'>,
  string
> {
  const place = findGit(root);
  if (place === undefined) return fail(NO_GIT);
  const git = readHead(place, askGit);
  if (git.position.kind === 'unreadable') return fail(`${git.position.file}: ${git.position.why}`);
  const { baseRef } = ciOf(env);
  const usual = { configured: config.baseBranch, ...(baseRef !== undefined && { ci: baseRef }) };
  const ground = resolveBase(git, usual, askGit);
  const { base: option } = select;
  const base = option === undefined ? ground : resolveBase(git, { ...usual, option }, askGit);
  if (!ground.ok) return ground;
  if (!base.ok) return base;
  return succeed({ git, base: base.value, ground: ground.value, branch: branchOf(git) });
}

async function stateOfSession(stage: Stage, where: Where): Promise<ExecutionState | undefined> {
  const state = readState(stage.logDir);
  if (state === undefined) return undefined;
  const reason = await contextChange(state, where);
  if (reason === undefined) return state;
  cleanUp(stage, reason);
  return reason.kind === 'session over' ? state : undefined;
}

/** Puts a session away, and says so where anything was done. */
export function cleanUp({ logDir, console, debug }: Stage, reason: CleanReason): void {
  const said = autoClean(logDir, reason);
  if (said === undefined) return;
  console.say({ kind: 'note', text: said });
  debug(`CLEAN type=auto reason=${reason.kind}`);
}

function branchOf({ position }: GitHead): string {
  return position.kind === 'branch' || position.kind === 'rebase' ? position.branch : 'HEAD';
}

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

/** How jobs are let go. */
export interface Schedule {
  readonly allowParallel: boolean;
  readonly deadline: number;
  readonly signal: CancelSignal;
  /** Looks whether a job can run at all, before any does. */
  preflight(job: Job): GateResult | undefined;
  start(job: Job): Promise<GateResult>;
  /** Told of every job that was started or refused, not of those that are left out. */
  finished(result: GateResult): void;
}

/**
 * Runs all jobs and gives a result for each, in their order. Those that may run in parallel share a bounded
 * number of places, while the others follow each other beside them. When one with `fail_fast` does not
 * pass, nothing further is started; what was running comes to its end.
 */
export async function runJobs(jobs: readonly Job[], schedule: Schedule): Promise<readonly GateResult[]> {
  const run = new JobRun(schedule);
  const ready = jobs.filter((job) => run.passesPreflight(job));
  const parallel = ready.filter((job) => schedule.allowParallel && job.gate.parallel);
  const sequential = ready.filter((job) => !parallel.includes(job));
  const places = parallel.length < 2 ? 1 : Math.max(2, processors()) - (sequential.length > 0 ? 1 : 0);
  const queue = [...parallel];
  const lanes = [run.lane([...sequential])];
  for (let place = 0; place < Math.min(places, parallel.length); place++) lanes.push(run.lane(queue));
  await Promise.all(lanes);
  return jobs.map((job) => run.resultOf(job));
}

/** Asked only where it matters: the module takes long to load, and the oldest Node has no way to load it late. */
function processors(): number {
  return process.getBuiltinModule?.('node:os').availableParallelism() ?? 4;
}

class JobRun {
  readonly #schedule: Schedule;
  readonly #results = new Map<string, GateResult>();
  #halt: string | undefined;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  passesPreflight(job: Job): boolean {
    if (this.#halt !== undefined) return false;
    const refused = this.#schedule.preflight(job);
    if (refused !== undefined) this.#take(job, refused);
    return refused === undefined;
  }

  /** Takes jobs from a queue, which other lanes may share, until it is empty or nothing may start any more. */
  async lane(queue: Job[]): Promise<void> {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      if (this.#reasonNotToStart() !== undefined) return;
      this.#take(job, await this.#start(job));
    }
  }

  resultOf(job: Job): GateResult {
    const message = this.#reasonNotToStart() ?? TIME_IS_OVER;
    return this.#results.get(job.id) ?? { id: job.id, status: 'skipped', message, durationMs: 0 };
  }

  async #start(job: Job): Promise<GateResult> {
    try {
      return await this.#schedule.start(job);
    } catch (error) {
      return { id: job.id, status: 'error', message: gateBroke(detailOf(error)), durationMs: 0 };
    }
  }

  #take(job: Job, result: GateResult): void {
    this.#results.set(job.id, result);
    this.#schedule.finished(result);
    const failFast = job.kind === 'check' && job.gate.failFast;
    if (failFast && result.status !== 'pass') this.#halt ??= stoppedByFailFast(job.id);
  }

  #reasonNotToStart(): string | undefined {
    if (this.#halt !== undefined) return this.#halt;
    if (this.#schedule.signal.aborted) return INTERRUPTED;
    return Date.now() >= this.#schedule.deadline ? TIME_IS_OVER : undefined;
  }
}
