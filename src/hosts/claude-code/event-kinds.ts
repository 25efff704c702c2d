import type { EventKind } from '../../core/event';

/** Events whose name is their kind in camel case. */
const SAME_NAME: readonly EventKind[] = [
  'session.start',
  'session.end',
  'subagent.start',
  'subagent.stop',
  'permission.request',
  'permission.denied',
  'task.created',
  'task.completed',
  'teammate.idle',
  'notification',
  'setup',
  'elicitation',
  'elicitation.result',
  'config.change',
  'instructions.loaded',
  'cwd.changed',
  'file.changed',
  'directory.added',
  'worktree.create',
  'worktree.remove',
  'message.display',
];

/** The kind of a native event; a name from a newer client is `other`. */
export function kindOf(hostEvent: string): EventKind {
  switch (hostEvent) {
    case 'PreToolUse':
      return 'tool.before';
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return 'tool.after';
    case 'PostToolBatch':
      return 'tool.batch';
    case 'UserPromptSubmit':
      return 'prompt.submit';
    case 'UserPromptExpansion':
      return 'prompt.expand';
    case 'Stop':
      return 'turn.stop';
    case 'StopFailure':
      return 'turn.error';
    case 'PreCompact':
      return 'compact.before';
    case 'PostCompact':
      return 'compact.after';
    case 'PreModelSwitch':
      return 'model.switch.before';
    case 'PostModelSwitch':
      return 'model.switch.after';
  }
  return SAME_NAME.find((kind) => camelCase(kind) === hostEvent) ?? 'other';
}

function camelCase(kind: string): string {
  return kind.replace(/(?:^|\.)./g, (start) => start.slice(-1).toUpperCase());
}
