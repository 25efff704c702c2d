import { agentNamed } from './agents';
import type { ActionCode, GateCase, Lack } from './gate';
import { textAt, timeAt } from './json-path';
import { gateOf, ownersOf, samePhase } from './look-up';
import type { ElicitationRequirement, TestRequirement } from './model';
import { constitutionEvidence, elicitationEvidence, type TestEvidence, testEvidence } from './phase-evidence';
import { activeWorkflow, usageLog } from './state';

export function testLacks(gate: GateCase, asked: TestRequirement): Lack[] {
  const seen = testEvidence(gate.state, gate.phase);
  const lack = (action: ActionCode, reason: string, how = 'run the tests'): Lack[] => [
    { requirement: 'test_iteration', reason, action, how },
  ];
  const started = seen !== undefined && (seen.iteration ?? 1) >= 1;
  if (!started) return lack('RUN_TESTS', 'no test run has been seen');
  if (seen.status === 'escalated' && !asked.reportOnly) {
    const how = `a person may run \`${approval(gate.phase)}\``;
    return seen.approved ? [] : lack('HUMAN_APPROVAL', 'the tests were given up and escalated', how);
  }
  if (asked.reportOnly) return [];
  if (seen.lastResult === 'failed')
    return lack('CONTINUE_ITERATION', 'the last test run failed', 'fix the tests');
  if (!seen.completed) return lack('CONTINUE_ITERATION', 'no test run has passed');
  return staleness(seen, gate.tree, asked).flatMap((reason) => lack('RUN_TESTS', reason));
}

function staleness(seen: TestEvidence, tree: string | undefined, asked: TestRequirement): string[] {
  const moved = seen.tree !== undefined && tree !== undefined && seen.tree !== tree;
  if (seen.editedAt !== undefined || moved) return ['files have changed since the tests passed'];
  const { coverage } = seen;
  const short = coverage !== undefined && asked.minCoverage !== undefined && coverage < asked.minCoverage;
  return short ? [`coverage is ${coverage} % and has to be ${asked.minCoverage} %`] : [];
}

export function constitutionLacks({ state, phase }: GateCase, articles: readonly string[]): Lack[] {
  const seen = constitutionEvidence(state, phase);
  const record = `\`holdpoint flow record constitution --articles ${articles.join(',')}\``;
  const lack = (action: ActionCode, reason: string, how = `check them, then ${record}`): Lack[] => [
    { requirement: 'constitutional_validation', reason, action, how },
  ];
  const named = `articles ${articles.join(', ')}`;
  if (seen === undefined) return lack('RUN_CONSTITUTIONAL_VALIDATION', `${named} have not been checked`);
  if (seen.status === 'escalated') {
    const how = `a person may run \`${approval(phase)}\``;
    return seen.approved ? [] : lack('HUMAN_DECISION', 'violations were escalated', how);
  }
  if (!seen.completed) return lack('CONTINUE_CONSTITUTIONAL_ITERATION', `${named} are not all checked`);
  if (seen.status !== 'compliant') return lack('FIX_VIOLATIONS', `status is ${seen.status ?? 'not set'}`);
  if ((seen.iterationsUsed ?? 1) >= 1) return [];
  return lack('RUN_CONSTITUTIONAL_VALIDATION', 'it is said to be completed after no iteration at all');
}

export function elicitationLacks({ state, phase }: GateCase, asked: ElicitationRequirement): Lack[] {
  const seen = elicitationEvidence(state, phase);
  const lack = (action: ActionCode, reason: string, how: string): Lack[] => [
    { requirement: 'interactive_elicitation', reason, action, how },
  ];
  const { minInteractions, finalSelections } = asked;
  const count = seen?.interactions ?? 0;
  if (count < minInteractions) {
    const action = seen === undefined ? 'START_ELICITATION' : 'CONTINUE_ELICITATION';
    return lack(
      action,
      `${count} of ${minInteractions} questions have been put to a person`,
      'ask the person',
    );
  }
  const how = `\`holdpoint flow record elicitation --final ${finalSelections[0] ?? 'save'}\``;
  if (seen?.completed !== true) return lack('CONTINUE_ELICITATION', 'it has not been completed', how);
  if (finalSelections.length === 0 || finalSelections.includes(seen.finalSelection ?? '')) return [];
  const reason = `it ended with ${seen.finalSelection ?? 'no choice'}, not with ${finalSelections.join(' or ')}`;
  return lack('COMPLETE_ELICITATION', reason, how);
}

/** Work that was handed over in an earlier workflow is no evidence for this one. */
export function delegationLacks({ model, state, phase }: GateCase): Lack[] {
  const owners = ownersOf(model, phase);
  // A phase that is done again wants to be handed over again.
  const since = timeAt(state, 'phases', phase, 'evidence_since') ?? activeWorkflow(state)?.startedAt;
  const isSeen = usageLog(state).some(({ agent = '', phase: noted = '', at }) => {
    const known = agentNamed(model, agent);
    const inTime = since === undefined || at === undefined || at >= since;
    return inTime && known !== undefined && owners.includes(known) && samePhase(model, noted, phase);
  });
  const [first] = owners;
  if (isSeen || first === undefined) return [];
  return [
    {
      requirement: 'agent_delegation',
      reason: `${first.name} has not been delegated to`,
      action: 'DELEGATE_TO_PHASE_AGENT',
      how: `delegate the work to ${first.name}`,
    },
  ];
}

export function approvalLacks({ state, phase }: GateCase): Lack[] {
  if (textAt(state, 'phases', phase, 'gate_approval', 'approved_at') !== undefined) return [];
  const how = `a person may run \`${approval(phase)}\``;
  return [
    { requirement: 'gate_approval', reason: 'no person has approved it', action: 'HUMAN_APPROVAL', how },
  ];
}

function approval(phase: string): string {
  return `holdpoint flow approve ${gateOf(phase)}`;
}
