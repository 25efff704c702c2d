import { type Attempt, advanceAttempt } from '../attempts';
import type { Facts } from '../facts';
import type { Finding, Rule } from '../finding';
import { waivedIn } from '../gate';
import { requirementsOf } from '../look-up';
import * as say from '../messages';
import type { PhaseRequirements } from '../model';
import { constitutionEvidence, type TestEvidence, testEvidence } from '../phase-evidence';
import { isEnforced } from '../state';
import { escalation } from '../state-notes';

/** While tests fail, or the constitution is being checked, the phase cannot be left. */
export const iterationCorridor: Rule = (facts) => {
  const { state, phase, model, workflow } = facts;
  if (state === undefined || phase === undefined || !isEnforced(state)) return undefined;
  const attempt = advanceAttempt(facts, true);
  if (attempt === undefined) return undefined;
  const asked = requirementsOf(model, workflow?.type, phase);
  const tests = testEvidence(state, phase);
  const waived = waivedIn(state, phase);
  const mustPass = asked.tests?.reportOnly === false && !waived.includes('test_iteration');
  if (mustPass && isFailing(tests)) {
    const loop = {
      phase,
      iteration: tests.iteration ?? 1,
      maxIterations: tests.maxIterations ?? asked.tests.maxIterations,
      error: tests.lastError?.slice(0, 300),
      command: tests.lastCommand,
    };
    return refusal(facts, phase, say.testCorridor(loop, attempt), `the tests of ${phase} fail`);
  }
  if (waived.includes('constitutional_validation')) return undefined;
  return constitutionCorridor(facts, phase, asked, attempt, tests);
};

function constitutionCorridor(
  facts: Facts,
  phase: string,
  { tests: asked, constitution }: PhaseRequirements,
  attempt: Attempt,
  tests: TestEvidence | undefined,
): Finding | undefined {
  const isTested =
    asked === undefined || (tests?.completed === true && (tests.status !== 'escalated' || tests.approved));
  if (constitution === undefined || !isTested) return undefined;
  const seen = constitutionEvidence(facts.state, phase);
  const isOpen =
    seen === undefined ? tests?.completed === true : !seen.completed && seen.status !== 'escalated';
  if (!isOpen) return undefined;
  const validation = {
    phase,
    articles: constitution.articles,
    status: seen?.status ?? 'not started',
    iteration: seen?.iterationsUsed ?? 0,
    maxIterations: seen?.maxIterations ?? constitution.maxIterations,
  };
  const fact = `${phase} is not validated against the constitution`;
  return refusal(facts, phase, say.constitutionCorridor(validation, attempt), fact);
}

function refusal({ now }: Facts, phase: string, text: string, fact: string): Finding {
  return {
    weight: 'deny',
    text,
    fact,
    waive: say.waiver(phase),
    onRefusal: [escalation('corridor_blocked', 'iteration-corridor', phase, text, now)],
  };
}

function isFailing(tests: TestEvidence | undefined): tests is TestEvidence {
  return tests?.lastResult === 'failed' && tests.status !== 'escalated';
}
