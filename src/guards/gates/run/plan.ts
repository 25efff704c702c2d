import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fail, type Result, succeed } from '../../../core/failure';
import { withoutUndefined } from '../../../core/json';
import { type Base, resolveBase } from '../../../git/base';
import { type Changes, type ChangesRequest, changedSince, findChanges } from '../../../git/changes';
import { findGit, type GitHead, readHead, readHeadCommit } from '../../../git/head';
import { isInHistory } from '../../../git/refs';
import { askGit } from '../../../git/run-git';
import { detectCi, findJobs, type Job } from '../detect';
import { isPass } from '../report';
import type { ReviewerHealth } from '../review/reviewers';
import type { GateResult } from '../run-result';
import { needsNoRun, readGateCache, treesOf } from './cache';
import { archiveLogs, type ConsoleLog, type DebugLog, removeLegacyRef, STATE_NAME } from './logs';
import { foundFiles } from './messages';
import type { Reporter, RunRequest, Selection } from './run';
import { type RunRecord, readRunRecord, runRecordFile, trustedState } from './run-record';
import { type ExecutionState, isOpen } from './state';

export interface Run extends RunRequest {
  readonly logDir: string;
  readonly console: ConsoleLog;
  readonly debug: DebugLog;
  /** Our own record of runs here: its file, and its content before this run. */
  readonly record: string | undefined;
  readonly kept: RunRecord;
  /** Aborted when a signal ends us, or nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** Infinite if there is none. */
  readonly deadline: number;
  /** Another process has just run the gates for the same stop, which uses up one retry. */
  readonly repeats: boolean;
}

/** Where a run takes place: the repository, what changes are counted from, and the session. */
export interface RunContext {
  readonly git: GitHead;
  /** `HEAD` if no branch is checked out, as in git itself. */
  readonly branch: string;
  /** Empty if there is none yet. */
  readonly commit: string;
  readonly base: Base;
  /** The base from the config, even if this run uses another: it decides whether a session is over. */
  readonly configuredBase: Base;
  /** Absent if this is the first run, or the last one was on another branch or has been merged. */
  readonly state?: ExecutionState;
}

export interface PlannedRun extends Run, RunContext {
  readonly changes: Changes;
  /** When the project's files were read, in milliseconds since the epoch. */
  readonly seenAt: number;
  /** All gates that apply to the changes, in the order of the config. */
  readonly jobs: readonly Job[];
  /** Those that need no run, by id. */
  readonly cached: ReadonlyMap<string, GateResult>;
}

export interface GateContext extends PlannedRun {
  /** The number in the names of this run's files. */
  readonly number: number;
  /** Whether this session has logs already, so that earlier findings must be verified. */
  readonly rerun: boolean;
  readonly report: Reporter;
  /** Shared by all reviews of the run, so that no reviewer is probed twice. */
  readonly health: ReviewerHealth;
  /** The absolute path of a gate's log in this run; `slot` is a reviewer's, such as `claude@1`. */
  logFile(id: string, slot?: string): string;
}

export function warn({ console }: Pick<Run, 'console'>, text: string): void {
  console.say({ kind: 'warning', text });
}

/**
 * The commit that an open session compares with, if not the current base: a base that has caught up with HEAD
 * would hide the very work that was held. A base that moved elsewhere hides nothing.
 */
function openSessionBase(
  state: ExecutionState | undefined,
  base: Base,
  head: string | undefined,
): string | undefined {
  return isOpen(state) && base.commit === head ? state?.base_commit : undefined;
}

/** Why an earlier session is archived: `kind` for the debug log, `text` for people. */
interface CleanReason {
  readonly kind: string;
  readonly text: string;
}

const SESSION_OVER: CleanReason = { kind: 'session over', text: '' };

export const NEW_TURN: CleanReason = {
  kind: 'new turn',
  text: 'retry limit reached in an earlier turn, and the work has changed since',
};

export const NOTHING_LEFT: CleanReason = { kind: 'nothing left', text: 'the failed gates no longer exist' };

/** Finds the repository, base and state, and archives an earlier session that is over. */
function detectRunContext(run: Run): Result<RunContext, string> {
  const located = findRepositoryAndBase(run);
  if (!located.ok) return located;
  const { warning } = located.value.base;
  if (warning !== undefined) warn(run, warning);
  const commit = readHeadCommit(located.value.git, askGit) ?? '';
  const state = trustedState(run.logDir, run.kept, run.session?.at);
  const reason = state && contextChange(state, located.value);
  const keepsState = reason === undefined || cleanUp(run, reason);
  removeLegacyRef(run.logDir);
  return succeed({ ...located.value, commit, ...(state && keepsState && { state }) });
}

/** Why the existing logs are not about what would be checked now; `undefined` if they are. */
function contextChange(
  state: ExecutionState,
  { git, branch, configuredBase: base }: RepositoryAndBase,
): CleanReason | undefined {
  const { branch: earlier, commit, base_commit: before, last_status: status } = state;
  if (earlier !== undefined && earlier !== branch) {
    return { kind: 'branch changed', text: `branch changed (${earlier} → ${branch})` };
  }
  const mayBeMerged = commit && base.commit && base.commit !== before && state.commit_in_base !== true;
  const isIn = (of: string): boolean => isInHistory(git.root, commit ?? '', [of], askGit);
  if (mayBeMerged && isIn(base.commit) && (before === undefined || !isIn(before))) {
    const text = `commit merged (${commit.slice(0, 12)} is in ${base.ref} now)`;
    return { kind: 'commit merged', text };
  }
  return status !== undefined && isPass(status) ? SESSION_OVER : undefined;
}

/** Archives an earlier session. Keeps its state after a pass, for the interval; returns whether it did. */
export function cleanUp({ logDir, console, debug }: Run, reason: CleanReason): boolean {
  const hadLogs = archiveLogs(logDir).length > 0;
  const keepsState = reason === SESSION_OVER;
  if (!keepsState) rmSync(join(logDir, STATE_NAME), { force: true });
  const what = hadLogs
    ? 'the logs of the earlier session are in previous/'
    : 'the state of the earlier session was dropped';
  const said = keepsState ? 'archived the logs of the last session' : `${reason.text}; ${what}`;
  if (hadLogs || !keepsState) {
    console.say({ kind: 'note', text: `Auto-clean: ${said}.` });
    debug(`CLEAN type=auto reason=${reason.kind}`);
  }
  return keepsState;
}

type RepositoryAndBase = Pick<RunContext, 'git' | 'base' | 'configuredBase' | 'branch'>;

const NO_REPOSITORY = 'this is not a git repository, so changes cannot be detected; run `git init` first';

export function findRepositoryAndBase({
  root,
  config,
  env,
  select,
}: PlanInput['request']): Result<RepositoryAndBase, string> {
  const place = findGit(root);
  if (place === undefined) return fail(NO_REPOSITORY);
  const git = readHead(place, askGit);
  const { position } = git;
  if (position.kind === 'unreadable') return fail(`${position.file}: ${position.why}`);
  const { baseRef } = detectCi(env);
  const usual = { configured: config.baseBranch, ...(baseRef !== undefined && { ci: baseRef }) };
  const configured = resolveBase(git, usual, askGit);
  if (!configured.ok) return configured;
  const { base: option } = select;
  const base = option === undefined ? configured : resolveBase(git, { ...usual, option }, askGit);
  if (!base.ok) return base;
  const branch = position.kind === 'detached' ? 'HEAD' : position.branch;
  return succeed({ git, base: base.value, configuredBase: configured.value, branch });
}

export async function planRun(run: Run): Promise<Result<PlannedRun, string>> {
  const located = detectRunContext(run);
  if (!located.ok) return located;
  const context = located.value;
  const { mode, console, logDir, gone, kept } = run;
  const progress = (text: string): void => {
    if (mode !== 'run') console.say({ kind: 'progress', text });
  };
  progress('Detecting changes...');
  // Rounded up: our log directory may be from this millisecond, and git reads no file before the next one.
  const seenAt = Date.now() + 1;
  const found = await findWork({ request: run, logDir, signal: gone, kept }, context);
  if (!found.ok) return found;
  const { changes, jobs, notes, cached } = found.value;
  for (const text of changes.warnings) warn(run, text);
  if (changes.files.length > 0) progress(foundFiles(changes.files.length));
  for (const text of notes) console.say({ kind: 'note', text });
  const left = jobs.length - cached.size;
  if (left > 0) progress(`Running ${left} ${mode}(s)...`);
  return succeed({ ...run, ...context, changes, seenAt, jobs, cached });
}

/** What has changed, and the gates for that: `cached` has those that need no run. */
export async function findWork(input: PlanInput, context: Pick<RunContext, 'git' | 'base' | 'state'>) {
  const { root, config, env, select, mode = 'run' } = input.request;
  const found = await findChanges(changesRequest(input, context));
  if (!found.ok) return found;
  const changes = found.value;
  const gate = select.gate !== undefined && { gate: select.gate };
  const { jobs, notes } = findJobs(config, changes.files, { mode, ci: detectCi(env).ci, root, ...gate });
  const cached = select.cache
    ? await findCached(input, context, changes, jobs)
    : new Map<string, GateResult>();
  return succeed({ changes, jobs, notes, cached });
}

interface PlanInput {
  readonly request: Pick<RunRequest, 'root' | 'config' | 'env' | 'select' | 'session'> &
    Partial<Pick<RunRequest, 'mode'>>;
  readonly logDir: string;
  readonly signal?: AbortSignal | undefined;
  /** Our own record of runs, if it was read already. */
  readonly kept?: RunRecord;
}

function changesRequest(
  { request, logDir, signal }: PlanInput,
  { git, base, state }: Pick<RunContext, 'git' | 'base' | 'state'>,
): ChangesRequest {
  const { select, session, env, config } = request;
  const { commit, uncommitted } = select;
  // On a CI server, a person's run looks at the commit that was built, and not at the work tree.
  const upTo = select.workTree ? undefined : detectCi(env).sha;
  const selected = withoutUndefined({ commit, uncommitted, upTo });
  const all = { git, base, env, leaveOut: [logDir], signal, stats: config.debugLog.enabled, ...selected };
  if (isNarrowed(select)) return all;
  const heldSince = openSessionBase(state, base, readHeadCommit(git, askGit));
  // The base may have been moved during the session to hide work behind it.
  const hasMoved = session !== undefined && session.base !== base.commit;
  const alsoSince = hasMoved ? (session.base ?? '') : undefined;
  return { ...all, ...withoutUndefined({ heldSince, alsoSince }) };
}

/** The gates that need no run, by id: they passed, and nothing that they look at has changed since. */
async function findCached(
  { request, logDir, signal, kept }: PlanInput,
  { git, base }: Pick<RunContext, 'git' | 'base'>,
  changes: Changes,
  jobs: readonly Job[],
): Promise<ReadonlyMap<string, GateResult>> {
  const candidates = jobs.filter((job) => isReusable(job, request.select));
  const { cache: seal = '' } = kept ?? readRunRecord(runRecordFile(request.root, logDir));
  const cache = readGateCache(logDir, seal);
  const trees = treesOf(cache, candidates, base.commit);
  const since = await changedSince(git, changes, trees, request.env, signal);
  const message = 'unchanged since it passed';
  const cached = candidates.filter((job) => needsNoRun(cache, job, since, base.commit));
  return new Map(cached.map(({ id }) => [id, { id, status: 'cached', message, durationMs: 0 }]));
}

/** A check depends on the current files; a review depends on the diff, which a selection changes. */
export function isReusable(job: Job, select: Selection): boolean {
  return job.kind === 'check' || !isNarrowed(select);
}

export function isNarrowed({ base, commit, uncommitted }: Selection): boolean {
  return base !== undefined || commit !== undefined || uncommitted === true;
}
