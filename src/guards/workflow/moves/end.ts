import type { JsonObject } from '../../../core/json';
import { isoTime } from '../../../core/text';
import { listAt, objectAt, withMembersAt, withValueAt } from '../json-path';
import { currentPhase } from '../state';
import { vacated } from './shelf';

const WORKFLOW = ['active_workflow'];
const HISTORY_KEPT = 100;

/** The state after the last gate: the branch is nobody's any more and may be merged. */
export function finished(state: JsonObject, now: number): JsonObject {
  const at = isoTime(now);
  return ended(
    state,
    { status: 'completed', completed_at: at },
    { status: 'completed', completed_at: at },
    now,
  );
}

export function cancelled(state: JsonObject, reason: string, now: number): JsonObject {
  const at = isoTime(now);
  return ended(
    state,
    {
      status: 'cancelled',
      cancelled_at: at,
      cancelled_at_phase: currentPhase(state) ?? null,
      cancellation_reason: reason,
    },
    { status: 'abandoned', abandoned_at: at, abandonment_reason: reason },
    now,
  );
}

export function suspended(state: JsonObject, now: number): JsonObject {
  return withMembersAt(state, WORKFLOW, { suspended_at: isoTime(now) });
}

export function resumed(state: JsonObject): JsonObject {
  const { suspended_at: _, ...others } = objectAt(state, WORKFLOW) ?? {};
  return withValueAt(state, WORKFLOW, others);
}

/** What the workflow was and how it ended goes into the history; what its phases have shown stays where it is. */
function ended(state: JsonObject, end: JsonObject, branchEnd: JsonObject, now: number): JsonObject {
  const { phase_status: _, suspended_at: __, ...workflow } = objectAt(state, WORKFLOW) ?? {};
  const branch = objectAt(workflow, ['git_branch']);
  const entry = { ...workflow, ...end, ...(branch && { git_branch: { ...branch, ...branchEnd } }) };
  const history = [...listAt(state, ['workflow_history']), entry].slice(-HISTORY_KEPT);
  return vacated(withValueAt(state, ['workflow_history'], history), now);
}
