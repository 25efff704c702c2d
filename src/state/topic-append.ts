import { closeSync, constants, fsyncSync, openSync, type Stats, writeSync } from 'node:fs';
import type { DocumentRef, Topic } from '../core/document';
import { readAt } from './lines-backwards';
import { withPlainFile } from './plain-file';
import { inPrivateDirectory } from './private-directory';
import { messageLine, topicLine } from './topic-line';
import { ulid } from './ulid';
import { syncDirectory } from './whole-file';

const NEWLINE = 10;
/** The last time that an id can hold, less some room to count up in. */
const LAST_MS = 2 ** 48 - 2 ** 20;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/**
 * Adds messages to a topic by one synced write, the topic's own record before them where there is none.
 * What another program left of a line is ended first, so that ours is not lost with it. `ending` is a text
 * that ends as the file does, where it has just been read as a plain one. Throws what the file system says.
 */
export function appendToTopic(
  ref: DocumentRef,
  path: string,
  bodies: readonly string[],
  before: Topic | undefined,
  ending?: string,
): void {
  const name = ref.topic?.name ?? '';
  if (ending !== undefined) {
    appendBehind(ending, path, linesFor(name, before?.id, bodies, timeAfter(before)));
    return;
  }
  const write = (fd: number, stats: Stats): void => {
    const torn = stats.size > 0 && readAt(fd, stats.size - 1, 1)[0] !== NEWLINE;
    const bytes = Buffer.from((torn ? '\n' : '') + linesFor(name, before?.id, bodies, timeAfter(before)));
    if (writeSync(fd, bytes) !== bytes.length) throw new Error('only a part of it was written');
    fsyncSync(fd);
  };
  // A message store is its user's, who may share it; what we keep ourselves is for the owner only.
  if (ref.base === 'own') inPrivateDirectory(path, () => withPlainFile(path, APPEND, write));
  else withPlainFile(path, APPEND, write, 0o666);
  if (before === undefined) syncDirectory(path);
}

function appendBehind(ending: string, path: string, lines: string): void {
  const fd = openSync(path, APPEND | constants.O_NONBLOCK, 0o600);
  try {
    const isTorn = ending !== '' && !ending.endsWith('\n');
    const bytes = Buffer.from(isTorn ? `\n${lines}` : lines);
    if (writeSync(fd, bytes) !== bytes.length) throw new Error('only a part of it was written');
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function linesFor(name: string, known: string | undefined, bodies: readonly string[], first: number): string {
  const id = known ?? ulid(first);
  const record = known === undefined ? topicLine(id, name, first) : '';
  let lines = record;
  for (const [index, body] of bodies.entries()) {
    const at = first + index;
    lines += messageLine(ulid(at), id, body, at);
  }
  return lines;
}

/** Readers take the message with the greatest time for the newest, so a clock that went back must not show. */
function timeAfter(before: Topic | undefined): number {
  let latest = Date.now();
  for (const { at } of before?.messages ?? []) {
    if (at !== undefined && at < LAST_MS) latest = Math.max(latest, at + 1);
  }
  return latest;
}
