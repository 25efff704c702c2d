import { readSync } from 'node:fs';
import { type JsonObject, numberIn, objectIn, textIn } from '../core/json';
import { attempt } from '../exec/attempt';
import type { Layout } from '../state/documents';
import { READ_NO_FOLLOW, withPlainFile } from '../state/files';
import { chainAt, recordsIn, unchained } from '../state/journal';
import { logFiles } from '../state/rotated-log';

/*
 * Follows the journals of a project. The position is kept for each file by its inode, which rotation does not change: a
 * line that somebody still adds to a file that was rotated is not missed. It is only believed where the line that ends
 * there is the same one; else the file is read from its beginning, and the hub knows what it has already.
 */

/** How far a file is known to the hub. */
interface Position {
  readonly offset: number;
  /** The sum of the line that ends there. */
  readonly chain: string;
}

/** By the inode of the file. */
export type Positions = Readonly<Record<string, Position>>;

/** The objects under the keys of another, each as something else. */
export function mapped<T>(value: JsonObject, read: (one: JsonObject) => T): Record<string, T> {
  return Object.fromEntries(Object.keys(value).map((key) => [key, read(objectIn(value, key))]));
}

export function positionsIn(value: JsonObject): Positions {
  return mapped(value, (one) => ({
    offset: numberIn(one, 'offset') ?? 0,
    chain: textIn(one, 'chain') ?? '',
  }));
}

const BLOCK_BYTES = 512 * 1024;

/**
 * The next lines of a project's journal that the hub does not have yet, the oldest first, about as many as fit into one
 * message; the positions once it has them, and whether there may be more behind them.
 */
export function readUnsent(layout: Layout, known: Positions) {
  const records: JsonObject[] = [];
  const next: Record<string, Position> = {};
  let more = false;
  let room = BLOCK_BYTES;
  // The newest is opened first: one that is rotated meanwhile is then met twice, never missed.
  const files = logFiles(layout, 'journal').flatMap((file) => blockOf(file, known) ?? []);
  for (const block of files.toReversed()) {
    if (Object.hasOwn(next, block.inode)) continue;
    const isTaken = room > 0 && block.end > block.start;
    next[block.inode] = isTaken ? { offset: block.end, chain: block.chain } : block.from;
    more ||= block.more || (!isTaken && block.end > block.start);
    if (!isTaken) continue;
    room -= block.end - block.start;
    records.push(...block.records);
  }
  return { records: records.filter((one) => typeof one['id'] === 'string'), next, more };
}

/** What is new in one file, up to its last whole line. */
function blockOf(file: string, known: Positions) {
  return attempt(() =>
    withPlainFile(file, READ_NO_FOLLOW, (fd, { ino, size }) => {
      const inode = String(ino);
      const was = known[inode];
      const isSame =
        was !== undefined && was.offset <= size && (chainAt(fd, was.offset)?.sum ?? '') === was.chain;
      const from = isSame ? was : { offset: 0, chain: '' };
      const start = from.offset;
      const bytes = Buffer.alloc(Math.min(BLOCK_BYTES, size - start));
      const length = readSync(fd, bytes, 0, bytes.length, start);
      const isFull = length === BLOCK_BYTES;
      const last = bytes.lastIndexOf(10, length - 1) + 1;
      // A line of ours is never so long: what has no end in all of it is none.
      const whole = last === 0 && isFull ? length : last;
      const lines = bytes.toString('utf8', 0, whole).split('\n').filter(Boolean);
      return {
        inode,
        from,
        start,
        end: start + whole,
        chain: unchained(lines.at(-1) ?? '').chain?.sum ?? '',
        records: lines.flatMap(recordsIn),
        more: start + whole < size && whole > 0,
      };
    }),
  );
}

/** How many lines the hub does not have yet. */
export function countUnsent(layout: Layout, known: Positions): number {
  let count = 0;
  let positions = known;
  for (;;) {
    const { records, next, more } = readUnsent(layout, positions);
    count += records.length;
    positions = next;
    if (!more) return count;
  }
}
