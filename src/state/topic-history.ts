import { constants } from 'node:fs';
import type { DocumentRef, TopicMessage } from '../core/document';
import { errorCode } from '../core/error-code';
import { detailOf } from '../core/failure';
import { findDocument } from './documents';
import type { Layout } from './layout';
import { linesBackwards } from './lines-backwards';
import { withPlainFile } from './plain-file';
import { topicIds } from './topic-ids';
import { messageIn } from './topic-line';

/** What a topic holds, whoever's it is; for people who look, not for events. */
export type TopicHistory =
  | { readonly kind: 'read'; readonly known: boolean; readonly newestFirst: readonly TopicMessage[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly file: string; readonly why: string };

const REACH_BYTES = 32 * 1024 * 1024;

/** The newest messages of a topic, at most `limit`. */
export function topicHistory(layout: Layout, ref: DocumentRef, limit: number): TopicHistory {
  const found = findDocument(layout, ref);
  if (found.kind === 'missing') return found;
  if (found.kind === 'unreadable') return { kind: 'unreadable', file: found.path, why: found.why };
  try {
    return readHistory(layout, found.path, ref.topic?.name ?? '', limit);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'missing' };
    return { kind: 'unreadable', file: found.path, why: `cannot be read (${detailOf(error)})` };
  }
}

function readHistory(layout: Layout, path: string, name: string, limit: number): TopicHistory {
  return withPlainFile(path, constants.O_RDONLY | constants.O_NOFOLLOW, (fd, stats) => {
    const ids = topicIds(layout, path, fd, stats, name);
    const newestFirst: TopicMessage[] = [];
    for (const line of ids.length === 0 ? [] : linesBackwards(fd, stats.size, { bytes: REACH_BYTES })) {
      if (line === undefined || newestFirst.length >= limit) break;
      const message = ids.some((id) => line.includes(id)) ? messageIn(line.toString('utf8'), ids) : undefined;
      if (message !== undefined) newestFirst.push(message);
    }
    return { kind: 'read', known: ids.length > 0, newestFirst };
  });
}
