import { ALL, type ExecutionState, type Iteration } from '../execution-state';
import type { GateResult } from '../run-result';
import type { GauntletStatus } from '../status';
import type { Selection } from './request';
import { didNotPass } from './results';
import type { Attempt } from './retries';
import { isOpen } from './scene';

/** How a run ended, as far as the session is concerned. */
export interface Ended {
  readonly attempt: Attempt;
  readonly gates: readonly GateResult[];
  readonly status: GauntletStatus;
  readonly iterations: readonly Iteration[];
  /** Passed, and nothing of the session is left open. */
  readonly isOver: boolean;
}

/** Which part of the gates was asked for, in words that are equal for equal parts. */
export function selectionOf(request: { readonly mode: string; readonly select: Selection }): string {
  const { base, gate, commit, uncommitted } = request.select;
  return [
    request.mode,
    ...(base === undefined ? [] : [`-b ${base}`]),
    ...(gate === undefined ? [] : [`-g ${gate}`]),
    ...(commit === undefined ? [] : [`-c ${commit}`]),
    ...(uncommitted ? ['-u'] : []),
  ].join(' ');
}

/** A part of the gates does not end a session that is about more than that part. */
export function endsSession(selection: string, state: ExecutionState | undefined): boolean {
  return !isOpen(state) || selection === ALL || selection === state?.selection;
}

/**
 * What the state says of the session after a run. Attempts are used up by gates that failed, neither by those
 * that could give no answer nor by a part that passes while the rest is still open.
 */
export function sessionAfter(
  state: ExecutionState | undefined,
  selection: string,
  { attempt, gates, status, iterations, isOver }: Ended,
): ExecutionState {
  if (isOver) return { last_status: status, run: 0, ...(selection !== ALL && { selection }) };
  const failed = status === 'failed' || status === 'retry_limit_exceeded';
  const passed = !failed && status !== 'infrastructure_error';
  return {
    last_status: passed ? (state?.last_status ?? status) : status,
    run: failed ? attempt.attempt : attempt.attempt - 1,
    selection: endsSession(selection, state) ? selection : ALL,
    failing: failingAfter(state, gates),
    ...(iterations.length > 0 && { iterations }),
  };
}

function failingAfter(state: ExecutionState | undefined, gates: readonly GateResult[]): readonly string[] {
  const executed = new Set(gates.map(({ id }) => id));
  const before = isOpen(state) ? (state?.failing ?? []) : [];
  return [...before.filter((id) => !executed.has(id)), ...gates.filter(didNotPass).map(({ id }) => id)];
}
