import type { Decision } from '../../core/decision';
import type { Event } from '../../core/event';
import { can } from './capabilities';

/** A stop that only the loop refuses is answered in its own exact bytes. */
export function heldByLoopAlone(event: Event, decision: Decision): boolean {
  if (event.kind !== 'turn.stop' || decision.kind !== 'hold') return false;
  return decision.by.join() === 'loop' && decision.plain !== true;
}

/** Whether advice to the agent arrives. A refused prompt is erased, and its context with it. */
export function reachesAgent(event: Event, decision: Decision): boolean {
  const erased = decision.kind === 'deny' && event.kind.startsWith('prompt.');
  return can(event, 'advise-agent') && !erased;
}

export function reachesPerson(event: Event, decision: Decision): boolean {
  return can(event, 'advise-person') && !heldByLoopAlone(event, decision);
}

/** Everything in the decision that this event cannot carry, a short sentence each. */
export function lossesOf(event: Event, decision: Decision): string[] {
  const lost = [
    'by' in decision && !can(event, decision.kind) && `the ${decision.kind} by ${decision.by.join(', ')}`,
    decision.toAgent.some(Boolean) && !reachesAgent(event, decision) && 'the advice to the agent',
    decision.toPerson.some(Boolean) && !reachesPerson(event, decision) && 'the note to the person',
    decision.kind === 'advise' &&
      decision.updatedInput &&
      event.kind !== 'tool.before' &&
      'the changed input',
    'report' in decision && decision.report && event.kind !== 'turn.stop' && 'the report',
  ];
  return lost.filter(Boolean).map((what) => `${event.hostEvent || 'This event'} cannot carry ${what}.`);
}
