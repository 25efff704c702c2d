import type { Event } from '../../domain/event';
import type { Capabilities, Power } from '../host';

const ADVICE: readonly Power[] = ['advise-agent', 'advise-person'];
const PROMPT: readonly Power[] = ['deny', ...ADVICE];
const HOLD: readonly Power[] = ['hold'];

/**
 * What Claude Code can carry. Advice to the agent at the end of a turn is missing on purpose:
 * there it would make the agent go on.
 */
export const capabilities: Capabilities = {
  'tool.before': ['ask', 'change-input', ...PROMPT],
  'tool.after': ADVICE,
  'permission.request': ['deny', 'advise-person'],
  'prompt.submit': PROMPT,
  'prompt.expand': PROMPT,
  'session.start': ADVICE,
  'subagent.start': ADVICE,
  setup: ADVICE,
  notification: ADVICE,
  'turn.stop': ['hold', 'advise-person'],
  'config.change': HOLD,
  'task.created': HOLD,
  'task.completed': HOLD,
  'teammate.idle': HOLD,
};

/** Whether the host has a way to carry this at such an event. */
export function can(event: Event, power: Power): boolean {
  return capabilities[event.kind]?.includes(power) ?? false;
}
