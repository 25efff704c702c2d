import { constants } from 'node:fs';
import { dirname } from 'node:path';
import type { Topic, TopicAsk, TopicMessage } from '../core/document';
import type { Layout } from './layout';
import { linesBackwards } from './lines-backwards';
import { withPlainFile } from './plain-file';
import { topicIds } from './topic-ids';
import { concernsSession, messageIn } from './topic-line';

/** What lies further back than this is too old to drive anything. */
const REACH_BYTES = 32 * 1024 * 1024;

/**
 * The newest messages of a topic, back to the first that concerns the session. The version needs no
 * content: the file only grows, and one that was put in its place has another number or time.
 */
export function readTopic(layout: Layout, path: string, ask: TopicAsk): { value: Topic; version: string } {
  return withPlainFile(path, constants.O_RDONLY | constants.O_NOFOLLOW, (fd, stats) => {
    const ids = topicIds(layout, path, fd, stats, ask.name);
    const messages = ids.length === 0 ? [] : newestMessages(fd, stats.size, ids, ask.session);
    return {
      value: { dir: dirname(path), known: ids.length > 0, ...idOf(ids), messages },
      version: `${stats.ino} ${stats.size} ${stats.mtimeMs}`,
    };
  });
}

/** Of several records the oldest is the one that every program knows. */
export function idOf([id]: readonly string[]): Pick<Topic, 'id'> {
  return id === undefined ? {} : { id };
}

function newestMessages(fd: number, size: number, ids: readonly string[], session: string): TopicMessage[] {
  const newestFirst: TopicMessage[] = [];
  for (const line of linesBackwards(fd, size, { bytes: REACH_BYTES })) {
    if (line === undefined) break;
    const message = ids.some((id) => line.includes(id)) ? messageIn(line.toString('utf8'), ids) : undefined;
    if (message === undefined) continue;
    newestFirst.push(message);
    if (concernsSession(message.body, session)) break;
  }
  return newestFirst.reverse();
}
