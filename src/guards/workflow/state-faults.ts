import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { lacksOf } from './gate';
import { listAt, numberAt, objectAt, valueAt } from './json-path';
import { samePhase, type WorkflowModel, workflowNamed } from './model';
import {
  type ActiveWorkflow,
  activeWorkflow,
  isEnforced,
  phaseRecords,
  skillEnforcement,
  TESTS,
  testsPath,
} from './state';

/** What a write to the state does that its writer may not do, and what to do instead. */
type Fault = { readonly what: string; readonly how: string };

type State = JsonObject | undefined;

function fault(what: string, how: string): Fault {
  return { what, how };
}

/** The first thing in a new state that an agent may not bring about by writing it. */
export function faultOf(model: WorkflowModel, before: State, after: JsonObject): Fault | undefined {
  return (
    switchingOff(before, after) ??
    changingMarks(before, after) ??
    claiming(before, after) ??
    moving(model, before, after)
  );
}

function switchingOff(before: State, after: JsonObject): Fault | undefined {
  const how = 'a person switches rules off, in the config';
  if (isEnforced(before) && !isEnforced(after)) return fault('switches the iteration rules off', how);
  if (skillEnforcement(before).enabled && !skillEnforcement(after).enabled)
    return fault('switches the enforcement of skills off', how);
  return undefined;
}

/** What a person has approved, and since when evidence counts, is changed by commands alone. */
function changingMarks(before: State, after: JsonObject): Fault | undefined {
  const shelf = ['suspended_workflows'];
  // Workflows that were put away come back with their approvals, so nothing may be slipped in there either.
  const isShelfChanged = !isDeepStrictEqual(valueAt(before, shelf), valueAt(after, shelf));
  const known = approvedEscalations(valueAt(before, ['phases']), 'phases');
  const isEscalationApproved = approvedEscalations(valueAt(after, ['phases']), 'phases').some(
    (path) => !known.includes(path),
  );
  if (isMarkChanged('gate_approval', before, after) || isEscalationApproved || isShelfChanged) {
    return fault('changes what only a person approves', 'a person may run `holdpoint flow approve GATE`');
  }
  if (!isMarkChanged('evidence_since', before, after)) return undefined;
  const how = '`holdpoint flow redo` and `holdpoint flow rollback` set it';
  return fault('changes since when evidence counts', how);
}

/** Where no workflow was active, marks of an earlier one may go, but none may come. */
function isMarkChanged(key: string, before: State, after: JsonObject): boolean {
  const mayGo = activeWorkflow(before) === undefined;
  return [...phaseRecords(before), ...phaseRecords(after)].some(([phase]) => {
    const path = ['phases', phase, key];
    const next = valueAt(after, path);
    return !isDeepStrictEqual(valueAt(before, path), next) && !(mayGo && next === undefined);
  });
}

function approvedEscalations(value: Json | undefined, path: string): string[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const here = `${path}/${key}`;
    return key === 'escalation_approved' && member === true ? [here] : approvedEscalations(member, here);
  });
}

/** Results of tests and delegations are recorded as they are seen; nobody else knows of any. */
function claiming(before: State, after: JsonObject): Fault | undefined {
  const tested = phaseRecords(after).find(([phase, record]) => {
    const claim = objectAt(record, TESTS);
    const known = objectAt(before, testsPath(phase));
    return claim?.['completed'] === true && JSON.stringify(claim) !== JSON.stringify(known);
  });
  if (tested !== undefined)
    return fault(`says how the tests of ${tested[0]} went`, 'run the tests; their result is recorded');
  const [known, log] = [before, after].map((state) =>
    listAt(state, ['skill_usage_log']).map((entry) => JSON.stringify(entry)),
  );
  const isNew = log?.some((entry) => !known?.includes(entry));
  return isNew ? fault('says who was delegated to', 'delegate; it is recorded') : undefined;
}

const CANCEL = 'a person may run `holdpoint flow cancel --reason WHY`';

/** The workflow goes on by the same gates, whoever writes it. */
function moving(model: WorkflowModel, before: State, after: JsonObject): Fault | undefined {
  const old = activeWorkflow(before);
  const next = activeWorkflow(after);
  if (old === undefined) return undefined;
  const phases = phasesIn(model, old);
  // Behind the last gate, and in no phase at all, there is nothing left to hold.
  const isOpen = old.phase === undefined || lacksOf({ model, state: before, phase: old.phase }).length === 0;
  const mayEnd = isOpen && [undefined, phases.at(-1)].includes(old.phase);
  if (next === undefined || next.type !== old.type)
    return mayEnd ? undefined : fault('ends the workflow', CANCEL);
  if (!isDeepStrictEqual(phases, phasesIn(model, next)))
    return fault('changes the phases of the workflow', CANCEL);
  if (old.phase === undefined) return undefined;
  if (next.suspended && !old.suspended)
    return fault('suspends the workflow', 'a person may run `holdpoint flow suspend`');
  const hasBranch = old.branch?.status === 'active';
  if (hasBranch && !isDeepStrictEqual(old.branch, next.branch) && !mayEnd)
    return fault('lets go of the branch', CANCEL);
  if (next.phase === undefined) return fault('takes the current phase away', '`holdpoint flow status`');
  if (samePhase(model, old.phase, next.phase)) return undefined;
  return movedPhase(phases, old.phase, next.phase, isOpen);
}

function movedPhase(phases: readonly string[], from: string, to: string, isOpen: boolean): Fault | undefined {
  const [at, next] = [phases.indexOf(from), phases.indexOf(to)];
  if (next >= 0 && next < at) return fault(`goes back to ${to}`, `\`holdpoint flow rollback ${to}\``);
  if (isOpen && (at < 0 || next === at + 1)) return undefined;
  return fault(`goes on to ${to} before the gate of ${from} is passed`, '`holdpoint flow advance`');
}

function phasesIn(model: WorkflowModel, workflow: ActiveWorkflow): readonly string[] {
  return workflow.phases.length > 0 ? workflow.phases : (workflowNamed(model, workflow.type)?.phases ?? []);
}

const CLAIMS = [
  { path: ['constitutional_validation'], count: 'iterations_used', rule: 'V1' },
  { path: ['iteration_requirements', 'interactive_elicitation'], count: 'menu_interactions', rule: 'V2' },
  { path: TESTS, count: 'current_iteration', rule: 'V3' },
];

/** Claims in a state that nothing was done for: completed after not a single iteration. */
export function suspicionsIn(state: JsonObject) {
  return phaseRecords(state).flatMap(([phase, record]) =>
    CLAIMS.flatMap(({ path, count, rule }) => {
      const claim = objectAt(record, path);
      const done = numberAt(claim, count) ?? 0;
      if (claim?.['completed'] !== true || done >= 1) return [];
      return [{ phase, issue: `${path.at(-1)}.completed is true but ${count} is ${done}`, rule }];
    }),
  );
}
