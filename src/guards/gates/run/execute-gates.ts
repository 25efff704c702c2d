import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { detailOf } from '../../../core/failure';
import { isoTime } from '../../../core/text';
import type { Job } from '../detect';
import { type GauntletStatus, isPass } from '../report';
import { runReviewGate } from '../review/review-gate';
import { ReviewerHealth } from '../review/reviewers';
import { didNotPass, type GateResult, type RunResult, type SlotResult } from '../run-result';
import { recordOutcomes, sealOf } from './cache';
import { preflightCheck, runCheck } from './check';
import { ARCHIVE_NAME, archiveLogs, gateLogName } from './logs';
import { countSettled, INTERRUPTED, statusText, TIME_IS_OVER } from './messages';
import { type GateContext, isReusable, type PlannedRun, warn } from './plan';
import { recordRun } from './run-record';
import {
  ALL,
  type Attempt,
  type ExecutionState,
  endsSession,
  type Iteration,
  isOpen,
  selectionOf,
  writeState,
} from './state';

/** Runs the planned gates that are not cached. Returns a result for each planned gate, in order. */
export async function executeGates(run: PlannedRun, number: number, rerun: boolean): Promise<GateResult[]> {
  const { console, debug, jobs, cached, root, env, logDir, config, signal } = run;
  const names = new Map<string, string>();
  const context: GateContext = {
    ...run,
    number,
    rerun,
    report: console.say,
    health: new ReviewerHealth({ root, env, logDir, ...config.reviewers, signal }),
    logFile: (id, slot) => join(logDir, uniqueName(names, id, number, slot)),
  };
  for (const result of cached.values()) console.say({ kind: 'finished', result });
  const left = jobs.filter((job) => !cached.has(job.id));
  const results = await runJobs(left, context);
  for (const result of results) {
    if (result.status === 'skipped') console.say({ kind: 'finished', result });
    const { id, status, durationMs, violations } = result;
    const found = violations === undefined ? '' : ` violations=${violations}`;
    debug(`GATE_RESULT ${id} status=${status} duration=${(durationMs / 1000).toFixed(2)}s${found}`);
  }
  return jobs.flatMap(({ id, gate: { place } }) => {
    const result = cached.get(id) ?? results.find((one) => one.id === id);
    return result === undefined ? [] : { ...result, place };
  });
}

/** Two ids may become the same name, as special characters are replaced; they must not share a file. */
function uniqueName(taken: Map<string, string>, id: string, run: number, slot: string | undefined): string {
  for (let copy = 1; ; copy++) {
    const name = gateLogName(copy === 1 ? id : `${id}-${copy}`, run, slot);
    const owner = taken.get(name);
    if (owner !== undefined && owner !== id) continue;
    taken.set(name, id);
    return name;
  }
}

/**
 * Runs all jobs and returns a result for each, in order. Parallel jobs share a limited number of lanes; the
 * others run one by one beside them. If one with `fail_fast` does not pass, no further job starts, but
 * running ones finish.
 */
async function runJobs(jobs: readonly Job[], context: GateContext): Promise<readonly GateResult[]> {
  const { config, signal, deadline, report } = context;
  const results = new Map<string, GateResult>();
  let halted: string | undefined;
  const reasonNotToStart = (): string | undefined =>
    halted ?? (signal.aborted ? INTERRUPTED : Date.now() >= deadline ? TIME_IS_OVER : undefined);
  const finish = (job: Job, result: GateResult): void => {
    results.set(job.id, result);
    report({ kind: 'finished', result });
    const halts = job.kind === 'check' && job.gate.failFast && result.status !== 'pass';
    if (halts) halted ??= `Not started: ${job.id} did not pass and has fail_fast`;
  };
  const start = async (job: Job): Promise<void> => {
    if (reasonNotToStart() !== undefined) return;
    report({ kind: 'started', id: job.id });
    finish(job, await runGate(job, context));
  };
  const ready = jobs.filter((job) => {
    if (halted !== undefined) return false;
    const refused = job.kind === 'check' ? preflightCheck(job, context) : undefined;
    if (refused !== undefined) finish(job, refused);
    return refused === undefined;
  });
  const parallel = ready.filter((job) => config.allowParallel && job.gate.parallel);
  const sequential = ready.filter((job) => !parallel.includes(job));
  const places = Math.max(2, availableParallelism()) - (sequential.length > 0 ? 1 : 0);
  await Promise.all([inLanes(sequential, 1, start), inLanes(parallel, places, start)]);
  return jobs.map((job) => {
    const message = reasonNotToStart() ?? TIME_IS_OVER;
    return results.get(job.id) ?? { id: job.id, status: 'skipped', message, durationMs: 0 };
  });
}

async function runGate(job: Job, context: GateContext): Promise<GateResult> {
  try {
    return await (job.kind === 'check' ? runCheck(job, context) : runReviewGate(job, context));
  } catch (error) {
    const message = `Unexpected error: ${detailOf(error)}`;
    return { id: job.id, status: 'error', message, durationMs: 0 };
  }
}

/** Processes all items, at most `lanes` at a time, and returns the results in order. */
export async function inLanes<Item, Done>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<Done>,
): Promise<readonly Done[]> {
  const done: Done[] = [];
  const queue = [...items.entries()];
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      done[next[0]] = await work(next[1]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
  return done;
}

/** Saves state, cache and logs of a run that executed gates, and returns its result. */
export function conclude(
  run: PlannedRun,
  attempt: Attempt,
  gates: readonly GateResult[],
  consoleLog: string,
): RunResult {
  const iterations = iterationsAfter(run, attempt, gates);
  const { fixed, skipped } = countSettled(iterations);
  const result = statusOf(gates, attempt);
  // A finding skipped in an earlier run still counts, though its review may not run again.
  const status = result === 'passed' && skipped > 0 ? 'passed_with_warnings' : result;
  const failed = gates.filter(didNotPass).length;
  run.console.say({ kind: 'summary', summary: { status, iterations, failed, attempt: attempt.attempt } });
  run.debug(
    `RUN_END status=${isPass(status) ? 'pass' : 'fail'} fixed=${fixed} skipped=${skipped} ` +
      `failed=${failed} iterations=${attempt.attempt}`,
  );
  const seal = recordPasses(run, gates);
  const selection = selectionOf(run);
  const isOver = isPass(status) && endsSession(selection, run.state);
  const over = { last_status: status, run: 0, ...(selection !== ALL && { selection }) };
  const state = saveState(run, isOver ? over : sessionAfter(run, attempt, gates, status, iterations));
  const passedAll = isPass(status) && selection === ALL;
  recordRun(run, { state, cache: seal, passed: passedAll ? run.changes.tree : undefined });
  const moved = isOver ? archive(run) : (file: string) => file;
  return {
    status,
    message: statusText(status, gates),
    run: attempt.attempt,
    maxRuns: attempt.most,
    gates: movedTo(gates, moved),
    consoleLogPath: moved(consoleLog),
  };
}

/** A failure is certain, so it outweighs a missing answer. If no gate failed, the code is not to blame. */
export function statusOf(gates: readonly GateResult[], { attempt, most }: Attempt): GauntletStatus {
  const has = (...wanted: readonly GateResult['status'][]): boolean =>
    gates.some(({ status }) => wanted.includes(status));
  if (has('fail')) return attempt === most ? 'retry_limit_exceeded' : 'failed';
  if (has('error', 'skipped')) return 'infrastructure_error';
  return gates.some(({ skippedFindings = 0 }) => skippedFindings > 0) ? 'passed_with_warnings' : 'passed';
}

/** Updates the cache and returns its seal. A review of a narrower diff says nothing about the whole. */
function recordPasses(run: PlannedRun, gates: readonly GateResult[]): string | undefined {
  const { changes, jobs, base, logDir, select } = run;
  if (run.by?.actor === 'agent') return undefined;
  const executed = jobs.flatMap((job) => {
    const { status = 'skipped' } = gates.find(({ id }) => id === job.id) ?? {};
    const counts = status !== 'cached' && status !== 'skipped';
    return counts && isReusable(job, select) ? [{ job, passed: status === 'pass' }] : [];
  });
  const { cache = '' } = run.kept;
  const text = recordOutcomes(logDir, executed, changes.tree, new Date(), base.commit, cache);
  return text === undefined ? undefined : sealOf(text);
}

/** Only failed gates use up an attempt; gates without an answer, or a part that passes, do not. */
function sessionAfter(
  run: PlannedRun,
  attempt: Attempt,
  gates: readonly GateResult[],
  status: GauntletStatus,
  iterations: readonly Iteration[],
): ExecutionState {
  const { state } = run;
  const selection = selectionOf(run);
  const failed = status === 'failed' || status === 'retry_limit_exceeded';
  const executed = new Set(gates.map(({ id }) => id));
  const before = isOpen(state) ? (state?.failing ?? []) : [];
  return {
    last_status: isPass(status) ? (state?.last_status ?? status) : status,
    run: failed && !run.byPerson ? attempt.attempt : attempt.attempt - 1,
    selection: endsSession(selection, state) ? selection : ALL,
    failing: [...before.filter((id) => !executed.has(id)), ...gates.filter(didNotPass).map(({ id }) => id)],
    ...(iterations.length > 0 && { iterations }),
  };
}

function saveState(run: PlannedRun, session: ExecutionState): string | undefined {
  const { branch, commit, configuredBase, state, turn, changes } = run;
  // A tree seen by only some of the gates must not become the start of the others' diffs.
  const isPart = !endsSession(selectionOf(run), state);
  // An open session keeps the base of its first run, or a commit could hide the work.
  const baseCommit = (isOpen(state) ? state?.base_commit : undefined) ?? configuredBase.commit;
  try {
    return writeState(run.logDir, {
      last_run_completed_at: isoTime(Date.now()),
      branch,
      commit,
      working_tree_ref: (isPart ? state?.working_tree_ref : undefined) ?? changes.tree,
      ...(configuredBase.commit !== undefined && baseCommit !== undefined && { base_commit: baseCommit }),
      commit_in_base: commit !== '' && commit === configuredBase.commit,
      ...(turn !== undefined && { turn }),
      ...session,
      ...run.by,
    });
  } catch (error) {
    warn(run, `the state of this run could not be written: ${detailOf(error)}`);
    return undefined;
  }
}

/** Archives the logs of a finished session. Returns a function from old to new paths. */
function archive(run: PlannedRun): (file: string) => string {
  try {
    archiveLogs(run.logDir);
  } catch (error) {
    warn(run, `the logs could not be archived: ${detailOf(error)}`);
    return (file) => file;
  }
  const begin = join(run.logDir, '/');
  return (file) => (file.startsWith(begin) ? join(run.logDir, ARCHIVE_NAME, file.slice(begin.length)) : file);
}

/** Updates the paths in results after their files were moved. */
function movedTo(gates: readonly GateResult[], move: (file: string) => string): readonly GateResult[] {
  const movedSlot = (slot: SlotResult): SlotResult => ({
    ...slot,
    ...(slot.log !== undefined && { log: move(slot.log) }),
    ...(slot.review !== undefined && { review: move(slot.review) }),
  });
  return gates.map((gate) => ({
    ...gate,
    ...(gate.log !== undefined && { log: move(gate.log) }),
    ...(gate.reviews && { reviews: gate.reviews.map(move) }),
    ...(gate.slots && { slots: gate.slots.map(movedSlot) }),
  }));
}

/** The earlier iterations, then what this run settled. */
function iterationsAfter(
  run: PlannedRun,
  attempt: Attempt,
  gates: readonly GateResult[],
): readonly Iteration[] {
  const { failing = [], iterations = [] } = run.state ?? {};
  const activity = gates.flatMap(({ id, status, activity: own = [] }) => {
    const isFixed = id.startsWith('check:') && status === 'pass' && failing.includes(id);
    const fixed = { id, what: 'fixed' as const, who: 'check', details: 'passes now' };
    return [...(isFixed ? [fixed] : []), ...own.map((one) => ({ id, ...one }))];
  });
  return activity.length > 0 ? [...iterations, { run: attempt.attempt, activity }] : iterations;
}
