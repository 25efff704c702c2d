import type { TopicMessage } from '../core/document';
import { type Json, jsonObjectIn } from '../core/json';

/** The id in a line that is a record of the named topic. */
export function topicIdIn(line: string, name: string): string | undefined {
  const record = jsonObjectIn(line);
  if (record?.['type'] !== 'topic' || record['name'] !== name) return undefined;
  return typeof record['id'] === 'string' ? record['id'] : undefined;
}

/** The message in a line, if it is one that begins a thread on one of the topics. */
export function messageIn(line: string, topicIds: readonly string[]): TopicMessage | undefined {
  const found = jsonObjectIn(line);
  if (found?.['type'] !== 'message' || (found['parent_id'] ?? null) !== null) return undefined;
  const { id, topic_id: topic, created_at: at } = found;
  const body = bodyText(found['body']);
  if (typeof id !== 'string' || typeof topic !== 'string' || body === undefined) return undefined;
  if (!topicIds.includes(topic)) return undefined;
  return typeof at === 'number' ? { id, body, at } : { id, body };
}

/** Whether a body is a state of the session, or one that says of no session that it is its own. */
export function concernsSession(body: string, session: string): boolean {
  const state = jsonObjectIn(body);
  return state !== undefined && (state['session_id'] === undefined || state['session_id'] === session);
}

export function topicLine(id: string, name: string, at: number): string {
  return `${JSON.stringify({ type: 'topic', id, name, description: '', created_at: at })}\n`;
}

/** As JSON would have it, without an object of a dozen members that is made for this alone. */
export function messageLine(id: string, topicId: string, body: string, at: number): string {
  const ids = `"id":"${id}","topic_id":${JSON.stringify(topicId)},"parent_id":null`;
  const sender = '{"id":"holdpoint","name":"holdpoint","model":null,"role":"loop"}';
  const text = JSON.stringify(body);
  return `{"type":"message",${ids},"body":${text},"created_at":${at},"sender":${sender},"git":null}\n`;
}

/** Old lines hold their text as a list of bytes. */
function bodyText(body: Json | undefined): string | undefined {
  if (typeof body === 'string') return body;
  if (!Array.isArray(body) || !body.every((byte) => typeof byte === 'number')) return undefined;
  return Buffer.from(body).toString('utf8');
}
