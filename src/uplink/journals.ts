import { readSync } from 'node:fs';
import { attempt } from '../core/failure';
import { type JsonObject, numberIn, objectIn, textIn } from '../core/json';
import type { Layout } from '../state/documents';
import { READ_NO_FOLLOW, withPlainFile } from '../state/files';
import { chainAt, logFiles, recordsIn, unchained } from '../state/journal';

/*
 * Follows the journals of a project. Positions are kept by inode, which rotation does not change, so a line
 * that is still appended to a rotated file is not missed. A position only counts if the line that ends there
 * is the same; otherwise the file is read from its beginning, and the hub ignores what it already has.
 */

/** How much of a file the hub has. */
interface Position {
  readonly offset: number;
  /** The checksum of the line that ends there. */
  readonly chain: string;
}

/** Keyed by the file's inode. */
export type Positions = Readonly<Record<string, Position>>;

/** Converts the object under each key. */
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
 * The oldest journal lines that the hub does not have yet, about as many as fit into one message; the
 * positions once it has them, and whether there may be more.
 */
export function readUnsent(layout: Layout, known: Positions) {
  const records: JsonObject[] = [];
  const next: Record<string, Position> = {};
  let more = false;
  let room = BLOCK_BYTES;
  // The newest file is opened first: one that is rotated meanwhile is then read twice, never missed.
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

/** What is new in one file, up to its last complete line. */
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
      // Our lines are never this long: a full block without a line ending is not ours, so skip it.
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
