import type { Decision } from '../domain/decision';
import type { Event } from '../domain/event';
import type { Capabilities, Power } from './host';

/** Whether a host has a way to carry this at such an event. */
export function canCarry(capabilities: Capabilities, event: Event, power: Power): boolean {
  return capabilities[event.kind]?.includes(power) ?? false;
}

/** A person cannot be asked here: the call is denied instead, as long as that can be said. */
export function asksByDenial(capabilities: Capabilities, event: Event, decision: Decision): boolean {
  const can = (power: Power): boolean => canCarry(capabilities, event, power);
  return decision.kind === 'ask' && event.kind === 'tool.before' && !can('ask') && can('deny');
}

/** What the agent reads where the host has no question for a person. */
export function deniedQuestion(reason: string): string {
  return `${reason}\nThis needs a person's consent, and this host cannot ask for it at a tool call: a person has to do it, or to allow it as said above.`;
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
      (!can('advise-agent') || erases(event, decision)) &&
      lacking('the advice to the agent'),
    decision.toPerson.some(Boolean) && !can('advise-person') && lacking('the note to the person'),
    decision.kind === 'advise' &&
      decision.updatedInput &&
      !can('change-input') &&
      lacking('the changed input'),
    'report' in decision && decision.report && event.kind !== 'turn.stop' && lacking('the report'),
  ];
  return lost.filter((loss) => typeof loss === 'string');
}

/** A refused prompt is erased, and its context with it. */
function erases(event: Event, decision: Decision): boolean {
  return decision.kind === 'deny' && event.kind.startsWith('prompt.');
}
