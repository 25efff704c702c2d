import type { EventKind } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { isJsonObject } from '../../core/json';

/** By the name in lower case: how the settings spell an event decides how its documents do. */
const KINDS: Readonly<Record<string, EventKind>> = {
  sessionstart: 'session.start',
  sessionend: 'session.end',
  userpromptsubmit: 'prompt.submit',
  userpromptsubmitted: 'prompt.submit',
  pretooluse: 'tool.before',
  posttooluse: 'tool.after',
  posttoolusefailure: 'tool.after',
  permissionrequest: 'permission.request',
  stop: 'turn.stop',
  agentstop: 'turn.stop',
  subagentstart: 'subagent.start',
  subagentstop: 'subagent.stop',
  precompact: 'compact.before',
  notification: 'notification',
  erroroccurred: 'turn.error',
};

/**
 * The kind of a native event; a name from a newer client is `other`. A subagent ends with two events: the one
 * that is called like the end of a turn is none.
 */
export function kindOf(hostEvent: string, ofSubagent: boolean): EventKind {
  const name = hostEvent.toLowerCase();
  const kind = Object.hasOwn(KINDS, name) ? (KINDS[name] ?? 'other') : 'other';
  return kind === 'turn.stop' && ofSubagent ? 'other' : kind;
}

/**
 * The host's name for the event; empty where there is none. Documents in camel case do not have it, but
 * what they hold tells it.
 */
export function eventNameIn(raw: JsonObject): string {
  const name = raw['hook_event_name'] ?? raw['hookName'] ?? raw['hookEventName'];
  if (name !== undefined) return typeof name === 'string' ? name : '';
  if (typeof raw['toolName'] === 'string') return toolEventIn(raw);
  if (typeof raw['agentName'] === 'string') return 'stopReason' in raw ? 'subagentStop' : 'subagentStart';
  return markedEventIn(raw);
}

function toolEventIn(raw: JsonObject): string {
  if (raw['toolResult'] !== undefined) return 'postToolUse';
  return raw['error'] === undefined ? 'preToolUse' : 'postToolUseFailure';
}

function markedEventIn(raw: JsonObject): string {
  if (typeof raw['prompt'] === 'string') return 'userPromptSubmitted';
  if ('stopReason' in raw || 'stop_hook_active' in raw) return 'agentStop';
  if (typeof raw['source'] === 'string') return 'sessionStart';
  if (typeof raw['trigger'] === 'string') return 'preCompact';
  if (isJsonObject(raw['error'])) return 'errorOccurred';
  return typeof raw['reason'] === 'string' ? 'sessionEnd' : '';
}
