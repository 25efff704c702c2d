import type { JsonObject } from '../../../core/json';
import { isoTime } from '../../../core/text';
import { listAt, textAt, withValueAt } from '../json-path';
import { phaseStatus } from '../state';
import { withCurrentPhase, withoutEvidence, withPhase } from './phase-record';

/** The state with the work on a phase begun. One that has been begun stays as it is. */
export function begun(state: JsonObject, phase: string, now: number): JsonObject {
  const status = phaseStatus(state, phase);
  if (status === 'in_progress' || status === 'completed') return state;
  return withPhase(state, phase, 'in_progress', { started: isoTime(now) });
}

/** The state with a phase's gate passed, and whatever was pending because of it gone. */
export function passed(state: JsonObject, phase: string, now: number): JsonObject {
  const at = isoTime(now);
  const done = withPhase(state, phase, 'completed', {
    completed: at,
    gate_passed: at,
    gate_validation: { status: 'passed', passed_at: at },
  });
  return withoutEscalations(done, phase);
}

/** The state with the workflow in its next phase. What a phase has shown before it was redone still counts. */
export function entered(state: JsonObject, phase: string, index: number): JsonObject {
  const isDone = phaseStatus(state, phase) === 'completed';
  return withPhase(withCurrentPhase(state, phase, index), phase, isDone ? 'completed' : 'pending');
}

/** The state with one phase to be done again; what later ones have shown is kept. */
export function redone(state: JsonObject, phase: string, index: number, now: number): JsonObject {
  const there = withCurrentPhase(state, phase, index);
  return withoutEscalations(withoutEvidence(there, phase, 'in_progress', now), phase);
}

/** The state with a phase and everything after it to be done again. */
export function rolledBack(
  state: JsonObject,
  phases: readonly string[],
  index: number,
  now: number,
): JsonObject {
  const [first, ...later] = phases.slice(index);
  if (first === undefined) return state;
  return later.reduce(
    (current, phase) => withoutEscalations(withoutEvidence(current, phase, 'pending', now), phase),
    redone(state, first, index, now),
  );
}

/** What a person was to hear of a phase is settled when the phase is. */
export function withoutEscalations(state: JsonObject, phase: string): JsonObject {
  const pending = listAt(state, ['pending_escalations']);
  const kept = pending.filter((one) => textAt(one, 'phase') !== phase);
  return kept.length === pending.length ? state : withValueAt(state, ['pending_escalations'], kept);
}
