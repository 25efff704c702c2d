import { isJsonObject, type JsonObject } from '../../../core/json';
import { isoTime } from '../../../core/text';
import { listAt, objectAt, textsAt, withMembersAt, withValueAt } from '../json-path';
import { activeWorkflow } from '../state';

/*
 * A suspended workflow makes room for another one: it lies on a shelf together with what its phases have
 * shown, and comes back, still suspended, when the other one has ended.
 */

const SHELF = ['suspended_workflows'];

/** The state with its suspended workflow put away; the same state where there is none. */
export function shelved(state: JsonObject): JsonObject {
  const workflow = objectAt(state, ['active_workflow']);
  if (workflow === undefined || activeWorkflow(state)?.suspended !== true) return state;
  const records = objectAt(state, ['phases']) ?? {};
  const names = textsAt(workflow, 'phases');
  const kept = Object.entries(records).filter(([name]) => names.includes(name));
  const entry = { workflow, phases: Object.fromEntries(kept) };
  return withValueAt(state, SHELF, [...listAt(state, SHELF), entry]);
}

/** The state without a workflow, or with the one that was put away last. */
export function vacated(state: JsonObject, now: number): JsonObject {
  const last = listAt(state, SHELF).at(-1);
  const workflow = isJsonObject(last) ? objectAt(last, ['workflow']) : undefined;
  if (workflow === undefined) {
    return withValueAt(withValueAt(state, ['active_workflow'], null), ['current_phase'], null);
  }
  const back = withValueAt(state, SHELF, listAt(state, SHELF).slice(0, -1));
  const running = withValueAt(back, ['active_workflow'], workflow);
  const phase = workflow['current_phase'] ?? null;
  return withValueAt(
    withMembersAt(running, ['phases'], openAgain(objectAt(last, ['phases']) ?? {}, now)),
    ['current_phase'],
    phase,
  );
}

/** Delegations that were seen meanwhile were the other workflow's. */
function openAgain(records: JsonObject, now: number): JsonObject {
  return Object.fromEntries(
    Object.entries(records).map(([phase, record]) => {
      const isOpen = isJsonObject(record) && record['status'] === 'pending';
      return [phase, isOpen ? { ...record, evidence_since: isoTime(now) } : record];
    }),
  );
}
