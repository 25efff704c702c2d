import type { Decision } from '../core/decision';
import type { Event } from '../core/event';
import type { Capabilities, Power } from './host';
import { joined } from './output';

/** Whether a host has a way to carry this at such an event. */
export function canCarry(capabilities: Capabilities, event: Event, power: Power): boolean {
  return capabilities[event.kind]?.includes(power) ?? false;
}

/** A person cannot be asked here: the call is denied instead, as long as that can be said. */
function asksByDenial(capabilities: Capabilities, event: Event, decision: Decision): boolean {
  const can = (power: Power): boolean => canCarry(capabilities, event, power);
  return decision.kind === 'ask' && event.kind === 'tool.before' && !can('ask') && can('deny');
}

/**
 * The words of a call that is denied; undefined where none is. What else the agent should know is part of
 * them: not every host delivers anything beside a refusal.
 */
export function denialOf(capabilities: Capabilities, event: Event, decision: Decision): string | undefined {
  if (event.kind !== 'tool.before' || !('reason' in decision)) return undefined;
  const asks = asksByDenial(capabilities, event, decision);
  const denies = decision.kind === 'deny' && canCarry(capabilities, event, 'deny');
  if (!asks && !denies) return undefined;
  const reason = asks ? deniedQuestion(decision.reason) : decision.reason;
  return joined([reason, ...decision.toAgent]) ?? 'Denied.';
}

/** What the agent reads where the host has no question for a person. */
function deniedQuestion(reason: string): string {
  return `${reason}\nThis needs a person's consent, and this host cannot ask for it at a tool call: a person has to do it, or to allow it as said above.`;
}

/** Whether what is for the agent arrives beside the decision or as a part of it. */
function reachesAgent(capabilities: Capabilities, event: Event, decision: Decision): boolean {
  if (denialOf(capabilities, event, decision) !== undefined) return true;
  return canCarry(capabilities, event, 'advise-agent') && !isErased(capabilities, event, decision);
}

/** A refused prompt is erased, and its context with it. */
function isErased(capabilities: Capabilities, event: Event, decision: Decision): boolean {
  return (
    event.kind.startsWith('prompt.') && decision.kind === 'deny' && canCarry(capabilities, event, 'deny')
  );
}

/** What the agent is told beside the decision; nothing where it is a part of it already. */
export function adviceOf(capabilities: Capabilities, event: Event, decision: Decision): string | undefined {
  if (denialOf(capabilities, event, decision) !== undefined) return undefined;
  return reachesAgent(capabilities, event, decision) ? joined(decision.toAgent) : undefined;
}

/** Everything in a decision that this event of the host cannot carry, a short sentence each. */
export function lossesOf(capabilities: Capabilities, event: Event, decision: Decision): string[] {
  const can = (power: Power): boolean => canCarry(capabilities, event, power);
  const lacking = (what: string): string => `${event.hostEvent || 'This event'} cannot carry ${what}.`;
  const lost = [
    asksByDenial(capabilities, event, decision)
      ? `${event.hostEvent} cannot ask a person; the call was denied instead.`
      : 'by' in decision &&
        !can(decision.kind) &&
        lacking(`the ${decision.kind} by ${decision.by.join(', ')}`),
    decision.toAgent.some(Boolean) &&
      !reachesAgent(capabilities, event, decision) &&
      lacking('the advice to the agent'),
    decision.toPerson.some(Boolean) && !can('advise-person') && lacking('the note to the person'),
    decision.kind === 'advise' &&
      decision.updatedInput &&
      !can('change-input') &&
      lacking('the changed input'),
    'report' in decision && decision.report && lacking('the report'),
  ];
  return lost.filter((loss) => typeof loss === 'string');
}
