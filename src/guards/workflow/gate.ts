import { textAt, textsAt, timeAt, valueAt } from '../../config/pointer';
import { agentNamed } from './delegation';
import { phasesOf } from './facts';
import { gateOf, isSamePhase, type Requirement, type WorkflowModel, workflowNamed } from './model';
import { agentsFor, requirementsFor } from './phase-requirements';
import {
  activeWorkflow,
  constitutionEvidence,
  currentPhase,
  elicitationEvidence,
  isEnforced,
  type MaybeState,
  phaseStatus,
  testEvidence,
  usageLog,
} from './state';

/** One thing that a phase still lacks: its name in the state, why it counts as missing, and how to get it. */
export interface Missing {
  readonly what: string;
  readonly why: string;
  readonly how: string;
  /** A code for other programs that read the state; absent if the workflow is wrong, not its evidence. */
  readonly action?: string;
}

/** A phase and what is needed to check its gate. */
export interface GateCase {
  readonly model: WorkflowModel;
  readonly state: MaybeState;
  readonly phase: string;
  /** The current git tree; without it, test evidence is assumed to be for the current tree. */
  readonly tree?: string | undefined;
}

export function waivedIn(state: MaybeState, phase: string): readonly string[] {
  return textsAt(state, 'phases', phase, 'gate_approval', 'waived');
}

/** What the phase still lacks and was not waived, in the order of its requirements. */
export function missingFor(gate: GateCase): readonly Missing[] {
  const { tests, constitution, elicitation, delegation, approval } = requirementsAt(gate);
  const waived = waivedIn(gate.state, gate.phase);
  const lacks = [
    tests && missingTests(gate, tests),
    constitution && missingConstitution(gate, constitution.articles),
    elicitation && missingElicitation(gate, elicitation),
    delegation && missingDelegation(gate),
    approval && missingApproval(gate),
  ];
  return lacks.filter((lack) => lack !== undefined).filter(({ what }) => !waived.includes(what));
}

/** What to record when the gate is passed, unless the state already has a value at `unlessSet`. */
export function triggersOf(gate: GateCase) {
  const { onPass = [] } = requirementsAt(gate);
  return onPass.filter(({ unlessSet }) => {
    const value = unlessSet === undefined ? undefined : valueAt(gate.state, unlessSet);
    return value === undefined || value === null || value === '' || value === 'undecided';
  });
}

/** The command with which a person lets a held or escalated phase pass. */
export function approvalCommand(phase: string): string {
  return `holdpoint flow approve ${gateOf(phase)}`;
}

/** The command that records checked articles of the constitution. */
export function constitutionCommand(articles: readonly string[]): string {
  return `holdpoint flow record constitution --articles ${articles.join(',') || 'I,II,…'}`;
}

function requirementsAt({ model, state, phase }: GateCase) {
  return requirementsFor(model, state, phase);
}

function byPerson(phase: string): string {
  return `a person has to run \`${approvalCommand(phase)}\``;
}

export function missingLine({ what, why, how }: Missing): string {
  return `- ${what}: ${why}; ${how}`;
}

/** Makes an entry for one requirement; `usual` is the default for how to get it. */
function missingEntry(what: string, usual: string) {
  return (action: string, why: string, how = usual): Missing => ({ what, why, how, action });
}

function missingTests(
  { model, state, phase, tree }: GateCase,
  asked: Requirement<'tests'>,
): Missing | undefined {
  const seen = testEvidence(state, phase);
  const lack = missingEntry('test_iteration', 'run the tests again');
  if (seen === undefined || (seen.iteration ?? 1) < 1)
    return lack('RUN_TESTS', 'no tests have run in this phase', howToTest(model));
  if (asked.reportOnly) return undefined;
  if (seen.status === 'escalated' && seen.approved) return undefined;
  if (seen.status === 'escalated')
    return lack('HUMAN_APPROVAL', 'the tests failed too often', byPerson(phase));
  if (seen.lastResult === 'failed')
    return lack('CONTINUE_ITERATION', 'the last test run failed', 'fix that and run the tests again');
  if (!seen.completed) return lack('CONTINUE_ITERATION', 'no test run has passed yet');
  const hasMoved = seen.tree !== undefined && tree !== undefined && seen.tree !== tree;
  if (seen.editedAt !== undefined || hasMoved)
    return lack('RUN_TESTS', 'files have changed since the tests passed');
  const { coverage } = seen;
  if (coverage === undefined || asked.minCoverage === undefined || coverage >= asked.minCoverage)
    return undefined;
  const why = `coverage is ${coverage} %, below the required ${asked.minCoverage} %`;
  return lack('RUN_TESTS', why, 'add tests and run them');
}

/** Runs of other programs are not recognised as test runs. */
function howToTest({ testCommands: [own] }: WorkflowModel): string {
  return own === undefined
    ? 'run them, such as with `npm test` or `pytest` (a person can add other commands to `test_commands` in the `workflow` config)'
    : `run them, such as with \`${own}\``;
}

function missingConstitution({ state, phase }: GateCase, articles: readonly string[]): Missing | undefined {
  const seen = constitutionEvidence(state, phase);
  // Other programs also write `Article IV` or `IV: Explicit over Implicit`.
  const checked = seen?.articlesChecked.flatMap((one) => [one, ...one.split(/\W+/)]) ?? [];
  const left = articles.filter((article) => !checked.includes(article));
  const open = left.length === 0 ? articles : left;
  const record = `check the work against it, then run \`${constitutionCommand(open)}\``;
  const lack = missingEntry('constitutional_validation', record);
  const numbers = `(${open.length === 1 ? 'article' : 'articles'} ${open.join(', ')})`;
  const named = `the constitution ${open.length === 0 ? '' : numbers}`.trimEnd();
  const why = `the work has not been checked against ${named}`;
  if (seen === undefined) return lack('RUN_CONSTITUTIONAL_VALIDATION', why);
  const unchecked = lack('CONTINUE_CONSTITUTIONAL_ITERATION', why);
  if (seen.status === 'escalated' && seen.approved) return undefined;
  if (seen.status === 'escalated')
    return lack('HUMAN_DECISION', 'it was not completed in the allowed rounds', byPerson(phase));
  if (!seen.completed) return unchecked;
  if (seen.status !== 'compliant')
    return lack('FIX_VIOLATIONS', `its status is ${seen.status ?? 'not set'}, not compliant`);
  if (checked.length > 0 && left.length > 0) return unchecked;
  if ((seen.iterationsUsed ?? 1) >= 1) return undefined;
  return lack('RUN_CONSTITUTIONAL_VALIDATION', 'it is marked as completed, but nothing was checked');
}

function missingElicitation(
  { state, phase }: GateCase,
  asked: Requirement<'elicitation'>,
): Missing | undefined {
  const seen = elicitationEvidence(state, phase);
  const { minInteractions, finalSelections } = asked;
  const record = `run \`holdpoint flow record elicitation --final ${finalSelections[0] ?? 'save'}\``;
  const lack = missingEntry('interactive_elicitation', record);
  const count = seen?.interactions ?? 0;
  if (count < minInteractions) {
    const action = seen === undefined ? 'START_ELICITATION' : 'CONTINUE_ELICITATION';
    return lack(action, `the user has answered ${timesOf(count, minInteractions)}`, HOW_TO_ASK);
  }
  if (seen?.completed !== true)
    return lack('CONTINUE_ELICITATION', 'the user has answered, but the result is not recorded');
  if (finalSelections.length === 0 || finalSelections.includes(seen.finalSelection ?? '')) return undefined;
  if (seen.isExited) return lack('CONTINUE_ELICITATION', 'the user chose exit', HOW_TO_ASK);
  const reason = `it ended with ${seen.finalSelection ?? 'no choice'} instead of ${finalSelections.join(' or ')}`;
  return lack('COMPLETE_ELICITATION', reason);
}

/** How often the user has answered, such as `2 of 3 times`. */
export function timesOf(count: number, least: number): string {
  return `${count} of ${least} ${least === 1 ? 'time' : 'times'}`;
}

export const HOW_TO_ASK =
  'ask them with your question tool (AskUserQuestion; each call counts once), or end your turn with the menu `[C] Continue [S] Save`';

/** Delegations in another workflow, or while this one was suspended, are no evidence for it. */
function missingDelegation({ model, state, phase }: GateCase): Missing | undefined {
  const owners = agentsFor(model, state, phase);
  // A phase that is done again has to be delegated again.
  const startedAt = activeWorkflow(state)?.startedAt;
  const since = timeAt(state, 'phases', phase, 'evidence_since') ?? startedAt;
  const isSeen = usageLog(state).some(({ agent = '', phase: noted = '', at, workflow }) => {
    const known = agentNamed(model, agent);
    const inTime = since === undefined || at === undefined || at >= since;
    const isOther =
      startedAt !== undefined && workflow !== undefined && Date.parse(String(workflow)) !== startedAt;
    return (
      inTime && !isOther && known !== undefined && owners.includes(known) && isSamePhase(model, noted, phase)
    );
  });
  const [first] = owners;
  if (isSeen || first === undefined) return undefined;
  const lack = missingEntry('agent_delegation', `delegate the work to ${first.name}`);
  return lack('DELEGATE_TO_PHASE_AGENT', `${first.name} has not worked on it`);
}

function missingApproval({ state, phase }: GateCase): Missing | undefined {
  if (textAt(state, 'phases', phase, 'gate_approval', 'approved_at') !== undefined) return undefined;
  return missingEntry('gate_approval', byPerson(phase))('HUMAN_APPROVAL', 'a person has not approved it yet');
}

export type WorkflowStatus = NonNullable<ReturnType<typeof readWorkflowStatus>>;

/**
 * The phases of a workflow, the current one, and what that one still lacks. `index` is the position of the
 * current phase, or -1 if the workflow does not have it. For `tree`, see `GateCase`.
 */
export function readWorkflowStatus(model: WorkflowModel, state: MaybeState, tree?: string) {
  const workflow = activeWorkflow(state);
  if (workflow === undefined) return undefined;
  const phases = phasesOf(model, workflow);
  const phase = currentPhase(state);
  const how = 'run `holdpoint flow rollback PHASE`';
  const statusAt = (index: number, missing: readonly Missing[]) => {
    return { workflow, phases, phase, index, missing };
  };
  if (phase === undefined)
    return statusAt(-1, [{ what: 'current_phase', why: 'the state names no current phase', how }]);
  const other = otherPhaseAt(model, phases, workflow.index, phase);
  const exact = phases.indexOf(phase);
  const found = exact >= 0 ? exact : phases.findIndex((one) => isSamePhase(model, one, phase));
  // A workflow may have a phase twice; then the recorded index decides.
  const index = other === undefined ? (workflow.index ?? found) : found;
  const expected = other ?? (index < 0 ? 'none' : undefined);
  if (expected !== undefined) {
    const why = mismatchText(expected, workflow.index ?? -1, phase);
    return statusAt(index, [{ what: 'workflow_state', why, how }]);
  }
  const begin = { what: 'phase_started', why: `${phase} has not begun`, how: 'run `holdpoint flow begin`' };
  const lacks = isEnforced(state) ? missingFor({ model, state, phase, tree }) : [];
  return statusAt(index, phaseStatus(state, phase) === 'pending' ? [begin, ...lacks] : lacks);
}

/** Whether the current phase's gate needs passing tests, so that judging it takes the git tree. */
export function gateNeedsTests(model: WorkflowModel, state: MaybeState): boolean {
  const phase = currentPhase(state);
  return phase !== undefined && requirementsFor(model, state, phase).tests?.reportOnly === false;
}

/** What happens to an attempt to leave a phase that lacks something. */
export function gateStrictness(
  model: WorkflowModel,
  workflow: string | undefined,
): 'refuse' | 'warn' | 'none' {
  const { mode } = model.rules['gate-blocker'];
  if (mode === 'disabled' || mode === 'observe') return 'none';
  return mode === 'warn' || workflowNamed(model, workflow)?.gateMode === 'permissive' ? 'warn' : 'refuse';
}

/** The phase at the workflow's index (`none` if there is none), if that is not the current phase. */
export function otherPhaseAt(
  model: WorkflowModel,
  phases: readonly string[],
  index: number | undefined,
  phase: string,
): string | undefined {
  if (index === undefined) return undefined;
  const expected = phases[index] ?? 'none';
  return phases[index] !== undefined && isSamePhase(model, expected, phase) ? undefined : expected;
}

/** The message for a state whose index and current phase contradict each other. */
export function mismatchText(expected: string, index: number, current: string): string {
  return `GATE BLOCKED: Workflow state mismatch. Expected phase '${expected}' at index ${index} but current is '${current}'.`;
}
