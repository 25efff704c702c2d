import type { EventKind } from '../../core/event';

/** The plugin's hooks and the events of the bus that it hands on. */
const KINDS: Readonly<Record<string, EventKind>> = {
  'session.created': 'session.start',
  'session.deleted': 'session.end',
  'chat.message': 'prompt.submit',
  'command.execute.before': 'prompt.expand',
  'tool.execute.before': 'tool.before',
  'tool.execute.after': 'tool.after',
  'session.idle': 'turn.stop',
  'experimental.session.compacting': 'compact.before',
};

export function kindOf(hook: string): EventKind {
  return Object.hasOwn(KINDS, hook) ? (KINDS[hook] ?? 'other') : 'other';
}
