import { join } from 'node:path';
import { ALL, type ExecutionState } from '../execution-state';
import type { GateResult, RunResult } from '../run-result';
import { archiveLogs } from './clean';
import { conclude } from './conclude';
import { executeGates } from './execute-gates';
import { currentLogs } from './log-files';
import { consoleLogName } from './log-names';
import { cleanUp, lookAround } from './look-around';
import { beyondLimit, INTERRUPTED, NO_APPLICABLE_GATES, NO_CHANGES } from './messages';
import type { Plan } from './plan';
import { makePlan } from './plan';
import { errorResult, idleResult } from './results';
import type { Attempt } from './retries';
import { isBeyondLimit, mayStartAnew, nextAttempt } from './retries';
import type { Scene, Stage } from './scene';
import { isOpen } from './scene';
import { selectionOf } from './session';
import { writeState } from './state-file';

/** A run from the first look to its answer. Whoever calls has the lease. Throws what nobody expected. */
export async function runUnderLease(stage: Stage): Promise<RunResult> {
  const around = await lookAround(stage);
  if (!around.ok) return errorResult(around.failure, stage.warnings);
  const planned = await makePlan(stage, around.value);
  if (stage.signal.aborted) return errorResult(INTERRUPTED, stage.warnings);
  if (!planned.ok) return errorResult(planned.failure, stage.warnings);
  const { changes, jobs, cached } = planned.value;
  if (changes.files.length === 0) return nothingToDo(stage, around.value, 'no_changes');
  if (jobs.length === 0) return nothingToDo(stage, around.value, 'no_applicable_gates');
  if (cached.size === jobs.length) return allCached(stage, around.value, planned.value);
  return withinLimit(stage, around.value, planned.value);
}

function nothingToDo(stage: Stage, scene: Scene, status: 'no_changes' | 'no_applicable_gates'): RunResult {
  const text = status === 'no_changes' ? NO_CHANGES : NO_APPLICABLE_GATES;
  stage.console.say({ kind: 'note', text });
  if (endsOpenSession(stage, scene)) cleanUp(stage, { kind: 'nothing left' });
  return idleResult(status, { warnings: stage.warnings });
}

function allCached(stage: Stage, scene: Scene, { cached }: Plan): RunResult {
  const gates: readonly GateResult[] = [...cached.values()];
  for (const result of gates) stage.console.say({ kind: 'finished', result });
  const summary = { status: 'passed', iterations: [], failed: 0, attempt: 1 } as const;
  stage.console.say({ kind: 'summary', summary });
  if (endsOpenSession(stage, scene)) settle(stage.logDir, scene.state);
  return idleResult('passed', { gates, warnings: stage.warnings });
}

/** Whether an open session is over by this: what it was about is gone, or has passed since. */
function endsOpenSession({ request }: Stage, { state }: Scene): boolean {
  return isOpen(state) && selectionOf(request) === ALL;
}

/** Archives the logs and gives the attempts back. No gate ran, so the time of the last run stays as it was. */
function settle(logDir: string, state: ExecutionState | undefined): void {
  archiveLogs(logDir);
  const { failing: _failing, iterations: _iterations, selection: _selection, ...kept } = state ?? {};
  writeState(logDir, { ...kept, last_status: 'passed', run: 0 });
}

async function withinLimit(stage: Stage, scene: Scene, plan: Plan): Promise<RunResult> {
  const { logDir, request } = stage;
  const logs = currentLogs(logDir);
  const attempt = nextAttempt(scene.state, logs, request.config.maxRetries);
  if (!isBeyondLimit(attempt)) return execute(stage, scene, plan, attempt, logs.ofGates);
  const now = { turn: request.turn, tree: plan.changes.tree, commit: scene.commit };
  if (scene.state === undefined || !mayStartAnew(scene.state, now)) return beyond(stage, attempt);
  cleanUp(stage, { kind: 'new turn' });
  const { state: _over, ...fresh } = scene;
  const first = nextAttempt(undefined, currentLogs(logDir), request.config.maxRetries);
  return execute(stage, fresh, plan, first, false);
}

/** Nothing is run and nothing written: this may be asked any number of times. */
function beyond({ console, logDir, warnings }: Stage, { attempt, most }: Attempt): RunResult {
  const text = beyondLimit(attempt, most);
  const newest = currentLogs(logDir).console;
  const summary = { status: 'retry_limit_exceeded', iterations: [], failed: 0, attempt: most } as const;
  console.say({ kind: 'note', text });
  console.say({ kind: 'summary', summary });
  return idleResult('retry_limit_exceeded', {
    message: text,
    run: attempt,
    maxRuns: most,
    warnings,
    ...(newest !== undefined && { consoleLogPath: join(logDir, newest) }),
  });
}

async function execute(
  stage: Stage,
  scene: Scene,
  plan: Plan,
  attempt: Attempt,
  rerun: boolean,
): Promise<RunResult> {
  const consoleLog = join(stage.logDir, consoleLogName(attempt.number));
  stage.console.open(consoleLog);
  stage.debug(startLine(scene, plan, rerun));
  const gates = await executeGates(stage, scene, plan, attempt, rerun);
  if (stage.signal.aborted) {
    stage.console.say({ kind: 'note', text: INTERRUPTED });
    return { ...errorResult(INTERRUPTED, stage.warnings), gates, consoleLogPath: consoleLog };
  }
  return conclude(stage, scene, plan, attempt, gates, consoleLog);
}

function startLine({ base }: Scene, { changes, jobs }: Plan, rerun: boolean): string {
  const { stats } = changes;
  const counted =
    stats === undefined
      ? ''
      : ` files_new=${stats.new} files_modified=${stats.modified} files_deleted=${stats.deleted}` +
        ` lines_added=${stats.linesAdded} lines_removed=${stats.linesRemoved}`;
  const mode = rerun ? 'verification' : 'full';
  const files = `files_changed=${changes.files.length}${counted}`;
  return `RUN_START mode=${mode} base_ref=${base.ref} ${files} gates=${jobs.length}`;
}
