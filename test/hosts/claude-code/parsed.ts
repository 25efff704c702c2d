import { expect } from 'vitest';
import type { EventKind, EventOf } from '../../../src/core/event';
import type { Json, JsonObject } from '../../../src/core/json';
import type { ToolCall } from '../../../src/core/tool-call';
import { parse } from '../../../src/hosts/claude-code/parse';

/** The event in a document, which must be of that kind. */
export function parsed<K extends EventKind>(kind: K, raw: JsonObject): EventOf<K> {
  const event = parse({ cwd: '/w', ...raw }, 0);
  expect(event.kind).toBe(kind);
  return event as EventOf<K>;
}

/** The call that the agent asks for. */
export function asked(tool_name: Json, tool_input: Json = {}, rest: JsonObject = {}): ToolCall {
  return parsed('tool.before', { hook_event_name: 'PreToolUse', tool_name, tool_input, ...rest }).call;
}

/** A call that ran, with its response. */
export function ran(tool_response: Json | undefined, rest: JsonObject = {}): EventOf<'tool.after'> {
  return parsed('tool.after', { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_response, ...rest });
}
