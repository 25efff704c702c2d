import type { Json } from '../../core/json';
import { phasesOf } from './facts';
import { type ActionCode, lacksOf } from './gate';
import { requirementsOf, samePhase, workflowNamed } from './look-up';
import { gateMismatch } from './messages';
import type { WorkflowModel } from './model';
import { type ActiveWorkflow, activeWorkflow, currentPhase, isEnforced, phaseStatus } from './state';

/** Where a workflow stands: its phases, the one it is in, and what that one still lacks. */
export interface Standing {
  readonly workflow: ActiveWorkflow;
  readonly phases: readonly string[];
  /** Absent where the state names none. */
  readonly phase: string | undefined;
  /** The place of the current phase; -1 where it is none of the workflow's. */
  readonly index: number;
  readonly missing: readonly Missing[];
}

/** One thing between a phase and the next: what, why it counts as missing, and how to get it. */
export interface Missing {
  readonly what: string;
  readonly why: string;
  readonly how: string;
  /** Absent for what is wrong with the workflow itself and not with its evidence. */
  readonly action?: ActionCode;
}

/** `tree` is the tree as it is now; without it test evidence is taken to be of that tree. */
export function standingOf(
  model: WorkflowModel,
  state: Json | undefined,
  tree?: string,
): Standing | undefined {
  const workflow = activeWorkflow(state);
  if (workflow === undefined) return undefined;
  const phases = phasesOf(model, workflow);
  const phase = currentPhase(state);
  const index = phase === undefined ? -1 : placeOf(model, phases, phase, workflow.index);
  const missing = phase === undefined ? [NO_PHASE] : missingIn(model, state, workflow, phases, phase, tree);
  return { workflow, phases, phase, index, missing };
}

/** Whether a phase's gate looks at tests, so that the tree has to be known to judge it. */
export function looksAtTests(model: WorkflowModel, state: Json | undefined): boolean {
  const phase = currentPhase(state);
  if (phase === undefined) return false;
  const asked = requirementsOf(model, activeWorkflow(state)?.type, phase).tests;
  return asked !== undefined && !asked.reportOnly;
}

/** What becomes of an attempt to leave a phase that lacks something. */
export function gateForce(model: WorkflowModel, workflow: string | undefined): 'refuse' | 'warn' | 'none' {
  const isPermissive = workflowNamed(model, workflow)?.gateMode === 'permissive';
  switch (model.rules['gate-blocker'].mode) {
    case 'disabled':
    case 'observe':
      return 'none';
    case 'warn':
      return 'warn';
    case 'ask':
    case 'deny':
      return isPermissive ? 'warn' : 'refuse';
  }
}

const NO_PHASE: Missing = {
  what: 'current_phase',
  why: 'the state names no current phase',
  how: '`holdpoint flow rollback PHASE`',
};

function missingIn(
  model: WorkflowModel,
  state: Json | undefined,
  workflow: ActiveWorkflow,
  phases: readonly string[],
  phase: string,
  tree: string | undefined,
): readonly Missing[] {
  const mismatch = mismatchOf(model, workflow, phases, phase);
  if (mismatch !== undefined) return [mismatch];
  const begun = phaseStatus(state, phase) === 'pending' ? [notBegun(phase)] : [];
  if (!isEnforced(state)) return begun;
  const lacks = lacksOf({ model, state, phase, ...(tree !== undefined && { tree }) });
  return [
    ...begun,
    ...lacks.map(({ requirement, reason, how, action }) => ({ what: requirement, why: reason, how, action })),
  ];
}

function mismatchOf(
  model: WorkflowModel,
  { index }: ActiveWorkflow,
  phases: readonly string[],
  phase: string,
): Missing | undefined {
  const isNone = placeOf(model, phases, phase, index) < 0;
  const expected = index === undefined ? undefined : phases[index];
  const isOther = index !== undefined && (expected === undefined || !samePhase(model, expected, phase));
  if (!isNone && !isOther) return undefined;
  const [why = ''] = gateMismatch(expected ?? 'none', index ?? -1, phase).split('\n');
  return { what: 'workflow_state', why, how: '`holdpoint flow rollback PHASE`' };
}

function notBegun(phase: string): Missing {
  return { what: 'phase_started', why: `${phase} has not been begun`, how: '`holdpoint flow begin`' };
}

/** A phase may stand in a workflow twice; then the noted place tells which one it is. */
function placeOf(
  model: WorkflowModel,
  phases: readonly string[],
  phase: string,
  noted: number | undefined,
): number {
  const there = noted === undefined ? undefined : phases[noted];
  if (noted !== undefined && there !== undefined && samePhase(model, there, phase)) return noted;
  const exact = phases.indexOf(phase);
  return exact >= 0 ? exact : phases.findIndex((one) => samePhase(model, one, phase));
}
