import type { Stats } from 'node:fs';
import { digest } from '../core/hash';
import type { Layout } from './layout';
import { readAt } from './lines-backwards';
import type { TopicScan } from './topic-index';
import { recallScan, rememberScan } from './topic-index';
import { topicIdIn } from './topic-line';

const BLOCK_BYTES = 1024 * 1024;
const NEWLINE = 10;
/** Stands in every topic's record; inside a text its quotes would be escaped. */
const MARK = Buffer.from('"topic"');
const SEAM_BYTES = 512;

/**
 * The ids under which a file knows a topic, the oldest first. Two branches may each have begun it, so there
 * may be several. The file is searched from its beginning once, later only in what was added.
 */
export function topicIds(
  layout: Layout,
  path: string,
  fd: number,
  { ino, size }: Stats,
  name: string,
): string[] {
  const known = recallScan(layout, path, size);
  const usable =
    known?.ino === ino &&
    known.name === name &&
    known.scanned <= size &&
    known.seam === seamBefore(fd, known.scanned);
  const scan: TopicScan = usable ? known : { ino, name, scanned: 0, seam: '', ids: [] };
  const added = idsBetween(fd, scan.scanned, size, name);
  const ids = [...scan.ids, ...added.ids];
  if (added.until > scan.scanned) {
    rememberScan(layout, path, scan, {
      ino,
      name,
      scanned: added.until,
      seam: seamBefore(fd, added.until),
      ids,
    });
  }
  return added.torn === undefined ? ids : [...ids, added.torn];
}

interface Added {
  readonly ids: readonly string[];
  /** Behind the last whole line. */
  readonly until: number;
  /** The id in a last line that has no newline yet. */
  readonly torn?: string;
}

function idsBetween(fd: number, from: number, size: number, name: string): Added {
  const ids: string[] = [];
  let at = from;
  while (at < size) {
    const block = readAt(fd, at, Math.min(BLOCK_BYTES, size - at));
    if (block.length === 0) break;
    const whole = block.subarray(0, block.lastIndexOf(NEWLINE) + 1);
    ids.push(...idsIn(whole, name));
    const atEnd = at + block.length >= size;
    if (atEnd) {
      const torn = idsIn(block.subarray(whole.length), name)[0];
      return { ids, until: at + whole.length, ...(torn !== undefined && { torn }) };
    }
    // A line that fills a whole block is no topic's record.
    at += whole.length || block.length;
  }
  return { ids, until: at };
}

function idsIn(lines: Buffer, name: string): string[] {
  const ids: string[] = [];
  for (let at = lines.indexOf(MARK); at >= 0; ) {
    const begin = lines.lastIndexOf(NEWLINE, at) + 1;
    const newline = lines.indexOf(NEWLINE, at);
    const end = newline < 0 ? lines.length : newline;
    const id = topicIdIn(lines.toString('utf8', begin, end), name);
    if (id !== undefined) ids.push(id);
    at = lines.indexOf(MARK, end);
  }
  return ids;
}

/** The end of what was searched, made short: other bytes there mean that it is another file's. */
function seamBefore(fd: number, scanned: number): string {
  const begin = Math.max(0, scanned - SEAM_BYTES);
  return digest(readAt(fd, begin, scanned - begin).toString('latin1'));
}
