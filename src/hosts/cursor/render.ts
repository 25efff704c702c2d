import type { Answer, Decision } from '../../core/decision';
import type { Event } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { asContinuation } from '../continuation';
import type { Capabilities } from '../host';
import { adviceOf, canCarry, denialOf, lossesOf } from '../losses';
import { joined, say } from '../output';
import { capabilities } from './capabilities';

/** The decision in the words of Cursor. Silence is permission: `allow` is never said. */
export function render(event: Event, decision: Decision): Answer {
  const can = capabilitiesAt(event);
  const words = refusal(event, decision, can);
  // What is for the person stands in the message that comes with a refusal.
  const told = 'user_message' in words ? { ...decision, toPerson: [] } : decision;
  return say(
    {
      ...words,
      updated_input:
        decision.kind === 'advise' && canCarry(can, event, 'change-input')
          ? decision.updatedInput
          : undefined,
      additional_context: adviceOf(can, event, decision),
    },
    lossesOf(can, event, told),
  );
}

/** Nothing that is answered to a call that failed is read. */
export function capabilitiesAt(event: Event): Capabilities {
  return event.kind === 'tool.after' && event.outcome === 'failure' && 'error_message' in event.raw
    ? {}
    : capabilities;
}

function refusal(event: Event, decision: Decision, can: Capabilities): JsonObject {
  const denial = denialOf(can, event, decision);
  if (denial !== undefined) {
    const shown = joined([denial, ...decision.toPerson]) ?? denial;
    return { permission: 'deny', user_message: shown, agent_message: denial };
  }
  if (!('reason' in decision) || !canCarry(can, event, decision.kind)) return {};
  if (event.kind === 'turn.stop') return { followup_message: asContinuation(decision.reason) };
  return { continue: false, user_message: joined([decision.reason, ...decision.toPerson]) ?? 'Denied.' };
}
