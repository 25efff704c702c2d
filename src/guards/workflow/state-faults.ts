import type { JsonObject } from '../../core/json';
import { lacksOf } from './gate';
import { listAt, objectAt, sameJson } from './json-path';
import { samePhase, workflowNamed } from './look-up';
import type { WorkflowModel } from './model';
import { changedMark } from './person-marks';
import { type ActiveWorkflow, activeWorkflow, isEnforced, phaseRecords, skillEnforcement } from './state';

/** What a write to the state does that is not its writer's to do, and what would be. */
export interface Fault {
  readonly what: string;
  readonly how: string;
}

/** The first thing in a new state that an agent may not bring about by writing it. */
export function faultOf(
  model: WorkflowModel,
  before: JsonObject | undefined,
  after: JsonObject,
): Fault | undefined {
  return (
    switchingOff(before, after) ??
    approving(before, after) ??
    claiming(before, after) ??
    moving(model, before, after)
  );
}

function switchingOff(before: JsonObject | undefined, after: JsonObject): Fault | undefined {
  const person = 'a person switches rules off, in the config';
  if (isEnforced(before) && !isEnforced(after))
    return { what: 'switches the iteration rules off', how: person };
  if (skillEnforcement(before).enabled && !skillEnforcement(after).enabled) {
    return { what: 'switches the enforcement of skills off', how: person };
  }
  return undefined;
}

/** What a person has let pass, and what evidence is too old to count, is changed by commands alone. */
function approving(before: JsonObject | undefined, after: JsonObject): Fault | undefined {
  switch (changedMark(before, after)) {
    case 'approval':
      return {
        what: 'changes what only a person approves',
        how: 'a person may run `holdpoint flow approve GATE`',
      };
    case 'evidence_since':
      return {
        what: 'changes since when evidence counts',
        how: '`holdpoint flow redo` and `holdpoint flow rollback` set it',
      };
    case undefined:
      return undefined;
  }
}

const TESTS = ['iteration_requirements', 'test_iteration'];

/** Results of tests and delegations are noted as they are seen; nobody else knows of any. */
function claiming(before: JsonObject | undefined, after: JsonObject): Fault | undefined {
  const tested = phaseRecords(after).find(([phase, record]) => {
    const claim = objectAt(record, TESTS);
    const known = objectAt(before, ['phases', phase, ...TESTS]);
    return claim?.['completed'] === true && JSON.stringify(claim) !== JSON.stringify(known);
  });
  if (tested !== undefined) {
    return {
      what: `says how the tests of ${tested[0]} went`,
      how: 'run the tests; their result is recorded',
    };
  }
  const noted = new Set(listAt(before, LOG).map((entry) => JSON.stringify(entry)));
  const isNew = listAt(after, LOG).some((entry) => !noted.has(JSON.stringify(entry)));
  return isNew ? { what: 'says who was delegated to', how: 'delegate; it is recorded' } : undefined;
}

const LOG = ['skill_usage_log'];

const CANCEL = 'a person may run `holdpoint flow cancel --reason WHY`';

/** The workflow goes on by the same gates, whoever writes it. */
function moving(model: WorkflowModel, before: JsonObject | undefined, after: JsonObject): Fault | undefined {
  const old = activeWorkflow(before);
  if (old === undefined) return undefined;
  const next = activeWorkflow(after);
  const isDone = mayEnd(model, before, old);
  if (next === undefined || next.type !== old.type)
    return isDone ? undefined : { what: 'ends the workflow', how: CANCEL };
  if (!sameJson(phasesIn(model, old), phasesIn(model, next)))
    return { what: 'changes the phases of the workflow', how: CANCEL };
  if (old.phase === undefined) return undefined;
  if (next.suspended && !old.suspended)
    return { what: 'suspends the workflow', how: 'a person may run `holdpoint flow suspend`' };
  const released =
    old.branch?.status === 'active' &&
    (next.branch?.status !== 'active' || next.branch.name !== old.branch.name);
  if (released && !isDone) return { what: 'lets go of the branch', how: CANCEL };
  return movedPhase(model, old, next, isOpen(model, before, old.phase));
}

function isOpen(model: WorkflowModel, state: JsonObject | undefined, phase: string): boolean {
  return lacksOf({ model, state, phase }).length === 0;
}

/** Behind the last gate, and in no phase at all, there is nothing left to hold. */
function mayEnd(model: WorkflowModel, state: JsonObject | undefined, workflow: ActiveWorkflow): boolean {
  const { phase } = workflow;
  if (phase === undefined) return true;
  return phasesIn(model, workflow).at(-1) === phase && isOpen(model, state, phase);
}

function movedPhase(
  model: WorkflowModel,
  old: ActiveWorkflow,
  next: ActiveWorkflow,
  isPassed: boolean,
): Fault | undefined {
  const { phase: from = '' } = old;
  if (next.phase === undefined)
    return { what: 'takes the current phase away', how: '`holdpoint flow status`' };
  if (samePhase(model, from, next.phase)) return undefined;
  const phases = phasesIn(model, old);
  const [at, to] = [phases.indexOf(from), phases.indexOf(next.phase)];
  if (to >= 0 && to < at)
    return { what: `goes back to ${next.phase}`, how: `\`holdpoint flow rollback ${next.phase}\`` };
  const isNext = at < 0 || to === at + 1;
  if (isNext && isPassed) return undefined;
  return {
    what: `goes on to ${next.phase} before the gate of ${from} is passed`,
    how: '`holdpoint flow advance`',
  };
}

function phasesIn(model: WorkflowModel, workflow: ActiveWorkflow): readonly string[] {
  return workflow.phases.length > 0 ? workflow.phases : (workflowNamed(model, workflow.type)?.phases ?? []);
}
