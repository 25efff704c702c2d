import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Topic, TopicAsk, TopicMessage } from '../core/document';
import { hasByteAt } from '../exec/quick-look';
import { textOf } from '../exec/text-of';
import { concernsSession, messageIn, topicIdIn } from './topic-line';
import { idsAmongOthers } from './topic-others';
import { idOf } from './topic-read';

/** Larger files are not read whole. */
const SMALL_BYTES = 256 * 1024;

/** The same for files that need not be taken apart. */
const MEDIUM_BYTES = 4 * 1024 * 1024;

/** What fits in here is read at once, which costs less than to ask for its size. */
const SHORT_BYTES = 64 * 1024;
/** Holds the last message of nearly every loop. */
const END_BYTES = 4096;
/** Holds the record of a topic. */
const RECORD_BYTES = 512;

/** What was read of a topic's file. Who reads the same version again would learn the same; it ends as the file does. */
interface SmallTopic {
  readonly value: Topic;
  readonly version: string;
}

/**
 * What `readTopic` tells, of a file whose end tells it, however long it is, or that is best read whole; `undefined`
 * where a closer look is needed.
 */
export function readSmallTopic(path: string, ask: TopicAsk): SmallTopic | undefined {
  return withContent(path, (content) => {
    const dir = dirname(path);
    const ends = endsOf(content);
    return toldByEnd(ends, ask, dir) ?? toldByOthers(content, ends, ask, dir) ?? toldByAll(content, ask, dir);
  });
}

/** Whether a file that was read as this version is still the same. */
export function isStillVersion(path: string, version: string): boolean {
  const isSame = (content: Content): boolean => {
    if (endsOf(content).version === version) return true;
    return content.size <= SMALL_BYTES && content.textAt(0, content.size) === version;
  };
  return withContent(path, isSame) === true;
}

interface Content {
  readonly size: number;
  textAt(from: number, to: number): string;
}

function withContent<T>(path: string, use: (content: Content) => T): T | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return use(contentOf(fd));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** What the last file was read into: one event reads the same one twice, and bytes that are touched for the first time cost. */
let room: Uint8Array | undefined;

/**
 * One way for short files and for long ones: code that only long ones need would have to be compiled at every event of
 * a loop that has become long, since V8's code is kept at its first ones.
 */
function contentOf(fd: number): Content {
  room ??= new Uint8Array(SHORT_BYTES);
  const bytes = room;
  const isLong = hasByteAt(fd, SHORT_BYTES);
  const size = isLong ? fstatSync(fd).size : readSync(fd, bytes, 0, SHORT_BYTES, 0);
  const textAt = (from: number, to: number): string => {
    if (!isLong) return textOf(bytes, from, to, 'utf8');
    const piece = to - from > SHORT_BYTES ? new Uint8Array(to - from) : bytes;
    return textOf(piece, 0, readSync(fd, piece, 0, to - from, from), 'utf8');
  };
  return { size, textAt };
}

/**
 * A log of ours begins with the record of its topic and goes on with nothing but its messages. As long as that is what
 * is met at the end, back to a message of the session, what lies between changes nothing.
 */
function toldByEnd({ record, end, version }: Ends, ask: TopicAsk, dir: string): SmallTopic | undefined {
  // Without the session's name a message of it is hardly there.
  const id = end.includes(ask.session) ? topicIdIn(record, ask.name) : undefined;
  const messages = id === undefined ? undefined : messagesOnly(end, id, ask.session);
  if (id === undefined || messages === undefined) return undefined;
  return { value: { dir, known: true, id, messages }, version };
}

/** The first line and the last ones; of a short file these are all. */
interface Ends {
  readonly record: string;
  readonly end: string;
  readonly version: string;
}

function endsOf({ size, textAt }: Content): Ends {
  const beginning = textAt(0, Math.min(size, RECORD_BYTES));
  const record = beginning.slice(0, beginning.indexOf('\n') + 1);
  const cut = textAt(Math.max(0, size - END_BYTES), size);
  const end = cut.slice(cut.indexOf('\n') + 1);
  return { record, end, version: `${size} ${record}${end}` };
}

/** The messages back to the first that concerns the session; `undefined` where it is not met, or anything else is. */
function messagesOnly(text: string, id: string, session: string): TopicMessage[] | undefined {
  const newestFirst: TopicMessage[] = [];
  for (let to = text.length; to > 0; ) {
    const from = text.lastIndexOf('\n', to - 1) + 1;
    if (from < to) {
      const message = messageIn(text.slice(from, to), [id]);
      if (message === undefined) return undefined;
      newestFirst.push(message);
      if (concernsSession(message.body, session)) return newestFirst.reverse();
    }
    to = from - 1;
  }
  return undefined;
}

/** Beside the loop of another session: nothing, which is told without a look into its messages. */
function toldByOthers(
  { size, textAt }: Content,
  { version }: Ends,
  ask: TopicAsk,
  dir: string,
): SmallTopic | undefined {
  if (ask.others !== 'unwanted' || size === 0 || size > MEDIUM_BYTES) return undefined;
  const ids = idsAmongOthers(textAt(0, size), ask);
  if (ids === undefined) return undefined;
  return { value: { dir, known: ids.length > 0, ...idOf(ids), messages: [] }, version };
}

function toldByAll(content: Content, ask: TopicAsk, dir: string): SmallTopic | undefined {
  if (content.size > SMALL_BYTES) return undefined;
  const text = content.textAt(0, content.size);
  const lines = text.split('\n');
  const ids = lines.flatMap((line) => (line.includes('"topic"') ? (topicIdIn(line, ask.name) ?? []) : []));
  const messages = ids.length === 0 ? [] : newestMessages(lines, ids, ask.session);
  return { value: { dir, known: ids.length > 0, ...idOf(ids), messages }, version: text };
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
