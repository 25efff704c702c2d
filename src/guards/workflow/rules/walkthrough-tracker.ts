import { NO_WALKTHROUGH } from '../advice-messages';
import { agentNamed } from '../agents';
import type { Facts } from '../facts';
import type { Rule } from '../finding';
import { objectAt } from '../json-path';

const DISCOVERER = 'discover-orchestrator';

/** Discovery ends with a walk through the constitution. */
export const walkthroughTracker: Rule = (facts) => {
  const { state } = facts;
  const context = objectAt(state, ['discovery_context']);
  if (!hasDiscovered(facts) || context === undefined || context['walkthrough_completed'] === true)
    return undefined;
  return { weight: 'warn', text: NO_WALKTHROUGH, fact: 'the constitution was not walked through' };
};

/** Whether the call was one of discovery and has come to its end; in the background it has only begun. */
export function hasDiscovered({ event, call, model }: Facts): boolean {
  if (event.kind !== 'tool.after' || call?.op !== 'agent' || event.outcome !== 'success') return false;
  const isEnded = call.background !== true && (event.response.text ?? '').trim() !== '';
  return isEnded && agentNamed(model, call.agentType ?? '')?.name === DISCOVERER;
}
