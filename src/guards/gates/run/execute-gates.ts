import { join } from 'node:path';
import { detailOf } from '../../../core/failure';
import { isoTime } from '../../../core/text';
import type { Job } from '../detect';
import type { GauntletStatus } from '../report';
import { runReviewGate } from '../review/review-gate';
import type { ExecutionState, GateResult, Iteration, RunResult } from '../run-result';
import {
  type Attempt,
  type Ended,
  endsSession,
  recordOutcomes,
  selectionOf,
  sessionAfter,
  writeState,
} from './cache';
import { preflightCheck, runCheck } from './check';
import { ARCHIVE_NAME, archiveLogs, gateLogName } from './logs';
import { archiveFailed, plural, stateNotWritten, statusText } from './messages';
import {
  type GateContext,
  isOpen,
  isReusable,
  type Plan,
  runJobs,
  type Scene,
  type Stage,
  warn,
} from './plan';
import { didNotPass, isPass, movedTo, statusOf } from './run';

/** Runs what the plan leaves to be run. Gives a result for each of its gates, in their order. */
export async function executeGates(
  stage: Stage,
  scene: Scene,
  plan: Plan,
  attempt: Attempt,
  rerun: boolean,
): Promise<readonly GateResult[]> {
  const { console, debug, request, signal } = stage;
  const context = contextOf(stage, scene, plan, attempt, rerun);
  const left = plan.jobs.filter((job) => !plan.cached.has(job.id));
  for (const result of plan.cached.values()) console.say({ kind: 'finished', result });
  const results = await runJobs(left, {
    allowParallel: request.config.allowParallel,
    deadline: context.deadline,
    signal,
    preflight: (job) => (job.kind === 'check' ? preflightCheck(job, context) : undefined),
    start: (job) => {
      console.say({ kind: 'started', id: job.id });
      return startGate(job, context);
    },
    finished: (result) => console.say({ kind: 'finished', result }),
  });
  for (const result of results) {
    if (result.status === 'skipped') console.say({ kind: 'finished', result });
    debug(gateLine(result));
  }
  const byId = new Map(results.map((result) => [result.id, result]));
  return plan.jobs.flatMap(({ id }) => plan.cached.get(id) ?? byId.get(id) ?? []);
}

function startGate(job: Job, context: GateContext): Promise<GateResult> {
  return job.kind === 'check' ? runCheck(job, context) : runReviewGate(job, context);
}

function gateLine({ id, status, durationMs, violations }: GateResult): string {
  const found = violations === undefined ? '' : ` violations=${violations}`;
  return `GATE_RESULT ${id} status=${status} duration=${(durationMs / 1000).toFixed(2)}s${found}`;
}

function contextOf(
  { request, logDir, console, signal }: Stage,
  { base, state }: Scene,
  { changes }: Plan,
  { number }: Attempt,
  rerun: boolean,
): GateContext {
  const { root, config, env, select, deadline } = request;
  const names = new Map<string, string>();
  return {
    root,
    config,
    env,
    logDir,
    run: number,
    logFile: (id, slot) => join(logDir, ownName(names, id, number, slot)),
    rerun,
    changes,
    base,
    ...(state?.working_tree_ref !== undefined && { previousTree: state.working_tree_ref }),
    select,
    report: console.say,
    signal,
    deadline: deadline ?? Number.POSITIVE_INFINITY,
  };
}

/** Two ids may come to the same name, since names have fewer characters; they must not share a file. */
function ownName(taken: Map<string, string>, id: string, run: number, slot: string | undefined): string {
  for (let copy = 1; ; copy++) {
    const name = gateLogName(copy === 1 ? id : `${id}-${copy}`, run, slot);
    const owner = taken.get(name);
    if (owner !== undefined && owner !== id) continue;
    taken.set(name, id);
    return name;
  }
}

/** What a run that executed gates leaves behind, and what it answers. */
export function conclude(
  stage: Stage,
  scene: Scene,
  plan: Plan,
  attempt: Attempt,
  gates: readonly GateResult[],
  consoleLog: string,
): RunResult {
  const iterations = iterationsAfter(scene.state, attempt, gates);
  const status = withWarnings(statusOf(gates, attempt), iterations);
  const failed = gates.filter(didNotPass).length;
  stage.console.say({ kind: 'summary', summary: { status, iterations, failed, attempt: attempt.attempt } });
  debugEnd(stage, status, iterations, failed, attempt);
  remember(stage, scene, plan, gates);
  const isOver = isPass(status) && endsSession(selectionOf(stage.request), scene.state);
  keepState(stage, scene, plan, { attempt, gates, status, iterations, isOver });
  const result = { status, message: statusText(status, gates), run: attempt.attempt, maxRuns: attempt.most };
  const moved = isOver ? archivedPath(stage) : (file: string) => file;
  return {
    ...result,
    gates: movedTo(gates, moved),
    consoleLogPath: moved(consoleLog),
    warnings: stage.warnings,
  };
}

/** Which gates need no run next time. A review of a narrower difference says nothing about the whole. */
function remember(
  stage: Stage,
  { base }: Scene,
  { changes, jobs }: Plan,
  gates: readonly GateResult[],
): void {
  const executed = jobs.flatMap((job) => {
    const result = gates.find(({ id }) => id === job.id);
    const counts = result && result.status !== 'cached' && result.status !== 'skipped';
    if (!counts || !isReusable(job, stage.request.select)) return [];
    return [{ job, passed: result.status === 'pass' }];
  });
  recordOutcomes(stage.logDir, executed, changes.tree, new Date(), base.commit);
}

function keepState(stage: Stage, scene: Scene, { changes }: Plan, ended: Ended): void {
  const { branch, commit, ground, state } = scene;
  const { turn } = stage.request;
  const selection = selectionOf(stage.request);
  // What a part of the gates has seen is no beginning for the differences that the rest looks at.
  const tree = endsSession(selection, state) ? changes.tree : (state?.working_tree_ref ?? changes.tree);
  try {
    writeState(stage.logDir, {
      last_run_completed_at: isoTime(Date.now()),
      branch,
      commit,
      working_tree_ref: tree,
      ...(ground.commit !== undefined && { base_commit: baseKept(state, ground.commit) }),
      commit_in_base: commit !== '' && commit === ground.commit,
      ...(turn !== undefined && { turn }),
      ...sessionAfter(state, selection, ended),
    });
  } catch (error) {
    warn(stage, stateNotWritten(detailOf(error)));
  }
}

/** While a session is open its comparisons begin where its first one did, or a commit would hide the work. */
function baseKept(state: ExecutionState | undefined, now: string): string {
  return isOpen(state) ? (state?.base_commit ?? now) : now;
}

function archivedPath(stage: Stage): (file: string) => string {
  try {
    archiveLogs(stage.logDir);
  } catch (error) {
    warn(stage, archiveFailed(detailOf(error)));
    return (file) => file;
  }
  const begin = join(stage.logDir, '/');
  return (file) =>
    file.startsWith(begin) ? join(stage.logDir, ARCHIVE_NAME, file.slice(begin.length)) : file;
}

/** A finding that was skipped stays one, though its review need not be run again. */
function withWarnings(status: GauntletStatus, iterations: readonly Iteration[]): GauntletStatus {
  const hasSkipped = iterations.some(({ activity }) => activity.some(({ what }) => what === 'skipped'));
  return status === 'passed' && hasSkipped ? 'passed_with_warnings' : status;
}

/** What this run settled, after what the earlier ones did. */
function iterationsAfter(
  state: ExecutionState | undefined,
  { attempt }: Attempt,
  gates: readonly GateResult[],
): readonly Iteration[] {
  const { failing = [], iterations = [] } = state ?? {};
  const activity = gates.flatMap(({ id, status, activity: own = [] }) => {
    const isFixed = id.startsWith('check:') && status === 'pass' && failing.includes(id);
    const fixed = { id, what: 'fixed' as const, who: 'check', details: 'passes now' };
    return [...(isFixed ? [fixed] : []), ...own.map((one) => ({ id, ...one }))];
  });
  return activity.length > 0 ? [...iterations, { run: attempt, activity }] : iterations;
}

function debugEnd(
  { debug }: Stage,
  status: GauntletStatus,
  iterations: readonly Iteration[],
  failed: number,
  { attempt }: Attempt,
): void {
  const settled = iterations.flatMap(({ activity }) => activity);
  const fixed = settled.filter(({ what }) => what === 'fixed').length;
  const skipped = settled.length - fixed;
  debug(
    `RUN_END status=${isPass(status) ? 'pass' : 'fail'} fixed=${fixed} skipped=${skipped} ` +
      `failed=${failed} iterations=${attempt}`,
  );
}

/** What a run came to, for its last block of lines. */
export interface Summary {
  readonly status: GauntletStatus;
  /** What was settled in this session, run by run. */
  readonly iterations: readonly Iteration[];
  /** Gates that did not pass. */
  readonly failed: number;
  /** Which run of the session this was. */
  readonly attempt: number;
}

const RULE = '─'.repeat(60);

/** The block that ends a run; agents wait for its `Status:` line. */
export function summaryLines({ status, iterations, failed, attempt }: Summary): readonly string[] {
  const busy = iterations.filter(({ activity }) => activity.length > 0);
  const settled = busy.flatMap(({ activity }) => activity);
  const fixed = settled.filter(({ what }) => what === 'fixed').length;
  const after = attempt > 1 ? ` after ${plural(attempt, 'iteration')}` : '';
  return [
    RULE,
    'RESULTS SUMMARY',
    RULE,
    ...busy.flatMap(iterationLines),
    ...(busy.length > 0 ? [RULE] : []),
    `Total: ${fixed} fixed, ${settled.length - fixed} skipped, ${failed} failed${after}`,
    `Status: ${statusWord(status)}`,
    RULE,
  ];
}

function iterationLines({ run, activity }: Iteration): readonly string[] {
  return [
    `Iteration ${run}:`,
    ...activity.flatMap(({ what, id, who, details, reason }) => {
      const rest = `${id} (${who}) - ${oneLine(details)}`;
      if (what === 'fixed') return [`  ✓ Fixed: ${rest}`];
      return [`  ⊘ Skipped: ${rest}`, ...(reason === undefined ? [] : [`    Reason: ${oneLine(reason)}`])];
    }),
  ];
}

function statusWord(status: GauntletStatus): string {
  switch (status) {
    case 'passed':
    case 'no_changes':
    case 'no_applicable_gates':
      return 'Passed';
    case 'passed_with_warnings':
      return 'Passed with warnings';
    case 'failed':
      return 'Failed';
    case 'retry_limit_exceeded':
      return 'Retry limit exceeded';
    case 'lock_exists':
    case 'lock_conflict':
    case 'infrastructure_error':
    case 'error':
    case 'no_config':
    case 'stop_hook_active':
    case 'stop_hook_disabled':
    case 'interval_not_elapsed':
    case 'invalid_input':
      return 'Error';
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
