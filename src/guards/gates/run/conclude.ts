import { join } from 'node:path';
import { detailOf } from '../../../core/failure';
import { isoTime } from '../../../core/text';
import type { ExecutionState, Iteration } from '../execution-state';
import type { GateResult, RunResult } from '../run-result';
import type { GauntletStatus } from '../status';
import { recordOutcomes } from './cache';
import { archiveLogs } from './clean';
import { ARCHIVE_NAME } from './log-dir';
import { archiveFailed, stateNotWritten, statusText } from './messages';
import type { Plan } from './plan';
import { isReusable } from './plan';
import { didNotPass, isPass, movedTo, statusOf } from './results';
import type { Attempt } from './retries';
import type { Scene, Stage } from './scene';
import { isOpen, warn } from './scene';
import type { Ended } from './session';
import { endsSession, selectionOf, sessionAfter } from './session';
import { writeState } from './state-file';

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
