import type { Json } from '../../core/json';
import {
  approvalLacks,
  constitutionLacks,
  delegationLacks,
  elicitationLacks,
  testLacks,
} from './gate-checks';
import { textsAt, valueAt } from './json-path';
import { requirementsOf } from './look-up';
import type { PassTrigger, WorkflowModel } from './model';
import { testEvidence } from './phase-evidence';
import { activeWorkflow } from './state';

/** What a phase has to show before its gate opens, by the name under which the state keeps it. */
export type RequirementName =
  | 'test_iteration'
  | 'constitutional_validation'
  | 'interactive_elicitation'
  | 'agent_delegation'
  | 'gate_approval';

export type ActionCode =
  | 'RUN_TESTS'
  | 'CONTINUE_ITERATION'
  | 'HUMAN_APPROVAL'
  | 'RUN_CONSTITUTIONAL_VALIDATION'
  | 'CONTINUE_CONSTITUTIONAL_ITERATION'
  | 'HUMAN_DECISION'
  | 'FIX_VIOLATIONS'
  | 'START_ELICITATION'
  | 'CONTINUE_ELICITATION'
  | 'COMPLETE_ELICITATION'
  | 'DELEGATE_TO_PHASE_AGENT';

/** One thing that a phase still lacks, and how to get it. */
export interface Lack {
  readonly requirement: RequirementName;
  readonly reason: string;
  readonly action: ActionCode;
  readonly how: string;
}

export interface GateCase {
  readonly model: WorkflowModel;
  readonly state: Json | undefined;
  readonly phase: string;
  /** The tree as it is now; absent where nobody looked. */
  readonly tree?: string;
}

/** What a person has let pass in a phase. */
export function waivedIn(state: Json | undefined, phase: string): readonly string[] {
  return textsAt(state, 'phases', phase, 'gate_approval', 'waived');
}

/** What the phase still lacks, in the order in which its requirements are listed. What a person has waived is not missed. */
export function lacksOf(gate: GateCase): readonly Lack[] {
  const { model, state, phase } = gate;
  const asked = requirementsOf(model, activeWorkflow(state)?.type, phase);
  const waived = waivedIn(state, phase);
  const lacks: readonly Lack[] = [
    ...(asked.tests === undefined ? [] : testLacks(gate, asked.tests)),
    ...(asked.constitution === undefined ? [] : constitutionLacks(gate, asked.constitution.articles)),
    ...(asked.elicitation === undefined ? [] : elicitationLacks(gate, asked.elicitation)),
    ...(asked.delegation === undefined ? [] : delegationLacks(gate)),
    ...(asked.approval === undefined ? [] : approvalLacks(gate)),
  ];
  return lacks.filter(({ requirement }) => !waived.includes(requirement));
}

/** The tree that the phase's tests passed on, where the gate has to be compared with it. */
export function treeToCompare({ model, state, phase }: GateCase): string | undefined {
  const asked = requirementsOf(model, activeWorkflow(state)?.type, phase).tests;
  return asked === undefined || asked.reportOnly ? undefined : testEvidence(state, phase)?.tree;
}

/** What is to be noted once the gate has been passed. */
export function triggersOf({ model, state, phase }: GateCase): readonly PassTrigger[] {
  const { onPass = [] } = requirementsOf(model, activeWorkflow(state)?.type, phase);
  return onPass.filter(({ unlessSet }) => {
    const value = unlessSet === undefined ? undefined : valueAt(state, unlessSet);
    return value === undefined || value === null || value === '' || value === 'undecided';
  });
}
