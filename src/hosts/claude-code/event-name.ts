import type { JsonObject } from '../../domain/json';
import { textIn } from '../loose-fields';

/**
 * The host's name for the event; empty where there is none. Scripts that were written for a hook of one event
 * leave it out, and what they send tells it all the same: a tool call that has a response is over.
 */
export function eventNameIn(raw: JsonObject): string {
  const name = textIn(raw, 'hook_event_name') ?? '';
  if (name !== '') return name;
  if (typeof raw['tool_name'] === 'string' && raw['tool_input'] !== undefined) {
    const isOver = raw['tool_response'] !== undefined || raw['tool_result'] !== undefined;
    return isOver ? 'PostToolUse' : 'PreToolUse';
  }
  return typeof raw['stop_hook_active'] === 'boolean' ? 'Stop' : '';
}
