import type { Rule } from '../finding';
import { notTracked } from '../messages';
import { phaseStatus } from '../state';
import { phaseDelegation } from './phase-delegation';

/** Work on a phase begins only after the phase itself has been begun. */
export const phaseLoopController: Rule = (facts) => {
  const target = phaseDelegation(facts);
  if (target === undefined || facts.state === undefined) return undefined;
  const { current } = target;
  const status = phaseStatus(facts.state, current);
  if (status === 'in_progress' || status === 'completed') return undefined;
  return {
    weight: 'deny',
    text: notTracked(target.agent, target.phase, current, status ?? 'not set'),
    fact: `${current} is ${status ?? 'not set'}, not in progress`,
    clear: 'holdpoint flow begin',
  };
};
