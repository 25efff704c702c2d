import { isJsonObject, type JsonObject } from '../../core/json';

/**
 * The host's name for the event; empty where there is none. Scripts that were written for a hook of one event
 * leave it out, and what they send tells it all the same: a tool call that has a response is over. Where a
 * document could be two things, or has a name that is none, nothing is read into it.
 */
export function eventNameIn(raw: JsonObject): string {
  const name = raw['hook_event_name'];
  if (name !== undefined) return typeof name === 'string' ? name : '';
  const mayStop = typeof raw['stop_hook_active'] === 'boolean';
  if (raw['tool_name'] === undefined) return mayStop ? 'Stop' : '';
  return mayStop ? '' : toolEventIn(raw);
}

function toolEventIn(raw: JsonObject): string {
  const { tool_name: tool, tool_input: input } = raw;
  if (typeof tool !== 'string' || tool === '' || !isJsonObject(input)) return '';
  if (raw['tool_response'] !== undefined || raw['tool_result'] !== undefined) return 'PostToolUse';
  // Something that failed has run, but not every document that tells of an error is one of a failure.
  return raw['error'] === undefined ? 'PreToolUse' : '';
}
