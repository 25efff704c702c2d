import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
} from 'node:fs';

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
  try {
    return withPlainFile(file, READ_NO_FOLLOW, (fd, { size }) =>
      size <= maxBytes ? readFileSync(fd, 'utf8') : undefined,
    );
  } catch {
    return undefined;
  }
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
