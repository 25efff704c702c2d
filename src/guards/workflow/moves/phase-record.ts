import type { JsonObject } from '../../../core/json';
import { isoTime } from '../../../core/text';
import { objectAt, withMembersAt, withValueAt } from '../json-path';

export type PhaseStatus = 'pending' | 'in_progress' | 'completed';

/** A phase in which nothing has happened yet. */
export const UNTOUCHED: JsonObject = {
  status: 'pending',
  started: null,
  completed: null,
  gate_passed: null,
  artifacts: [],
};

/** What a phase has shown, and what was said about that. */
const EVIDENCE = [
  'gate_validation',
  'gate_approval',
  'constitutional_validation',
  'iteration_requirements',
  'atdd_validation',
];

/** The state with a phase's status, in both places where it is kept, and other members of its record. */
export function withPhase(
  state: JsonObject,
  phase: string,
  status: PhaseStatus,
  members: JsonObject = {},
): JsonObject {
  const noted = withMembersAt(state, ['active_workflow', 'phase_status'], { [phase]: status });
  const record = objectAt(noted, ['phases', phase]) ?? UNTOUCHED;
  return withValueAt(noted, ['phases', phase], { ...record, status, ...members });
}

/** The state with nothing shown in a phase; delegations seen before now count for it no more. */
export function withoutEvidence(
  state: JsonObject,
  phase: string,
  status: PhaseStatus,
  now: number,
): JsonObject {
  const record = objectAt(state, ['phases', phase]) ?? UNTOUCHED;
  const kept = Object.entries(record).filter(([key]) => !EVIDENCE.includes(key));
  const bare = withValueAt(state, ['phases', phase], Object.fromEntries(kept));
  return withPhase(bare, phase, status, {
    started: status === 'in_progress' ? isoTime(now) : null,
    completed: null,
    gate_passed: null,
    evidence_since: isoTime(now),
  });
}

/** The state with another current phase, in all places where it is kept. */
export function withCurrentPhase(state: JsonObject, phase: string, index: number): JsonObject {
  const moved = withMembersAt(state, ['active_workflow'], {
    current_phase: phase,
    current_phase_index: index,
  });
  return withValueAt(moved, ['current_phase'], phase);
}
