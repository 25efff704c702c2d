import { constants, fsyncSync, type Stats, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Json, jsonObjectIn, nameIn } from '../core/json';
import { isSameSession } from '../core/text';
import type { DocumentRef, Topic, TopicAsk, TopicMessage } from './documents';
import {
  inPrivateDirectory,
  linesBackwards,
  READ_NO_FOLLOW,
  readAt,
  syncDirectory,
  withPlainFile,
} from './files';

/** Older messages, further back in the file than this, do not matter. */
const REACH_BYTES = 32 * 1024 * 1024;
const NEWLINE = 10;
/** How far above its newest line a merge by git may have put a message that is newer. */
const MERGED_LINES = 100;
/** The latest time that an id can hold, minus some room to count up. */
const LAST_MS = 2 ** 48 - 2 ** 20;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/**
 * The newest messages of a topic, back to the latest one that concerns the session. The version needs no content: the
 * file only grows, and a replaced file has another inode or time.
 */
export function readTopic(
  path: string,
  { name, session, others, most }: TopicAsk,
  isShared: boolean,
): { value: Topic; version: string } {
  // State without a session id concerns all sessions.
  const concernsIt = ({ body }: TopicMessage): boolean => {
    const state = jsonObjectIn(body);
    const owner = nameIn(state, 'session_id');
    return state !== undefined && (owner === undefined || isSameSession(owner, session));
  };
  const isOwned = ({ body }: TopicMessage): boolean => nameIn(jsonObjectIn(body), 'session_id') !== undefined;
  const { ids, newestFirst, version } =
    most === undefined
      ? readMessages(path, name, concernsIt, isShared ? MERGED_LINES : 0)
      : readMessages(path, name, (_message, count) => count >= most);
  const messages = byTime(newestFirst.toReversed());
  const last = most === undefined ? messages.findLastIndex(concernsIt) : 0;
  const wanted = others === 'unwanted' ? messages.filter((one) => !isOwned(one)) : messages;
  // If the topic has several records, every program knows the oldest one.
  const [id] = ids;
  return {
    value: {
      dir: dirname(path),
      known: id !== undefined,
      ...(id !== undefined && { id }),
      messages: last < 0 ? wanted : messages.slice(last),
    },
    version,
  };
}

interface TopicTail {
  /** The topic's ids in this file, oldest first. */
  readonly ids: readonly string[];
  readonly newestFirst: readonly TopicMessage[];
  readonly version: string;
}

/**
 * Messages from oldest to newest. After a git merge of a store that is not the order of its lines. A message without a
 * usable time is as old as the one before it.
 */
function byTime(messages: readonly TopicMessage[]): TopicMessage[] {
  let latest = 0;
  const timed = messages.map((message) => {
    if (message.at !== undefined && message.at < LAST_MS) latest = message.at;
    return { message, at: latest };
  });
  return timed.sort((a, b) => a.at - b.at).map(({ message }) => message);
}

/**
 * Reads a topic backwards, up to and including the first message that `isLast` accepts, and `further` lines before it.
 */
function readMessages(
  path: string,
  name: string,
  isLast: (message: TopicMessage, count: number) => boolean,
  further = 0,
): TopicTail {
  return withPlainFile(path, READ_NO_FOLLOW, (fd, stats) => {
    let ids = firstTopicId(fd, name);
    let isSearched = false;
    // A log of ours begins with the record of its only topic. The file may be long, so all of it is searched for
    // further records only after a line that does not belong to that topic.
    const messageAt = (line: string): TopicMessage | undefined => {
      const message = messageIn(line, ids);
      if (message !== undefined || isSearched || isRecordOf(line, ids, name)) return message;
      ids = topicIds(fd, stats.size, name);
      isSearched = true;
      return messageIn(line, ids);
    };
    const newestFirst: TopicMessage[] = [];
    let left = Number.POSITIVE_INFINITY;
    for (const line of linesBackwards(fd, stats.size, { bytes: REACH_BYTES })) {
      if (line === undefined || left === 0 || (isSearched && ids.length === 0)) break;
      left -= 1;
      const message = line.length === 0 ? undefined : messageAt(line.toString());
      if (message !== undefined && isLast(message, newestFirst.push(message))) left = Math.min(left, further);
    }
    return { ids, newestFirst, version: `${stats.ino} ${stats.size} ${stats.mtimeMs}` };
  });
}

const BLOCK_BYTES = 1024 * 1024;
const RECORD_BYTES = 512;
/** Part of every topic record; inside a string its quotes would be escaped. */
const MARK = '"topic"';

/** The ids of a topic in a file, oldest first. There are several if two branches each created it. */
function topicIds(fd: number, size: number, name: string): string[] {
  const ids: string[] = [];
  for (let at = 0; at < size; ) {
    const block = readAt(fd, at, Math.min(BLOCK_BYTES, size - at));
    if (block.length === 0) break;
    const isEnd = at + block.length >= size;
    // A line that fills a whole block is not a topic record.
    const whole = isEnd ? block.length : block.lastIndexOf(NEWLINE) + 1 || block.length;
    ids.push(...idsIn(block.subarray(0, whole), name));
    at += whole;
  }
  return ids;
}

function idsIn(lines: Buffer, name: string): string[] {
  if (!lines.includes(MARK)) return [];
  const records = lines.toString().split('\n');
  return records.flatMap((line) => (line.includes(MARK) ? (topicIdIn(line, name) ?? []) : []));
}

/** The id of the topic, if the file begins with its record. */
function firstTopicId(fd: number, name: string): string[] {
  const [line = ''] = readAt(fd, 0, RECORD_BYTES).toString().split('\n', 1);
  const id = topicIdIn(line, name);
  return id === undefined ? [] : [id];
}

/** The id in a line, if the line is a record of the topic. */
function topicIdIn(line: string, name: string): string | undefined {
  const { type, id, name: itsName } = jsonObjectIn(line) ?? {};
  return type === 'topic' && itsName === name && typeof id === 'string' ? id : undefined;
}

function isRecordOf(line: string, ids: readonly string[], name: string): boolean {
  const id = topicIdIn(line, name);
  return id !== undefined && ids.includes(id);
}

/** The message in a line, if it starts a thread in one of the topics. */
function messageIn(line: string, topicIds: readonly string[]): TopicMessage | undefined {
  const { type, id, topic_id: topic, parent_id: parent, body, created_at: at } = jsonObjectIn(line) ?? {};
  const text = bodyText(body);
  if (type !== 'message' || (parent ?? null) !== null) return undefined;
  if (typeof id !== 'string' || typeof topic !== 'string' || text === undefined) return undefined;
  if (!topicIds.includes(topic)) return undefined;
  return typeof at === 'number' ? { id, body: text, at } : { id, body: text };
}

/** Old lines store the text as a list of bytes. */
function bodyText(body: Json | undefined): string | undefined {
  if (typeof body === 'string') return body;
  if (!Array.isArray(body) || !body.every((byte) => typeof byte === 'number')) return undefined;
  return Buffer.from(body).toString();
}

/**
 * Appends messages with one synced write, preceded by the topic's record if there is none yet. If another program left
 * an incomplete last line, ends it first, so that ours is not lost with it. Throws file system errors.
 */
export function appendToTopic(
  ref: DocumentRef,
  path: string,
  bodies: readonly string[],
  before: Topic | undefined,
): void {
  const write = (fd: number, stats: Stats): void => {
    const isTorn = stats.size > 0 && readAt(fd, stats.size - 1, 1)[0] !== NEWLINE;
    const lines = linesFor(ref.topic?.name ?? '', before?.id, bodies, timeAfter(before));
    const bytes = Buffer.from(`${isTorn ? '\n' : ''}${lines}`);
    if (writeSync(fd, bytes) !== bytes.length) throw new Error('only a part of it was written');
    fsyncSync(fd);
  };
  // A message store belongs to the user, who may share it; our own files are for the owner only.
  if (ref.base === 'own') inPrivateDirectory(path, () => withPlainFile(path, APPEND, write));
  else withPlainFile(path, APPEND, write, 0o666);
  if (before === undefined) syncDirectory(path);
}

function linesFor(name: string, known: string | undefined, bodies: readonly string[], first: number): string {
  const topicId = known ?? ulid(first);
  const topic = { type: 'topic', id: topicId, name, description: '', created_at: first };
  const messages = bodies.map((body, index) => ({
    type: 'message',
    id: ulid(first + index),
    topic_id: topicId,
    parent_id: null,
    body,
    created_at: first + index,
    sender: { id: 'holdpoint', name: 'holdpoint', model: null, role: 'loop' },
    git: null,
  }));
  const records = known === undefined ? [topic, ...messages] : messages;
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** Readers take the greatest time for the newest message, so our times increase even if the clock goes back. */
function timeAfter(before: Topic | undefined): number {
  let latest = Date.now();
  for (const { at = 0 } of before?.messages ?? []) if (at < LAST_MS) latest = Math.max(latest, at + 1);
  return latest;
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID: 10 characters of time, 16 random ones. The package would load `node:crypto`, which takes 3 ms. */
function ulid(ms: number): string {
  let id = '';
  for (let rest = ms; id.length < 10; rest = Math.floor(rest / 32)) id = CROCKFORD.charAt(rest % 32) + id;
  while (id.length < 26) id += CROCKFORD.charAt(Math.random() * 32);
  return id;
}
