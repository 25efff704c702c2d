import { dirname } from 'node:path';
import type { Topic, TopicAsk, TopicMessage } from '../domain/document';
import { plainText } from '../process/quick-look';
import { concernsSession, messageIn, topicIdIn } from './topic-line';
import { idOf } from './topic-read';

/** Larger files are not read whole. */
export const SMALL_BYTES = 256 * 1024;

/**
 * What `readTopic` tells, of a file that is best read whole, as most are; `undefined` where a closer look is
 * needed. Its text is its version.
 */
export function readSmallTopic(path: string, ask: TopicAsk): { value: Topic; version: string } | undefined {
  const text = plainText(path, SMALL_BYTES);
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  const ids = lines.flatMap((line) => (line.includes('"topic"') ? (topicIdIn(line, ask.name) ?? []) : []));
  const messages = ids.length === 0 ? [] : newestMessages(lines, ids, ask.session);
  return { value: { dir: dirname(path), known: ids.length > 0, ...idOf(ids), messages }, version: text };
}

function newestMessages(lines: readonly string[], ids: readonly string[], session: string): TopicMessage[] {
  const newestFirst: TopicMessage[] = [];
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? '';
    const message = ids.some((id) => line.includes(id)) ? messageIn(line, ids) : undefined;
    if (message === undefined) continue;
    newestFirst.push(message);
    if (concernsSession(message.body, session)) break;
  }
  return newestFirst.reverse();
}
