import type { JsonObject } from '../../core/json';
import { type Standing, standingOf } from '../../guards/workflow/gate';
import { textAt } from '../../guards/workflow/json-path';
import type { WorkflowModel } from '../../guards/workflow/model';
import { phaseStatus } from '../../guards/workflow/state';

/** How the workflow of a state stands, in the shape that scripts read; what there is not is null. */
export function flowJson(model: WorkflowModel, state: JsonObject, tree?: string): JsonObject {
  return standingJson(standingOf(model, state, tree), state);
}

export function standingJson(standing: Standing | undefined, state: JsonObject): JsonObject {
  if (standing === undefined) return NO_WORKFLOW;
  const { workflow, phase, index, phases, missing } = standing;
  return {
    active: !workflow.suspended,
    workflow: workflow.type ?? null,
    phase: phase ?? null,
    index: index < 0 ? null : index,
    phases: phases.map((name, at) => ({ name, status: statusOf(state, name, at < index) })),
    missing: missing.map(({ what, why, how }) => ({ what, why, how })),
    branch: workflow.branch?.name ?? null,
    artifact: workflow.artifact ?? null,
    ...(workflow.suspended && { suspended: true }),
  };
}

/** The record of a phase counts before the copy that the workflow keeps of its status, and both before its place. */
export function statusOf(state: JsonObject, phase: string, isBehind: boolean): string {
  const noted = phaseStatus(state, phase) ?? textAt(state, 'active_workflow', 'phase_status', phase);
  return noted ?? (isBehind ? 'completed' : 'pending');
}

const NO_WORKFLOW: JsonObject = {
  active: false,
  workflow: null,
  phase: null,
  index: null,
  phases: [],
  missing: [],
  branch: null,
  artifact: null,
};
