import type { Rule } from '../finding';
import { needsPlan } from '../look-up';
import { planNeeded } from '../messages';
import { phaseDelegation } from './phase-delegation';

/** What is built is planned first, in workflows that make a plan. Who may work on it is another rule's affair. */
export const planSurfacer: Rule = (facts) => {
  const target = phaseDelegation(facts);
  const { plan, model, workflow } = facts;
  if (target === undefined || plan.kind === 'present') return undefined;
  if (!needsPlan(model, workflow?.type, target.current)) return undefined;
  return {
    weight: 'deny',
    text: planNeeded(target.current, plan.kind, plan.path),
    fact: `the plan of ${target.current} is ${plan.kind}`,
    clear: `write ${plan.path}`,
  };
};
