import { isJsonObject, type Json, type JsonObject, jsonIn } from '../../core/json';

/** A member under either of its spellings: events named in camel case have camel case throughout. */
export function member(raw: JsonObject, camel: string, snake: string): Json | undefined {
  return raw[camel] ?? raw[snake];
}

/** Like `member`, for texts; an empty one says nothing. */
export function named(raw: JsonObject, camel: string, snake: string): string | undefined {
  const value = member(raw, camel, snake);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The subagent that an event comes from, and whose it is. Its own id stands where the session's should be. */
export function subagentOf(raw: JsonObject): { id: string; type?: string; parent?: string } | undefined {
  const id = named(raw, 'agentId', 'agent_id');
  if (id === undefined) return undefined;
  const type = named(raw, 'agentType', 'agent_type');
  const parent = named(raw, 'parentAgentId', 'parent_agent_id');
  return { id, ...(type !== undefined && { type }), ...(parent !== undefined && { parent }) };
}

export function sessionIn(raw: JsonObject): string {
  return subagentOf(raw)?.parent ?? named(raw, 'sessionId', 'session_id') ?? '';
}

/** The tool's arguments; some versions send them as a text of JSON. */
export function argumentsIn(raw: JsonObject): JsonObject {
  const given = raw['toolArgs'] ?? raw['toolInput'] ?? raw['tool_input'];
  const value = typeof given === 'string' ? jsonIn(given) : given;
  return isJsonObject(value) ? value : {};
}
