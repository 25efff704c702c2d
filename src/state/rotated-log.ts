import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { detailOf, errorCode, type Failure } from '../core/failure';
import { containerOf, isKept, type Layout, placeOf } from './documents';
import { inPrivateDirectory, READ_NO_FOLLOW, withPlainFile } from './files';
import { acquireLock } from './lock';

/*
 * Append-only files of lines in our own directory: the journal, and a log of which rules were asked. A file that has
 * become too large is rotated, and the oldest one is deleted.
 */

export type LogName = 'journal' | 'asked';

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const ARCHIVES = [1, 2, 3];
const ROTATION_MS = 100;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** All files of a log, newest first. */
export function logFiles({ own }: Layout, name: LogName): readonly [string, ...string[]] {
  return [`${own}/${name}.jsonl`, ...ARCHIVES.map((number) => `${own}/${name}.${number}.jsonl`)];
}

/** Returns the text to append to an open file of this size. */
export type TextAt = (fd: number, size: number) => string;

/** Appends text in one write, which needs no lock. Not synced, since no decision depends on it. */
export function appendToLog(layout: Layout, name: LogName, textAt: TextAt): Failure | undefined {
  if (!isKept(layout, 'own')) return undefined;
  const [file] = logFiles(layout, name);
  try {
    const place = placeOf(containerOf(layout, 'own'), file);
    if (place.kind === 'outward') return { code: 'state.outside', file, target: place.target };
    const tooMuch = append(file, textAt, MAX_FILE_BYTES);
    if (tooMuch !== undefined) {
      rotate(layout, name, tooMuch);
      append(file, textAt);
    }
    return undefined;
  } catch (error) {
    return { code: 'state.write-failed', file, detail: detailOf(error) };
  }
}

/** Writes nothing if the file would grow beyond `maxBytes`; returns how many bytes it would have added. */
function append(file: string, textAt: TextAt, maxBytes = Number.POSITIVE_INFINITY): number | undefined {
  return inPrivateDirectory(file, () =>
    withPlainFile(file, APPEND, (fd, { size }) => {
      const bytes = Buffer.from(textAt(fd, size));
      if (size + bytes.length > maxBytes) return bytes.length;
      if (writeSync(fd, bytes) === bytes.length) return undefined;
      // Ends the partial line, so that the next line does not continue it.
      writeSync(fd, '\n');
      throw new Error('only a part was written');
    }),
  );
}

/** One process rotates while the others wait briefly; after a timeout they append anyway. */
function rotate(layout: Layout, name: LogName, adding: number): void {
  const lock = acquireLock(`${layout.own}/${name}.lock`, ROTATION_MS);
  if (!lock.ok) return;
  try {
    const files = logFiles(layout, name);
    // Another process may have rotated while we waited.
    const size = statSync(files[0], { throwIfNoEntry: false })?.size ?? 0;
    if (size + adding <= MAX_FILE_BYTES) return;
    const [oldest = '', ...newer] = files.toReversed();
    let to = oldest;
    for (const from of newer) {
      moveIfThere(from, to);
      to = from;
    }
  } catch {
    // A log that cannot be rotated keeps growing: better than losing a line.
  } finally {
    lock.value.release();
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** Opens all files of a log, newest first: one that is rotated meanwhile is then seen twice, never missed. */
export function openLog(layout: Layout, name: LogName): number[] {
  const open = new Map<number, number>();
  for (const file of logFiles(layout, name)) {
    try {
      const fd = openSync(file, READ_NO_FOLLOW | constants.O_NONBLOCK);
      const stats = fstatSync(fd);
      if (open.has(stats.ino) || !stats.isFile()) closeSync(fd);
      else open.set(stats.ino, fd);
    } catch {
      // Most projects have fewer files.
    }
  }
  return [...open.values()];
}

/** The file of a log that is there but cannot be read, and why. */
export function unreadableLog(layout: Layout, name: LogName): string | undefined {
  for (const file of logFiles(layout, name)) {
    try {
      withPlainFile(file, READ_NO_FOLLOW, (fd) => readSync(fd, Buffer.alloc(1)));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') return `${file}: ${detailOf(error)}`;
    }
  }
  return undefined;
}

const BLOCK_BYTES = 1024 * 1024;
const NEWLINE = 10;

/** All lines of a log, oldest first, using only as much memory as the longest line needs. */
export function* linesOfLog(layout: Layout, name: LogName): Iterable<string> {
  const open = openLog(layout, name);
  try {
    for (const fd of open.toReversed()) yield* linesIn(fd);
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

function* linesIn(fd: number): Iterable<string> {
  let buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let kept = 0;
  for (let at = 0; ; ) {
    if (kept === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    const read = readSync(fd, buffer, kept, buffer.length - kept, at);
    if (read === 0) break;
    at += read;
    const end = kept + read;
    let from = 0;
    for (let to = buffer.indexOf(NEWLINE, kept); to >= 0 && to < end; to = buffer.indexOf(NEWLINE, from)) {
      yield buffer.toString('utf8', from, to);
      from = to + 1;
    }
    buffer.copyWithin(0, from, end);
    kept = end - from;
  }
  if (kept > 0) yield buffer.toString('utf8', 0, kept);
}
