import { readSync } from 'node:fs';

/** How far back a reader may go. */
export interface Reach {
  readonly bytes: number;
  /** Milliseconds since the epoch, after which no further block is read. */
  readonly until?: number;
}

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 10;

/**
 * The lines of a file from the byte `end` back to its beginning, each without its newline. They are cut out
 * as bytes, since a block may begin in the middle of a character. `undefined` comes last when the reach,
 * or the file, was too short for all of them.
 */
export function* linesBackwards(fd: number, end: number, reach: Reach): Generator<Buffer | undefined> {
  let later: Buffer[] = [];
  for (let from = end; from > 0; ) {
    const length = Math.min(from, BLOCK_BYTES, reach.bytes - (end - from));
    const late = reach.until !== undefined && Date.now() > reach.until;
    const block = length > 0 && !late ? readAt(fd, from - length, length) : undefined;
    if (block?.length !== length) {
      yield undefined;
      return;
    }
    from -= length;
    let rest = block;
    for (let at = rest.lastIndexOf(NEWLINE); at >= 0; at = rest.lastIndexOf(NEWLINE)) {
      yield joined(rest.subarray(at + 1), later);
      later = [];
      rest = rest.subarray(0, at);
    }
    later.push(rest);
  }
  yield joined(Buffer.alloc(0), later);
}

/** As many of the bytes as the file has there. */
export function readAt(fd: number, position: number, length: number): Buffer {
  const block = Buffer.allocUnsafe(length);
  return block.subarray(0, readSync(fd, block, 0, length, position));
}

/** A long line is put together once, however many blocks it fills. */
function joined(first: Buffer, later: readonly Buffer[]): Buffer {
  return later.length === 0 ? first : Buffer.concat([first, ...later.toReversed()]);
}
