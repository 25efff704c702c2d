import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { objectAt, sameJson, valueAt } from './json-path';
import { activeWorkflow, phaseRecords } from './state';

/** A mark in the record of a phase that no write of an agent's may change. */
export type Mark = 'approval' | 'evidence_since';

/** The first such mark that is another one in the new state. */
export function changedMark(before: JsonObject | undefined, after: JsonObject): Mark | undefined {
  if (isChanged('gate_approval', before, after) || escalates(before, after)) return 'approval';
  // What was put away comes back with its approvals, so nothing may be slipped in there either.
  if (!sameJson(valueAt(before, ['suspended_workflows']), valueAt(after, ['suspended_workflows'])))
    return 'approval';
  return isChanged('evidence_since', before, after) ? 'evidence_since' : undefined;
}

/** Where no workflow was active, marks of an earlier one may go, but none may come. */
function isChanged(key: string, before: JsonObject | undefined, after: JsonObject): boolean {
  const mayGo = activeWorkflow(before) === undefined;
  const phases = new Set([...phaseRecords(before), ...phaseRecords(after)].map(([phase]) => phase));
  return [...phases].some((phase) => {
    const path = ['phases', phase, key];
    const next = valueAt(after, path);
    return !sameJson(valueAt(before, path), next) && !(mayGo && next === undefined);
  });
}

/** Every approved escalation in the new state must have been in the old one. */
function escalates(before: JsonObject | undefined, after: JsonObject): boolean {
  const old = new Set(escalationsIn(objectAt(before, ['phases']), 'phases'));
  return escalationsIn(objectAt(after, ['phases']), 'phases').some((path) => !old.has(path));
}

function escalationsIn(value: Json | undefined, path: string): string[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const here = `${path}/${key}`;
    return key === 'escalation_approved' && member === true ? [here] : escalationsIn(member, here);
  });
}
