import { isJsonObject, type JsonObject } from '../../core/json';
import { isoTime } from '../../core/text';
import { listAt, numberAt, objectAt, textAt, withValueAt } from './json-path';
import type { TestRequirement } from './model';
import { testsPath } from './phase-evidence';
import { iterationLimits } from './state';
import { afterFailure, type Escalation, type Limits } from './tests/breaker';
import { normalisedError } from './tests/error-line';
import type { TestVerdict } from './tests/verdict';

/** One run of tests, as it is to be kept. */
export interface Run {
  readonly verdict: TestVerdict;
  readonly command: string;
  readonly now: number;
  readonly callId?: string;
  /** The tree that it passed on, and the commit below it. */
  readonly tree?: string;
  readonly head?: string | undefined;
}

const HISTORY_KEPT = 100;
const TEXT_LENGTH = 300;
const RESULTS = { passed: 'PASSED', failed: 'FAILED', inconclusive: 'INCONCLUSIVE' } as const;

/** The state with the run in it; the same state where the run is in it already. */
export function withRun(state: JsonObject, phase: string, asked: TestRequirement, run: Run): JsonObject {
  const path = testsPath(phase);
  const before = objectAt(state, path) ?? { required: true, completed: false, started_at: isoTime(run.now) };
  const history = listAt(before, ['history']).filter(isJsonObject);
  if (run.callId !== undefined && history.some((one) => one['tool_use_id'] === run.callId)) return state;
  const limits = limitsOf(state, asked);
  const iteration = (numberAt(before, 'current_iteration') ?? 0) + 1;
  const { verdict } = run;
  const entry = {
    iteration,
    timestamp: isoTime(run.now),
    command: run.command.slice(0, TEXT_LENGTH),
    result: RESULTS[verdict.result],
    failures: verdict.counts?.failed ?? (verdict.result === 'failed' ? 1 : 0),
    ...(verdict.result === 'failed' && { error: verdict.shown.slice(0, TEXT_LENGTH) }),
    ...(run.callId !== undefined && { tool_use_id: run.callId }),
  };
  return withValueAt(state, path, {
    ...before,
    current_iteration: iteration,
    max_iterations: limits.maxIterations,
    last_test_result: verdict.result,
    last_test_command: entry.command,
    last_test_at: entry.timestamp,
    ...(verdict.coverage !== undefined && { coverage: verdict.coverage }),
    ...endOf(before, history.at(-1), run, iteration, limits, asked),
    history: [...history, entry].slice(-HISTORY_KEPT),
  });
}

/** The state of a project that has edited something after its tests had passed: they count no more. */
export function withEdit(state: JsonObject, phase: string, now: number): JsonObject {
  const record = objectAt(state, testsPath(phase));
  const isStanding = record?.['completed'] === true && record['status'] !== 'escalated';
  if (!isStanding || textAt(record, 'edited_at') !== undefined) return state;
  return withValueAt(state, testsPath(phase), { ...record, edited_at: isoTime(now) });
}

function limitsOf(state: JsonObject, asked: TestRequirement): Limits {
  const own = iterationLimits(state);
  return { maxIterations: own.max ?? asked.maxIterations, breaker: own.breaker ?? asked.breaker };
}

function endOf(
  before: JsonObject,
  last: JsonObject | undefined,
  run: Run,
  iteration: number,
  limits: Limits,
  asked: TestRequirement,
): JsonObject {
  switch (run.verdict.result) {
    case 'passed':
      return passed(run);
    case 'inconclusive':
      return {};
    case 'failed': {
      const failures = (numberAt(before, 'failures_count') ?? 0) + 1;
      const lastError = textAt(last, 'error');
      const known = {
        identical: numberAt(before, 'identical_failure_count') ?? 0,
        lastError: lastError === undefined ? undefined : normalisedError(lastError),
      };
      const { identical, escalation } = afterFailure(known, run.verdict.error, iteration, limits);
      const counts = { failures_count: failures, identical_failure_count: identical };
      return { ...counts, ...failed(run, asked.reportOnly, escalation) };
    }
  }
}

/** Bound to the tree that was tested: what is edited later has not been. */
function passed({ now, tree, head }: Run): JsonObject {
  return {
    completed: true,
    status: 'success',
    identical_failure_count: 0,
    completed_at: isoTime(now),
    edited_at: null,
    evidence: tree === undefined ? null : { tree, head: head ?? null, recorded_at: isoTime(now) },
  };
}

function failed({ now, verdict }: Run, reportOnly: boolean, escalation: Escalation | undefined): JsonObject {
  const retracted = { evidence: null };
  if (reportOnly) return { ...retracted, completed: true, status: 'reported', completed_at: isoTime(now) };
  if (escalation === undefined) return { ...retracted, completed: false, status: 'iterating' };
  return {
    ...retracted,
    completed: true,
    status: 'escalated',
    completed_at: isoTime(now),
    escalation_reason: escalation,
    escalation_details: verdict.shown.slice(0, TEXT_LENGTH),
    escalation_approved: false,
  };
}
