import type { GateResult, RunResult } from '../run-result';
import type { GauntletStatus } from '../status';
import { statusText } from './messages';
import type { Attempt } from './retries';
import { isLast } from './retries';

/**
 * What the results of gates come to. A gate that failed outweighs those that could give no answer: it is
 * certain. Where none failed but not all have passed, nobody in the code is to blame.
 */
export function statusOf(gates: readonly GateResult[], attempt: Attempt): GauntletStatus {
  const has = (...wanted: readonly GateResult['status'][]): boolean =>
    gates.some(({ status }) => wanted.includes(status));
  if (has('fail')) return isLast(attempt) ? 'retry_limit_exceeded' : 'failed';
  if (has('error', 'skipped')) return 'infrastructure_error';
  return gates.some(({ skippedFindings = 0 }) => skippedFindings > 0) ? 'passed_with_warnings' : 'passed';
}

export function isPass(status: GauntletStatus): boolean {
  return status === 'passed' || status === 'passed_with_warnings';
}

export function didNotPass({ status }: GateResult): boolean {
  return status === 'fail' || status === 'error';
}

/** A run in which no gate was executed. */
export function idleResult(status: GauntletStatus, more: Partial<RunResult> = {}): RunResult {
  return { status, message: statusText(status, []), gates: [], warnings: [], ...more };
}

/** A run that could not be begun or went wrong; never the code's fault. */
export function errorResult(why: string, warnings: readonly string[] = []): RunResult {
  return idleResult('error', { message: why, errorMessage: why, warnings });
}

/** The same results after their files were moved to another directory. */
export function movedTo(gates: readonly GateResult[], move: (file: string) => string): readonly GateResult[] {
  return gates.map((gate) => ({
    ...gate,
    ...(gate.log !== undefined && { log: move(gate.log) }),
    ...(gate.reviews !== undefined && { reviews: gate.reviews.map(move) }),
    ...(gate.slots !== undefined && {
      slots: gate.slots.map((slot) => ({
        ...slot,
        ...(slot.log !== undefined && { log: move(slot.log) }),
        ...(slot.review !== undefined && { review: move(slot.review) }),
      })),
    }),
  }));
}
