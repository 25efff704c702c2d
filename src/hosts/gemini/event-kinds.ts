import type { EventKind } from '../../core/event';

const KINDS: ReadonlyMap<string, EventKind> = new Map([
  ['BeforeTool', 'tool.before'],
  ['AfterTool', 'tool.after'],
  ['BeforeAgent', 'prompt.submit'],
  ['AfterAgent', 'turn.stop'],
  ['SessionStart', 'session.start'],
  ['SessionEnd', 'session.end'],
  ['PreCompress', 'compact.before'],
  ['Notification', 'notification'],
  ['BeforeModel', 'model.request.before'],
  ['BeforeToolSelection', 'model.request.before'],
  ['AfterModel', 'model.request.after'],
]);

/** The kind of a native event; a name from a newer client is `other`. */
export function kindOf(hostEvent: string): EventKind {
  return KINDS.get(hostEvent) ?? 'other';
}
