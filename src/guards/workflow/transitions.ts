import {
  listAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  withEntryAt,
  withMembersAt,
  withValueAt,
} from '../../config/pointer';
import type { Who } from '../../core/actor';
import { isoTime } from '../../core/text';
import type { Requirement, Workflow } from './model';
import { ABSENT_PATH, type Absent } from './phase-requirements';
import {
  activeWorkflow,
  currentPhase,
  evidencePath,
  phaseStatus,
  type State,
  selectionMembers,
} from './state';

/* State transitions of the `holdpoint flow` commands. Every function returns a new state. */

const WORKFLOW = ['active_workflow'];
/** Suspended workflows that another one has replaced, each with the records of its phases. */
const SHELF_PATH = ['suspended_workflows'];
const WORKFLOWS_KEPT = 100;
const ROUNDS_KEPT = 50;

type PhaseStatus = 'pending' | 'in_progress' | 'completed';

/** The record of a phase that has not begun. */
const UNTOUCHED = { status: 'pending', started: null, completed: null, gate_passed: null, artifacts: [] };

/** The members of a phase's record that are evidence, or decisions about it. */
const SHOWN = [
  'gate_validation',
  'gate_approval',
  'constitutional_validation',
  'iteration_requirements',
  'atdd_validation',
];

/** A workflow to start; `phases` are those that are not skipped. */
export interface WorkflowStart {
  readonly workflow: Workflow;
  readonly phases: readonly string[];
  readonly description?: string;
  readonly artifact?: Artifact;
  readonly branch?: { readonly name: string; readonly from: string };
  readonly atdd: boolean;
  /** Not set in a project of iSDLC, where everything is required. */
  readonly absent?: Absent;
}

/** What the work is filed under. `number` is the counter's value, if the name contains one. */
export type Artifact = { readonly name: string; readonly number?: number };

/** Starts the workflow in its first phase, without beginning that phase. A suspended workflow is shelved. */
export function startWorkflow(state: State, start: WorkflowStart, now: number): State {
  const { workflow, phases, description = '', artifact, branch, atdd, absent } = start;
  const at = isoTime(now);
  const active: State = {
    type: workflow.name,
    description,
    started_at: at,
    phases,
    current_phase: '',
    current_phase_index: 0,
    phase_status: Object.fromEntries(phases.map((phase) => [phase, 'pending'])),
    gate_mode: workflow.gateMode,
    atdd_mode: atdd,
    ...(absent && { absent: { ...absent } }),
    ...(artifact && {
      artifact_prefix: workflow.artifactPrefix,
      artifact_folder: artifact.name,
      ...(artifact.number !== undefined && { counter_used: artifact.number }),
    }),
    ...(branch && {
      git_branch: { name: branch.name, status: 'active', created_from: branch.from, created_at: at },
    }),
  };
  const records = Object.fromEntries(phases.map((phase) => [phase, UNTOUCHED]));
  let next = withMembersAt(shelveWorkflow(state), ['phases'], records);
  if (artifact?.number !== undefined) {
    // A number is never used twice, whether it was counted or given by hand.
    const counter = counterOf(workflow);
    const count = Math.max(numberAt(state, 'counters', counter) ?? 1, artifact.number + 1);
    next = withMembersAt(next, ['counters'], { [counter]: count });
  }
  return withCurrentPhase(withValueAt(next, WORKFLOW, active), phases[0] ?? '', 0);
}

/** The name of the counter that numbers a workflow's artifacts. */
export function counterOf({ artifactPrefix }: Workflow): string {
  return `next_${artifactPrefix.toLowerCase()}_id`;
}

/** Begins a phase; no change if it has begun already. */
export function beginPhase(state: State, phase: string, now: number): State {
  const status = phaseStatus(state, phase);
  if (status === 'in_progress' || status === 'completed') return state;
  return withPhase(state, phase, 'in_progress', { started: isoTime(now) });
}

/** Updates what the project lacks: some of it may have been added since the workflow started. */
export function withAbsent(state: State, absent: Absent): State {
  return withValueAt(state, ABSENT_PATH, { ...absent });
}

/** Passes a phase's gate and removes what was pending because of it. */
export function passGate(state: State, phase: string, now: number): State {
  const at = isoTime(now);
  const done = withPhase(state, phase, 'completed', {
    completed: at,
    gate_passed: at,
    gate_validation: { status: 'passed', passed_at: at },
  });
  return withoutEscalations(done, phase);
}

/** Moves on to the next phase, which stays completed if it was so before an earlier one was redone. */
export function enterPhase(state: State, phase: string, index: number): State {
  const isDone = phaseStatus(state, phase) === 'completed';
  return withPhase(withCurrentPhase(state, phase, index), phase, isDone ? 'completed' : 'pending');
}

/** Restarts one phase; later ones keep their evidence. */
export function redoPhase(state: State, phase: string, index: number, now: number): State {
  return withoutEvidence(withCurrentPhase(state, phase, index), phase, 'in_progress', now);
}

/** Restarts a phase and everything after it. */
export function rollBack(state: State, phases: readonly string[], index: number, now: number): State {
  return phases.slice(index).reduce((current, phase, at) => {
    return at === 0 ? redoPhase(current, phase, index, now) : withoutEvidence(current, phase, 'pending', now);
  }, state);
}

/**
 * Puts back the failed test runs that going back has removed. Otherwise an agent could go back before each time
 * that the circuit breaker would trip.
 */
export function withFailuresOf(before: State, state: State, phases: readonly string[]): State {
  return phases.reduce((current, phase) => {
    const path = evidencePath(phase, 'tests');
    const tests = objectAt(before, path);
    return tests?.['status'] === 'iterating' && tests['completed'] !== true
      ? withValueAt(current, path, tests)
      : current;
  }, state);
}

/**
 * A person has approved a gate: what the phase lacks is waived. Tests and constitution get the marks by which
 * iSDLC's own programs recognise the approval.
 */
export function approveGate(
  state: State,
  phase: string,
  waived: readonly string[],
  now: number,
  by?: Who,
): State {
  const at = isoTime(now);
  const mark = { approved_at: at, approved_by: 'person', ...by, waived };
  const escalation = { status: 'escalated', escalation_approved: true, approved_at: at };
  let next = withMembersAt(state, ['phases', phase, 'gate_approval'], mark);
  const tests = evidencePath(phase, 'tests');
  if (waived.includes('test_iteration') && objectAt(next, tests) !== undefined)
    next = withMembersAt(next, tests, { completed: true, ...escalation });
  if (waived.includes('constitutional_validation'))
    next = withMembersAt(next, evidencePath(phase, 'constitution'), { completed: false, ...escalation });
  return withoutEscalations(next, phase);
}

/**
 * Records checked articles. The phase is compliant when all are checked; if some are left after the allowed
 * rounds, a person has to decide. A later round counts only if it adds no article.
 */
export function recordConstitution(
  state: State,
  phase: string,
  asked: Requirement<'constitution'>,
  articles: readonly string[],
  now: number,
): State {
  const path = evidencePath(phase, 'constitution');
  const at = isoTime(now);
  const before = objectAt(state, path) ?? { required: true, started_at: at, violations_found: [] };
  const known = textsAt(before, 'articles_checked');
  const addsSome = asked.articles.some((article) => articles.includes(article) && !known.includes(article));
  const rounds = numberAt(before, 'iterations_used') ?? 0;
  const round = rounds > 0 && addsSome ? rounds : rounds + 1;
  const checked = [...new Set([...known, ...articles])];
  const isCompliant = asked.articles.every((article) => checked.includes(article));
  const isOver = !isCompliant && round >= asked.maxIterations;
  const entry = { iteration: round, timestamp: at, articles };
  return withValueAt(state, path, {
    ...before,
    completed: isCompliant,
    status: isCompliant ? 'compliant' : isOver ? 'escalated' : 'iterating',
    iterations_used: round,
    max_iterations: asked.maxIterations,
    articles_required: asked.articles,
    articles_checked: checked,
    history: [...listAt(before, ['history']), entry].slice(-ROUNDS_KEPT),
    ...(isCompliant && { completed_at: at }),
  });
}

/** Records the user's last choice. */
export function recordSelection(state: State, phase: string, selection: string, now: number): State {
  const path = evidencePath(phase, 'elicitation');
  const at = isoTime(now);
  const before = objectAt(state, path) ?? { required: true, menu_interactions: 0, started_at: at };
  return withValueAt(state, path, {
    ...before,
    completed: true,
    ...selectionMembers(before, selection, at),
    final_selection: selection,
    completed_at: at,
  });
}

export function suspendWorkflow(state: State, now: number): State {
  return withMembersAt(state, WORKFLOW, { suspended_at: isoTime(now) });
}

export function resumeWorkflow(state: State): State {
  const { suspended_at: _, ...others } = objectAt(state, WORKFLOW) ?? {};
  return withValueAt(state, WORKFLOW, others);
}

/** The last gate is passed: the branch no longer belongs to the workflow and may be merged. */
export function finishWorkflow(state: State, now: number): State {
  const end = { status: 'completed', completed_at: isoTime(now) };
  return endWorkflow(state, end, end);
}

export function cancelWorkflow(state: State, reason: string, now: number): State {
  const at = isoTime(now);
  const where = { cancelled_at_phase: currentPhase(state) ?? null, cancellation_reason: reason };
  const branchEnd = { status: 'abandoned', abandoned_at: at, abandonment_reason: reason };
  return endWorkflow(state, { status: 'cancelled', cancelled_at: at, ...where }, branchEnd);
}

/** Moves the workflow into the history, with how it ended; the evidence of its phases stays where it is. */
function endWorkflow(state: State, end: State, branchEnd: State): State {
  const { phase_status: _, suspended_at: __, ...workflow } = objectAt(state, WORKFLOW) ?? {};
  const branch = objectAt(workflow, ['git_branch']);
  const entry = { ...workflow, ...end, ...(branch && { git_branch: { ...branch, ...branchEnd } }) };
  return unshelveWorkflow(withEntryAt(state, ['workflow_history'], entry, WORKFLOWS_KEPT));
}

/** Puts a suspended workflow on the shelf, with the records of its phases. */
function shelveWorkflow(state: State): State {
  const workflow = objectAt(state, WORKFLOW);
  if (workflow === undefined || activeWorkflow(state)?.suspended !== true) return state;
  const names = textsAt(workflow, 'phases');
  const kept = Object.entries(objectAt(state, ['phases']) ?? {}).filter(([name]) => names.includes(name));
  return withEntryAt(state, SHELF_PATH, { workflow, phases: Object.fromEntries(kept) });
}

/** Removes the workflow and brings back the one that was shelved last, if any, still suspended. */
function unshelveWorkflow(state: State): State {
  const last = listAt(state, SHELF_PATH).at(-1);
  const workflow = objectAt(last, ['workflow']);
  if (workflow === undefined) return { ...state, active_workflow: null, current_phase: null };
  const back = withValueAt(state, SHELF_PATH, listAt(state, SHELF_PATH).slice(0, -1));
  const running = withMembersAt(back, ['phases'], objectAt(last, ['phases']) ?? {});
  return { ...running, active_workflow: workflow, current_phase: workflow['current_phase'] ?? null };
}

/** Sets a phase's status, in both places where it is kept, and other members of its record. */
function withPhase(state: State, phase: string, status: PhaseStatus, members: State = {}): State {
  const noted = withMembersAt(state, [...WORKFLOW, 'phase_status'], { [phase]: status });
  const record = objectAt(noted, ['phases', phase]) ?? UNTOUCHED;
  return withValueAt(noted, ['phases', phase], { ...record, status, ...members });
}

/** Removes a phase's evidence; delegations before now no longer count for it. */
function withoutEvidence(state: State, phase: string, status: PhaseStatus, now: number): State {
  const record = Object.entries(objectAt(state, ['phases', phase]) ?? UNTOUCHED);
  const kept = Object.fromEntries(record.filter(([key]) => !SHOWN.includes(key)));
  const bare = withValueAt(state, ['phases', phase], kept);
  const open = withPhase(bare, phase, status, {
    started: status === 'in_progress' ? isoTime(now) : null,
    completed: null,
    gate_passed: null,
    evidence_since: isoTime(now),
  });
  return withoutEscalations(open, phase);
}

/** Sets the current phase, in all places where it is kept. */
function withCurrentPhase(state: State, phase: string, index: number): State {
  const moved = withMembersAt(state, WORKFLOW, { current_phase: phase, current_phase_index: index });
  return { ...moved, current_phase: phase };
}

/** Removes a phase's pending escalations. */
function withoutEscalations(state: State, phase: string): State {
  const pending = listAt(state, ['pending_escalations']);
  const kept = pending.filter((one) => textAt(one, 'phase') !== phase);
  return kept.length === pending.length ? state : withValueAt(state, ['pending_escalations'], kept);
}
