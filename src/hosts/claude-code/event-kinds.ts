import type { EventKind } from '../../domain/event';

/** Events whose name is not simply their kind in camel case. */
const RENAMED: Readonly<Record<string, EventKind>> = {
  PreToolUse: 'tool.before',
  PostToolUse: 'tool.after',
  PostToolUseFailure: 'tool.after',
  PostToolBatch: 'tool.batch',
  UserPromptSubmit: 'prompt.submit',
  UserPromptExpansion: 'prompt.expand',
  Stop: 'turn.stop',
  StopFailure: 'turn.error',
  PreCompact: 'compact.before',
  PostCompact: 'compact.after',
  PreModelSwitch: 'model.switch.before',
  PostModelSwitch: 'model.switch.after',
};

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
  if (Object.hasOwn(RENAMED, hostEvent)) return RENAMED[hostEvent] ?? 'other';
  return SAME_NAME.find((kind) => camelCase(kind) === hostEvent) ?? 'other';
}

function camelCase(kind: string): string {
  return kind.replace(/(?:^|\.)./g, (start) => start.slice(-1).toUpperCase());
}
