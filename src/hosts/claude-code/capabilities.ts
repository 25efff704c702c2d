import type { Event, EventKind } from '../../core/event';
import type { Capabilities, Power } from '../host';

/** No table: to make one takes an event longer than to look through these names. */
function powersAt(kind: EventKind): readonly Power[] {
  switch (kind) {
    case 'tool.before':
      return ['ask', 'change-input', 'deny', 'advise-agent', 'advise-person'];
    case 'prompt.submit':
    case 'prompt.expand':
      return ['deny', 'advise-agent', 'advise-person'];
    case 'permission.request':
      return ['deny', 'advise-person'];
    case 'tool.after':
    case 'session.start':
    case 'subagent.start':
    case 'setup':
    case 'notification':
      return ['advise-agent', 'advise-person'];
    // Advice to the agent at the end of a turn is missing on purpose: there it would make the agent go on.
    case 'turn.stop':
      return ['hold', 'advise-person'];
    case 'config.change':
    case 'task.created':
    case 'task.completed':
    case 'teammate.idle':
      return ['hold'];
    default:
      return [];
  }
}

/** What Claude Code can carry, as a table. */
export function capabilitiesTable(): Capabilities {
  const kinds: readonly EventKind[] = [
    'tool.before',
    'tool.after',
    'permission.request',
    'prompt.submit',
    'prompt.expand',
    'session.start',
    'subagent.start',
    'setup',
    'notification',
    'turn.stop',
    'config.change',
    'task.created',
    'task.completed',
    'teammate.idle',
  ];
  return Object.fromEntries(kinds.map((kind) => [kind, powersAt(kind)]));
}

/** Whether the host has a way to carry this at such an event. */
export function can(event: Event, power: Power): boolean {
  return powersAt(event.kind).includes(power);
}
