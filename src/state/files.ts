import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, errorCode } from '../core/failure';

/** Thrown if a directory, pipe or device is in place of a regular file. */
export class NotAFile extends Error {}

/** Flags for `withPlainFile`: read, and fail if the file itself is a symlink. */
export const READ_NO_FOLLOW = constants.O_RDONLY | constants.O_NOFOLLOW;

/** Opens a regular file, passes it to `use` and closes it. Rejects a pipe, which would otherwise block us. */
export function withPlainFile<T>(
  path: string,
  flags: number,
  use: (fd: number, stats: Stats) => T,
  mode = 0o600,
): T {
  const fd = openSync(path, flags | constants.O_NONBLOCK, mode);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new NotAFile(stats.isDirectory() ? 'is a directory' : 'is not a regular file');
    return use(fd, stats);
  } finally {
    closeSync(fd);
  }
}

/** The text of a regular file; `undefined` if it is missing, unreadable, a symlink or larger than `maxBytes`. */
export function readSmallFile(file: string, maxBytes: number): string | undefined {
  return readSmallBytes(file, maxBytes)?.toString();
}

/** Like `readSmallFile`, but bytes: Node is slow to decode a large file. */
export function readSmallBytes(file: string, maxBytes: number): Buffer | undefined {
  return attempt(() =>
    withPlainFile(file, READ_NO_FOLLOW, (fd, { size }) =>
      size <= maxBytes ? readAt(fd, 0, size) : undefined,
    ),
  );
}

/** The text of a file written with `sealed`; `undefined` if it is too large or somebody else has written it since. */
export function readSealed(file: string, maxBytes: number): string | undefined {
  return withPlainFile(file, READ_NO_FOLLOW, (fd, { size, mtimeMs }) =>
    size <= maxBytes && mtimeMs === sealOf(size) * 1000 ? readFileSync(fd, 'utf8') : undefined,
  );
}

/** Whether nothing exists at a path, not even a dangling symlink. */
export function isMissing(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

/** How far back `linesBackwards` may go. */
export interface BackwardLimit {
  readonly bytes: number;
  /** Deadline in milliseconds since the epoch; no further block is read after it. */
  readonly until?: number;
}

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 10;

/**
 * The lines of a file from the byte `end` back to the beginning, without newlines. They are buffers because a block may
 * begin in the middle of a character. Yields `undefined` last if it had to stop before the beginning.
 */
export function* linesBackwards(
  fd: number,
  end: number,
  reach: BackwardLimit,
): Generator<Buffer | undefined> {
  let later: Buffer[] = [];
  for (let from = end; from > 0; ) {
    const length = Math.min(from, BLOCK_BYTES, reach.bytes - (end - from));
    const isLate = reach.until !== undefined && Date.now() > reach.until;
    const block = length > 0 && !isLate ? readAt(fd, from - length, length) : undefined;
    if (block?.length !== length) {
      yield undefined;
      return;
    }
    from -= length;
    let rest = block;
    for (let at = rest.lastIndexOf(NEWLINE); at >= 0; at = rest.lastIndexOf(NEWLINE)) {
      const line = rest.subarray(at + 1);
      yield later.length === 0 ? line : Buffer.concat([line, ...later.toReversed()]);
      later = [];
      rest = rest.subarray(0, at);
    }
    later.push(rest);
  }
  yield Buffer.concat(later.toReversed());
}

/**
 * The lines of a file from its beginning, without newlines, in memory that does not grow with the file. Each is only
 * valid until the next one is requested.
 */
export function* linesIn(fd: number): Generator<Buffer> {
  let buffer = Buffer.allocUnsafe(4 * BLOCK_BYTES);
  let kept = 0;
  for (let at = 0; ; ) {
    if (kept === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    const read = readSync(fd, buffer, kept, buffer.length - kept, at);
    if (read === 0) break;
    at += read;
    const end = kept + read;
    let from = 0;
    for (let to = buffer.indexOf(NEWLINE, kept); to >= 0 && to < end; to = buffer.indexOf(NEWLINE, from)) {
      yield buffer.subarray(from, to);
      from = to + 1;
    }
    buffer.copyWithin(0, from, end);
    kept = end - from;
  }
  if (kept > 0) yield buffer.subarray(0, kept);
}

/** Reads up to `length` bytes at a position; fewer at the end of the file. */
export function readAt(fd: number, position: number, length: number): Buffer {
  const block = Buffer.allocUnsafe(length);
  return block.subarray(0, readSync(fd, block, 0, length, position));
}

/** How much of a file git reads to decide whether it is binary. */
const HEAD_BYTES = 8000;
/** A single NUL byte makes git hide a file, so an agent could add one to a text. */
const MOST_OF_TEXT = 0.05;

/** Whether many bytes of a file are control characters. A file that cannot be read, such as a deleted one, is text. */
export function isBinaryFile(path: string): boolean {
  const read = () => withPlainFile(path, constants.O_RDONLY, (fd) => readAt(fd, 0, HEAD_BYTES));
  const head = attempt(read) ?? Buffer.alloc(0);
  const odd = head.filter((byte) => byte < 9 || (byte > 13 && byte < 32)).length;
  return odd > head.length * MOST_OF_TEXT;
}

export interface AtomicWrite {
  /** Sync file and directory, so that the write survives a power cut. */
  readonly durable?: boolean;
  /** File permissions; by default only the owner may read and write. */
  readonly mode?: number | undefined;
  /** Sets the modification time that `readSealed` checks. */
  readonly sealed?: boolean;
  /** Called once the new content is written. If it throws, the old file is kept. */
  beforeRename?(): void;
}

/** Replaces a file by renaming a temporary one: readers see either the old or the new content, complete. */
export function writeFileAtomic(file: string, text: string | Uint8Array, options: AtomicWrite = {}): void {
  const { durable = false, mode, sealed = false, beforeRename } = options;
  const temporary = writeTemporary(file, text, durable, mode);
  try {
    const seal = sealOf(Buffer.byteLength(text));
    if (sealed) utimesSync(temporary, seal, seal);
    beforeRename?.();
    renameSync(temporary, file);
  } catch (error) {
    discard(temporary);
    throw error;
  }
  if (durable) syncDirectory(file);
}

/** Writes a new file beside `file`, ready to be renamed to it. Leaves nothing behind if it throws. */
export function writeTemporary(
  file: string,
  text: string | Uint8Array,
  durable: boolean,
  mode?: number,
): string {
  const temporary = temporaryBeside(file);
  inPrivateDirectory(file, () => writeNew(temporary, text, durable, mode));
  return temporary;
}

/** Writes a file that must not exist yet; leaves nothing behind if it throws. Without a mode, only for the owner. */
export function writeNew(file: string, text: string | Uint8Array, durable: boolean, mode?: number): void {
  const fd = openSync(file, 'wx', 0o600);
  let isWhole = false;
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    if (mode !== undefined) fchmodSync(fd, mode & 0o777);
    if (durable) fsyncSync(fd);
    isWhole = true;
  } finally {
    closeSync(fd);
    if (!isWhole) discard(file);
  }
}

/** Removes a temporary file. If that fails, it is cleaned up as a leftover later. */
export function discard(temporary: string): void {
  // Ignores errors: the failure that brought us here is the one to report.
  attempt(() => unlinkSync(temporary));
}

/** Makes a rename survive a power cut, if the file system can sync directories. */
export function syncDirectory(file: string): void {
  try {
    const fd = openSync(dirname(file), 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EISDIR'].includes(errorCode(error))) throw error;
  }
}

/** Calls `create`; if the directory of `file` is missing, creates it (for the owner only) and tries again. */
export function inPrivateDirectory<T>(file: string, create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return create();
}

/** A name that no other process generates at the same time. Not a secret. */
export function newNonce(): string {
  const time = Date.now().toString(36);
  return `${process.pid.toString(36)}${time}${Math.random().toString(36).slice(2)}`;
}

/** A temporary name beside `file`, for a file that is soon renamed or removed. */
export function temporaryBeside(file: string): string {
  return `${file}.${process.pid}.${newNonce()}.tmp`;
}

/** Matches names from `temporaryBeside`, but no other program's `.tmp` files. */
export const TEMPORARY = /\.\d+\.[0-9a-z]+\.tmp$/;

const LEFTOVER_AGE_MS = 60 * 60 * 1000;

/**
 * Removes temporary files that killed processes left in a directory over an hour ago; returns their paths. In a directory
 * that we share, only those of the file `of`.
 */
export function removeLeftovers(dir: string, now: number, of = ''): readonly string[] {
  return namesIn(dir)
    .filter((name) => TEMPORARY.test(name) && name.startsWith(of))
    .map((name) => join(dir, name))
    .filter((file) => {
      const stats = lstatSync(file, { throwIfNoEntry: false });
      // A lock that was moved aside is a symlink.
      if (stats === undefined || !(stats.isFile() || stats.isSymbolicLink())) return false;
      if (now - stats.mtimeMs < LEFTOVER_AGE_MS) return false;
      unlinkSync(file);
      return true;
    });
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * The modification time that we give a file which only we write, computed from its size. A different time shows,
 * without reading the file, that another program has written it.
 */
export const sealOf = (bytes: number): number => 1_000_000_000 + ((bytes * 7919) % 100_000_000);
