import { isJsonObject, type Json, type JsonObject, jsonIn } from '../../core/json';
import { listIn, nameIn } from '../loose-fields';

/** One conversation is one session, whatever the editor calls its own sessions. */
export function sessionIn(raw: JsonObject): string {
  return nameIn(raw, 'conversation_id') ?? nameIn(raw, 'session_id') ?? '';
}

export function rootsIn(raw: JsonObject): string[] {
  return listIn(raw, 'workspace_roots').filter((root) => typeof root === 'string' && root !== '') as string[];
}

/** Only tool calls have a directory of their own; the rest happens in the first root. */
export function directoryIn(raw: JsonObject): string {
  return nameIn(raw, 'cwd') ?? rootsIn(raw)[0] ?? '';
}

/** A member that may be a text of JSON: what is in it, else the text itself. */
export function unpacked(value: Json | undefined): Json {
  if (typeof value !== 'string') return value ?? null;
  const found = jsonIn(value);
  return found === undefined ? value : found;
}

export function objectFrom(value: Json | undefined): JsonObject {
  const found = unpacked(value);
  return isJsonObject(found) ? found : {};
}
