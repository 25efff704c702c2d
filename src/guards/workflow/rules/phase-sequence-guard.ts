import type { Rule } from '../finding';
import { ownersOf, samePhase } from '../look-up';
import { outOfOrder } from '../messages';
import { phaseDelegation } from './phase-delegation';

/** Work goes to the agents of the current phase, and to those of no other. */
export const phaseSequenceGuard: Rule = (facts) => {
  const target = phaseDelegation(facts);
  if (target === undefined || target.isCurrent) return undefined;
  const { model, phases } = facts;
  const { agent, current, phase } = target;
  const indexOf = (name: string): number => phases.findIndex((one) => samePhase(model, one, name));
  const isBehind = indexOf(phase) >= 0 && indexOf(phase) < indexOf(current);
  const owner = ownersOf(model, current)[0]?.name;
  return {
    weight: 'deny',
    text: outOfOrder({ agent, current, target: phase, owner, isBehind }),
    fact: `${agent} works on ${phase}, the current phase is ${current}`,
    clear: isBehind ? `holdpoint flow rollback ${phase}` : 'holdpoint flow advance',
  };
};
