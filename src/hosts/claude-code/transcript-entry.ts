import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from '../../core/json';

/** The entry in a line of a transcript; a line that was torn or broken has none. */
export function entryIn(line: Buffer): JsonObject | undefined {
  return jsonObjectIn(line.toString('utf8'));
}

/** The message's blocks in their order. One that is plain text counts as a single block of text. */
export function blocksOf(entry: JsonObject): readonly JsonObject[] {
  const content: Json | undefined = messageOf(entry)['content'];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

export function hasBlock(entry: JsonObject, ...types: readonly string[]): boolean {
  return blocksOf(entry).some(({ type }) => typeof type === 'string' && types.includes(type));
}

/** Several lines may belong to one message: the client writes each block as a line of its own. */
export function messageId(entry: JsonObject): string | undefined {
  const { id } = messageOf(entry);
  return typeof id === 'string' ? id : undefined;
}

export function messageOf(entry: JsonObject): JsonObject {
  return isJsonObject(entry['message']) ? entry['message'] : {};
}
