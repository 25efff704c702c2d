import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import type { Who } from '../../../core/actor';
import { detailOf } from '../../../core/failure';
import { ancestry } from '../../../exec/ancestry';
import { dismissGuardian, RUN_MARK } from '../../../exec/guardian';
import { registerRun } from '../../../exec/process-group';
import { monotonicMs } from '../../../exec/processes';
import { changedSince } from '../../../git/changes';
import type { GitHead } from '../../../git/head';
import { isInHistory, refsBelow } from '../../../git/refs';
import { askGit } from '../../../git/run-git';
import { removeLeftovers } from '../../../state/files';
import type { GatesConfig } from '../config';
import { gateNames } from '../detect';
import type { GauntletStatus } from '../report';
import { type GateResult, LAST_RUN, type RunResult } from '../run-result';
import type { SessionBaseline } from '../session-baseline';
import { withScripts } from '../weaker/definitions';
import { isWatched, type Weaker } from '../weaker/facts';
import { findWeaker, replacedPrograms } from '../weaker/find-weaker';
import { conclude, executeGates } from './execute-gates';
import { type Lease, type LeaseHolder, leaseHolder, type RunLock, runLock, takeLease } from './lease';
import { archiveLogs, consoleLog, currentLogs, debugLog, logDirOf, movedLogs } from './logs';
import { INTERRUPTED, plural, runInProgress, type Summary, statusText } from './messages';
import { cleanUp, NEW_TURN, NOTHING_LEFT, type PlannedRun, planRun, type Run, warn } from './plan';
import { passedTrees, readRunRecord, recordRun, removeOldRecords, runRecordFile } from './run-record';
import { ALL, type Attempt, isOpen, nextAttempt, selectionOf, writeState } from './state';

export type Env = Readonly<Record<string, string | undefined>>;

/** Which gates to run, and what to compare with. */
export interface Selection {
  readonly gate?: string;
  readonly base?: string;
  readonly commit?: string;
  readonly uncommitted?: boolean;
  /** If false, gates that passed on the same files run again. */
  readonly cache: boolean;
  /** Look at the work tree even on a CI server: an agent that works there has not committed everything. */
  readonly workTree?: true;
}

export interface RunRequest {
  /** The project's root, absolute. */
  readonly root: string;
  readonly config: GatesConfig;
  /** Config errors; if there are any, nothing runs. */
  readonly problems: readonly string[];
  readonly env: Env;
  readonly mode: 'run' | 'check' | 'review';
  readonly select: Selection;
  /** Milliseconds since the epoch after which the run must have ended. */
  readonly deadline?: number;
  /** The user's turn, if known: after the retry limit, a new turn may start over. */
  readonly turn?: string;
  /** The stop that the run is for, in the hook: two processes that see the same one run the gates once. */
  readonly stop?: string;
  /** A person's run ignores the retry limit, and resets it. */
  readonly byPerson?: boolean;
  /** Who asked for the run, and how, for the state. A run in an agent's own shell proves nothing. */
  readonly by?: Who;
  /** The command as it was typed, for the debug log. */
  readonly command: string;
  /** How the session found the repository, if one asks for the run. */
  readonly session?: SessionBaseline;
  /** Nothing runs if the files equal this tree and no gate has left a log. */
  readonly restsOn?: string;
  /** Nothing runs, unless a run is in progress or the last one left logs of gates (it did not pass). */
  readonly restsIfOver?: boolean;
  /** Wait for a run in progress, and report `lock_exists` if it goes on. For the hook. */
  readonly looksFirst?: boolean;
  readonly reporter: Reporter;
  /** In the server: aborted when nobody waits for the result any more. */
  readonly gone?: AbortSignal | undefined;
}

/** Receives events during a run. Must not throw. */
export type Reporter = (event: RunEvent) => void;

export type RunEvent =
  | { readonly kind: 'progress' | 'note' | 'warning'; readonly text: string }
  | { readonly kind: 'started'; readonly id: string }
  | { readonly kind: 'line'; readonly id: string; readonly line: string }
  | { readonly kind: 'finished'; readonly result: GateResult }
  | { readonly kind: 'summary'; readonly summary: Summary };

/** Never throws or exits. If a signal ends us, running programs are ended first and the lease is released. */
export async function executeRun(request: RunRequest): Promise<RunResult> {
  const refused = refusalOf(request);
  if (refused !== undefined) return errorResult(refused);
  const begun = monotonicMs();
  const interrupted = new AbortController();
  // Every running program listens to it, and Node would warn about more than ten.
  setMaxListeners(0, interrupted.signal);
  const leave = registerRun(() => interrupted.abort());
  if (request.gone?.aborted) interrupted.abort();
  request.gone?.addEventListener('abort', () => interrupted.abort(), { once: true });
  const logDir = logDirOf(request.root, request.config);
  try {
    const lock = runLock(request.root, request.config, request.session?.at);
    const nobody = () => leaseHolder({ ...lock, isBelieved: () => true }, Date.now()) === undefined;
    const isOver = request.restsIfOver && nobody() && !currentLogs(logDir).ofGates;
    if (isOver) return idleResult('interval_not_elapsed');
    const result = await withLease(request, lock, interrupted.signal);
    return { ...result, durationMs: Math.round(monotonicMs() - begun) };
  } catch (error) {
    return errorResult(runTrouble(error, logDir));
  } finally {
    await dismissGuardian();
    leave();
  }
}

/** Why a run could not start: usually something else is where the log directory should be. */
function runTrouble(error: unknown, logDir: string): string {
  const detail = detailOf(error);
  if (!detail.includes(logDir)) return detail;
  return `the gates keep their logs and their lock in ${logDir}, and that cannot be used (${detail}). Move aside what is in the way, or name another directory in \`log_dir\``;
}

/** An invalid config is not run in part: nobody would notice what was left out. */
function refusalOf({ problems, config, select }: RunRequest): string | undefined {
  if (problems.length > 0) {
    return `the config has ${plural(problems.length, 'error')}, so nothing was run:\n${problems.join('\n')}`;
  }
  const known = gateNames(config);
  if (select.gate === undefined || known.includes(select.gate)) return undefined;
  return `unknown gate "${select.gate}"; known: ${known.join(', ')}`;
}

async function withLease(request: RunRequest, lock: RunLock, signal: AbortSignal): Promise<RunResult> {
  const { root, config, looksFirst, command, reporter, deadline = Number.POSITIVE_INFINITY } = request;
  const logDir = logDirOf(root, config);
  const debug = debugLog(logDir, config);
  const inProgress = (status: GauntletStatus, holder: LeaseHolder): RunResult => ({
    ...idleResult(status, {
      message: runInProgress(lock.shown, holder, Date.now(), config.home),
    }),
    ...(config.home === '.gauntlet' && isSameStop(holder, request) && { isElsewhere: true }),
  });
  const record = runRecordFile(root, logDir);
  const look = () => leaseHolder(lock, Date.now());
  const until = Math.min(Date.now() + LONGEST_WAIT_MS, deadline);
  let ahead = looksFirst ? look() : undefined;
  let lease: Lease;
  do {
    const living = looksFirst ? await waitForRunInProgress(look, request, until) : undefined;
    if (living !== undefined) return inProgress('lock_exists', living);
    lease = takeLease(lock, request.stop);
    // Of several that waited, another one was faster.
    if (lease.kind === 'held') ahead = lease.holder;
  } while (lease.kind === 'held' && lease.holder.pid !== undefined && looksFirst && command !== 'stop-hook');
  debug(`COMMAND ${command}`);
  if (lease.kind === 'held') return inProgress('lock_conflict', lease.holder);
  try {
    removeLeftovers(logDir, Date.now());
    const kept = readRunRecord(record);
    removeOldRecords(record, kept, Date.now());
    const console = consoleLog(reporter);
    const moved = movedLogs(root, config);
    if (moved !== undefined) warn({ console }, moved);
    const repeats = isSameStop(ahead, request);
    const run = { ...request, repeats, logDir, record, kept, console, debug, signal, deadline };
    return await (lease.dead === undefined ? runUnderLease(run) : runAfterKilled(lease.dead, run));
  } finally {
    lease.release();
  }
}

const LONGEST_WAIT_MS = 60_000;
const LOOK_AGAIN_MS = 100;

/**
 * Waits for a run in progress and returns its holder if it goes on: a run in the background must not let the
 * turn end unchecked. agent-gauntlet's own command does not wait, and a process started by that run must not wait for it.
 */
async function waitForRunInProgress(
  look: () => LeaseHolder | undefined,
  request: RunRequest,
  until: number,
): Promise<LeaseHolder | undefined> {
  const { command, env, gone } = request;
  let holder = look();
  if (holder === undefined || command === 'stop-hook' || isLeftTo(holder, request)) return holder;
  const { pid } = holder;
  // In the server, a run of our own process may be another session's; then the mark of its programs decides.
  const isBelow = pid !== process.pid && ancestry(process.pid).some((one) => one.pid === pid);
  if (isBelow || env[RUN_MARK]?.startsWith(`${pid}.`)) return holder;
  while (holder !== undefined && Date.now() < until && !gone?.aborted) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    holder = look();
  }
  return holder;
}

/**
 * A project of agent-gauntlet does not wait for that program, nor for a run that answers the same stop. Elsewhere the
 * second process looks again: an agent could have begun such a run in the background.
 */
function isLeftTo(holder: LeaseHolder, request: RunRequest): boolean {
  return request.config.home === '.gauntlet' && (isSameStop(holder, request) || holder.isOurs !== true);
}

function isSameStop(holder: LeaseHolder | undefined, { stop }: RunRequest): boolean {
  return stop !== undefined && holder?.stop === stop;
}

/**
 * What killed the last run, perhaps one of its checks, would do it again before anybody is told. So if a turn has ended
 * unchecked since the session began, this stop only tells.
 */
async function runAfterKilled({ pid, since, stop }: LeaseHolder, run: Run): Promise<RunResult> {
  const who = pid === undefined ? '' : `process ${pid}, `;
  const started = new Date(since).toTimeString().slice(0, 5);
  const killed = `an earlier run of the gates (${who}started ${started}) was killed before it finished`;
  warn(run, killed);
  const { looksFirst, byPerson, session, logDir } = run;
  if (stop === undefined || !looksFirst || byPerson || since < (session?.at ?? 0))
    return { ...(await runUnderLease(run)), killed };
  const { consoleLogPath: log } = newestLog(logDir);
  const fix = 'if a check ends other processes, as `pkill` and `kill $PPID` do, change it.';
  const message = `${who}started ${started}, was killed before it finished`;
  const gate = { id: LAST_RUN, status: 'fail', message, durationMs: 0, fix } as const;
  const gates = [{ ...gate, ...(log !== undefined && { log }) }];
  return idleResult('failed', { message: statusText('failed', gates), gates, killed });
}

/** Finds weakened checks since the session began. Files are only compared if a test or check definition has changed. */
async function weakerIn(run: PlannedRun): Promise<Weaker | undefined> {
  const { git, session, config, root } = run;
  const { files } = run.changes;
  const { weakening } = config;
  if (weakening === 'off' || session?.head === undefined) return undefined;
  const checks = withScripts(root, config.checks);
  const replaced = replacedPrograms(run, checks, session.at);
  // If the session began at the base, this run's changes are those since the session began.
  if (session.head === session.base && !files.some((file) => isWatched(file, checks)))
    return session.weaker.length + replaced.length > 0 ? { facts: replaced, changed: [] } : undefined;
  const from = startOfBranch(git, session.head, session.heads, run.commit);
  const { facts, changed } = await findWeaker(run, from, session, checks);
  return { facts: [...replaced, ...facts], changed };
}

/**
 * The commit to compare with: the branch as the session found it or, for a new branch, its merge base with
 * the session's first commit. If no branch contains that one any more, it was removed, and all of it counts.
 */
function startOfBranch(git: GitHead, head: string, heads: SessionBaseline['heads'], commit: string): string {
  const { position, root } = git;
  const before = position.kind === 'branch' ? heads?.[position.branch] : undefined;
  if (heads === undefined || before === head) return head;
  const tips = [...refsBelow(git, 'refs/heads/', askGit).values()];
  if (!isInHistory(root, head, tips, askGit)) return head;
  return before ?? askGit(root, ['merge-base', head, commit])?.split('\n', 1)[0] ?? head;
}

async function runUnderLease(run: Run): Promise<RunResult> {
  const plan = await planRun(run);
  if (run.signal.aborted) return errorResult(INTERRUPTED);
  if (!plan.ok) return errorResult(plan.failure);
  const result = await runPlanned(plan.value);
  const weaker = await weakerIn(plan.value);
  return weaker === undefined ? result : { ...result, weaker };
}

async function runPlanned(run: PlannedRun): Promise<RunResult> {
  const { changes, jobs, cached } = run;
  if (await isWithinInterval(run)) return idleResult('interval_not_elapsed');
  if (changes.files.length === 0) return nothingToDo(run, 'no_changes');
  if (jobs.length === 0) return nothingToDo(run, 'no_applicable_gates');
  return cached.size === jobs.length ? allCached(run) : withinLimit(run);
}

function nothingToDo(run: PlannedRun, status: 'no_changes' | 'no_applicable_gates'): RunResult {
  run.console.say({ kind: 'note', text: statusText(status, []) });
  if (endsOpenSession(run)) cleanUp(run, NOTHING_LEFT);
  return idleResult(status);
}

/** Whether the interval after a pass still applies: no file has changed since. */
async function isWithinInterval({ restsOn, git, changes, env, gone, logDir }: PlannedRun): Promise<boolean> {
  if (restsOn === undefined || restsOn !== changes.tree || currentLogs(logDir).ofGates) return false;
  const since = await changedSince(git, changes, [restsOn], env, gone);
  return since.get(restsOn)?.length === 0;
}

/** Nothing has to run. An open session ends; the time of the last run stays as it was. */
function allCached(run: PlannedRun): RunResult {
  const { console, logDir, state = {} } = run;
  const gates = [...run.cached.values()];
  for (const result of gates) console.say({ kind: 'finished', result });
  console.say({ kind: 'summary', summary: { status: 'passed', iterations: [], failed: 0, attempt: 1 } });
  let text: string | undefined;
  if (endsOpenSession(run)) {
    archiveLogs(logDir);
    const { failing: _failing, iterations: _iterations, selection: _selection, ...kept } = state;
    text = writeState(logDir, { ...kept, last_status: 'passed', run: 0, ...run.by });
  }
  const passed = selectionOf(run) === ALL ? run.changes.tree : undefined;
  const isKnown = passed === undefined || passed === passedTrees(run.kept, run.config).at(-1);
  if (text !== undefined || !isKnown) recordRun(run, { state: text, passed });
  return idleResult('passed', { gates });
}

/** Whether this ends an open session: its gates no longer apply, or have passed since. */
function endsOpenSession(run: PlannedRun): boolean {
  return isOpen(run.state) && selectionOf(run) === ALL;
}

async function withinLimit(run: PlannedRun): Promise<RunResult> {
  const { logDir, config, turn, changes, commit, state } = run;
  const logs = currentLogs(logDir);
  const last = state?.run ?? logs.highestOfGates;
  const before = run.byPerson ? 0 : run.repeats ? Math.max(0, last - 1) : last;
  const most = run.byPerson ? Number.POSITIVE_INFINITY : config.maxRetries;
  const attempt = nextAttempt(state && { ...state, run: before }, logs, most);
  if (attempt.attempt <= attempt.most) return execute(run, attempt, logs.ofGates);
  // The session is over if the user has sent a new prompt and the work has changed since.
  const isNewTurn = turn !== undefined && turn !== state?.turn;
  const isOver = isNewTurn && (changes.tree !== state?.working_tree_ref || commit !== state?.commit);
  if (state === undefined || !isOver) return beyondLimit(run, attempt);
  cleanUp(run, NEW_TURN);
  const { state: _over, ...fresh } = run;
  return execute(fresh, nextAttempt(undefined, currentLogs(logDir), config.maxRetries), false);
}

/** Runs and writes nothing, so it can be repeated any number of times. */
function beyondLimit({ console, config, logDir }: Run, { attempt, most }: Attempt): RunResult {
  const status = 'retry_limit_exceeded';
  const exceeded = `Retry limit exceeded: run ${attempt} exceeds max allowed ${most} (max_retries: ${most - 1}).`;
  const message =
    config.home === '.gauntlet'
      ? `${exceeded} Human input required on what to do next. A person can archive this session and start over with \`agent-gauntlet clean\`.`
      : `${exceeded} Nothing was run; a person decides what to do next, and resets the limit with \`holdpoint gates run\` in their own terminal.`;
  console.say({ kind: 'note', text: message });
  console.say({ kind: 'summary', summary: { status, iterations: [], failed: 0, attempt: most } });
  return idleResult(status, { message, run: attempt, maxRuns: most, ...newestLog(logDir) });
}

function newestLog(logDir: string): Pick<RunResult, 'consoleLogPath'> {
  const { console: newest } = currentLogs(logDir);
  return newest === undefined ? {} : { consoleLogPath: join(logDir, newest) };
}

async function execute(run: PlannedRun, attempt: Attempt, rerun: boolean): Promise<RunResult> {
  const consoleLog = join(run.logDir, `console.${attempt.number}.log`);
  run.console.open(consoleLog);
  run.debug(startLine(run, rerun));
  const gates = await executeGates(run, attempt.number, rerun);
  if (!run.signal.aborted) return conclude(run, attempt, gates, consoleLog);
  run.console.say({ kind: 'note', text: INTERRUPTED });
  return { ...errorResult(INTERRUPTED), gates, consoleLogPath: consoleLog };
}

function startLine({ base, changes, jobs }: PlannedRun, rerun: boolean): string {
  const { stats, files } = changes;
  const counted = stats
    ? ` files_new=${stats.new} files_modified=${stats.modified} files_deleted=${stats.deleted}` +
      ` lines_added=${stats.linesAdded} lines_removed=${stats.linesRemoved}`
    : '';
  const start = `RUN_START mode=${rerun ? 'verification' : 'full'} base_ref=${base.ref}`;
  return `${start} files_changed=${files.length}${counted} gates=${jobs.length}`;
}

export function idleResult(status: GauntletStatus, more: Partial<RunResult> = {}): RunResult {
  return { status, message: statusText(status, []), gates: [], ...more };
}

/** A run that could not start or went wrong; never the code's fault. */
export function errorResult(why: string): RunResult {
  return idleResult('error', { message: why });
}
