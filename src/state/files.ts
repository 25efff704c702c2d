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
import { errorCode } from '../core/failure';
import { attempt } from '../exec/attempt';
import { sealOf } from './seal';

/** Thrown where a directory, pipe or device stands in place of a regular file. */
export class NotAFile extends Error {}

/** For `withPlainFile`: read, and fail if the file itself is a symlink. */
export const READ_NO_FOLLOW = constants.O_RDONLY | constants.O_NOFOLLOW;

/** Opens a regular file, hands it to `use` and closes it. A pipe in its place is refused instead of blocking us. */
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

/** Its bytes: Node makes text of a large file in many small steps. */
export function readSmallBytes(file: string, maxBytes: number): Buffer | undefined {
  return attempt(() =>
    withPlainFile(file, READ_NO_FOLLOW, (fd, { size }) =>
      size <= maxBytes ? readAt(fd, 0, size) : undefined,
    ),
  );
}

/** The text of a file that was written as `sealed`; `undefined` also where somebody else has written it since. */
export function readSealed(file: string, maxBytes: number): string | undefined {
  return withPlainFile(file, READ_NO_FOLLOW, (fd, { size, mtimeMs }) =>
    size <= maxBytes && mtimeMs === sealOf(size) * 1000 ? readFileSync(fd, 'utf8') : undefined,
  );
}

/** Whether nothing is at a path, not even a dangling symlink. */
export function isMissing(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

/** How far back `linesBackwards` may go. */
export interface Reach {
  readonly bytes: number;
  /** Milliseconds since the epoch, after which no further block is read. */
  readonly until?: number;
}

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 10;

/**
 * The lines of a file from the byte `end` back to its beginning, without their newlines. They are buffers because a
 * block may begin in the middle of a character. `undefined` comes last if the reach, or the file, was too short.
 */
export function* linesBackwards(fd: number, end: number, reach: Reach): Generator<Buffer | undefined> {
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

/** Up to `length` bytes at a position; fewer where the file ends. */
export function readAt(fd: number, position: number, length: number): Buffer {
  const block = Buffer.allocUnsafe(length);
  return block.subarray(0, readSync(fd, block, 0, length, position));
}

/** How `writeFileAtomic` writes. */
export interface AtomicWrite {
  /** Sync file and directory, so that the write survives a power cut. */
  readonly durable?: boolean;
  /** The permissions; by default only the owner may read the file. */
  readonly mode?: number | undefined;
  /** For `readSealed`. */
  readonly sealed?: boolean;
  /** Called once the new content is written. If it throws, the old file stays. */
  beforeRename?(): void;
}

/** Replaces a file by way of a temporary one: readers see all of the old content or all of the new. */
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

/** Writes a new file beside `file`, ready to be renamed over it. Leaves nothing behind if it throws. */
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

/** Writes a file that must not exist yet. Leaves nothing behind if it throws. Without a mode it is for the owner only. */
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

/** Removes a temporary file. One that cannot be removed is a leftover and found as such later. */
export function discard(temporary: string): void {
  // The failure that brought us here is the one to report.
  attempt(() => unlinkSync(temporary));
}

/** Makes a rename survive a power cut, on file systems whose directories can be synced. */
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

/** Runs what creates `file`; if its directory is missing, makes that (for the owner only) and tries again. */
export function inPrivateDirectory<T>(file: string, create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return create();
}

/** A name that no other process makes at the same time. Not a secret. */
export function newNonce(): string {
  const time = Date.now().toString(36);
  return `${process.pid.toString(36)}${time}${Math.random().toString(36).slice(2)}`;
}

/** The name of a file beside `file` that is renamed or removed within moments. */
export function temporaryBeside(file: string): string {
  return `${file}.${process.pid}.${newNonce()}.tmp`;
}

/** Matches the names that `temporaryBeside` gives, and no `.tmp` of anybody else. */
export const TEMPORARY = /\.\d+\.[0-9a-z]+\.tmp$/;

const LEFTOVER_AGE_MS = 60 * 60 * 1000;

/** Removes the temporary files that killed processes left in a directory more than an hour ago; returns their paths. */
export function removeLeftovers(dir: string, now: number): readonly string[] {
  return namesIn(dir)
    .filter((name) => TEMPORARY.test(name))
    .map((name) => join(dir, name))
    .filter((file) => {
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (!stats?.isFile() || now - stats.mtimeMs < LEFTOVER_AGE_MS) return false;
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
