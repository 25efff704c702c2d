import type { Answer, Decision } from '../../domain/decision';
import type { Event } from '../../domain/event';
import type { JsonObject } from '../../domain/json';
import { asContinuation } from '../continuation';
import type { Capabilities } from '../host';
import { asksByDenial, canCarry, deniedQuestion, lossesOf } from '../losses';
import { cut, joined, say } from '../output';
import { capabilities } from './capabilities';

/** The decision in the words of Cursor. Silence is permission: `allow` is never said. */
export function render(event: Event, decision: Decision): Answer {
  const can = capabilitiesAt(event);
  return say(
    {
      ...refusal(event, decision, can),
      updated_input:
        decision.kind === 'advise' && canCarry(can, event, 'change-input')
          ? decision.updatedInput
          : undefined,
      additional_context: canCarry(can, event, 'advise-agent') ? joined(decision.toAgent) : undefined,
    },
    lossesOf(can, event, decision),
  );
}

/** Nothing that is answered to a call that failed is read. */
export function capabilitiesAt(event: Event): Capabilities {
  return event.kind === 'tool.after' && event.outcome === 'failure' && 'error_message' in event.raw
    ? {}
    : capabilities;
}

function refusal(event: Event, decision: Decision, can: Capabilities): JsonObject {
  if (decision.kind === 'nothing' || decision.kind === 'advise') return {};
  const asks = asksByDenial(can, event, decision);
  if (!asks && !canCarry(can, event, decision.kind)) return {};
  const reason = asks ? deniedQuestion(decision.reason) : decision.reason;
  switch (event.kind) {
    case 'tool.before':
      return { permission: 'deny', user_message: cut(reason), agent_message: cut(reason) };
    case 'turn.stop':
      return { followup_message: asContinuation(reason) };
  }
  return { continue: false, user_message: cut(reason) };
}
