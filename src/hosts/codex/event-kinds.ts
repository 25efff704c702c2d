import type { EventKind } from '../../core/event';

const KINDS: ReadonlyMap<string, EventKind> = new Map([
  ['PreToolUse', 'tool.before'],
  ['PostToolUse', 'tool.after'],
  ['PermissionRequest', 'permission.request'],
  ['UserPromptSubmit', 'prompt.submit'],
  ['Stop', 'turn.stop'],
  ['Interrupt', 'turn.interrupt'],
  ['SessionStart', 'session.start'],
  ['SessionEnd', 'session.end'],
  ['SubagentStart', 'subagent.start'],
  ['SubagentStop', 'subagent.stop'],
  ['PreCompact', 'compact.before'],
  ['PostCompact', 'compact.after'],
]);

/** The kind of a native event; a name from a newer client is `other`. */
export function kindOf(hostEvent: string): EventKind {
  return KINDS.get(hostEvent) ?? 'other';
}
