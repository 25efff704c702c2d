import type { Stats } from 'node:fs';
import { isJsonObject, type Json, jsonObjectIn } from '../core/json';
import { digest } from '../core/text';
import { containerOf, isKept, type Layout, placeOf } from './documents';
import { readAt, readSmallFile, writeFileAtomic } from './files';

/** How far a file has been searched for records of one topic, and the ids found. */
interface TopicScan {
  readonly ino: number;
  readonly name: string;
  /** The number of bytes searched, up to the end of a line. */
  readonly scanned: number;
  /** A digest of the last bytes searched, to detect that the file has been replaced. */
  readonly seam: string;
  readonly ids: readonly string[];
}

/** Every process searches smaller files again. */
const LARGE_BYTES = 4 * 1024 * 1024;
const WORTH_SAVING_BYTES = 1024 * 1024;
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
const BLOCK_BYTES = 1024 * 1024;
const SEAM_BYTES = 512;
const RECORD_BYTES = 512;
const NEWLINE = 10;
/** Part of every topic record; inside a string its quotes would be escaped. */
const MARK = '"topic"';

const scans = new Map<string, TopicScan>();
/** Files whose scan is worth saving, each with the state directory to save it in. */
const unsaved = new Map<string, string>();

/**
 * The ids of a topic in a file, oldest first. There are several if two branches each created it. The file is searched
 * from the beginning once, later only what was added.
 */
export function topicIds(
  layout: Layout,
  path: string,
  fd: number,
  { ino, size }: Stats,
  name: string,
): string[] {
  const known = scans.get(path) ?? (size < LARGE_BYTES ? undefined : savedScans(layout)[path]);
  const isUsable =
    known?.ino === ino &&
    known.name === name &&
    known.scanned <= size &&
    known.seam === seamBefore(fd, known.scanned);
  const before: TopicScan = isUsable ? known : { ino, name, scanned: 0, seam: '', ids: [] };
  const added = idsBetween(fd, before.scanned, size, name);
  const ids = [...before.ids, ...added.ids];
  if (added.until > before.scanned) {
    scans.set(path, { ino, name, scanned: added.until, seam: seamBefore(fd, added.until), ids });
    const isNews = added.ids.length > 0 || added.until - before.scanned >= WORTH_SAVING_BYTES;
    if (isNews && added.until >= LARGE_BYTES) unsaved.set(path, layout.own);
  }
  return [...ids, ...added.torn];
}

/** Saves scans of large files for the next process. Not done while reading, since reading must change nothing. */
export function saveScans(layout: Layout): void {
  const paths = [...unsaved.keys()].filter((path) => unsaved.get(path) === layout.own);
  if (paths.length === 0 || !isKept(layout, 'own')) return;
  for (const path of paths) unsaved.delete(path);
  try {
    const file = indexFile(layout);
    if (placeOf(containerOf(layout, 'own'), file).kind === 'outward') return;
    const fresh = Object.fromEntries(paths.map((path) => [path, scans.get(path)]));
    writeFileAtomic(file, `${JSON.stringify({ ...savedScans(layout), ...fresh })}\n`);
  } catch {
    // Without it, the next process only takes longer.
  }
}

interface Added {
  readonly ids: readonly string[];
  /** The end of the last whole line. */
  readonly until: number;
  /** The id in an incomplete last line. */
  readonly torn: readonly string[];
}

function idsBetween(fd: number, from: number, size: number, name: string): Added {
  const ids: string[] = [];
  let at = from;
  while (at < size) {
    const block = readAt(fd, at, Math.min(BLOCK_BYTES, size - at));
    if (block.length === 0) break;
    const whole = block.subarray(0, block.lastIndexOf(NEWLINE) + 1);
    ids.push(...idsIn(whole, name));
    const isEnd = at + block.length >= size;
    if (isEnd) return { ids, until: at + whole.length, torn: idsIn(block.subarray(whole.length), name) };
    // A line that fills a whole block is not a topic record.
    at += whole.length || block.length;
  }
  return { ids, until: at, torn: [] };
}

function idsIn(lines: Buffer, name: string): string[] {
  if (!lines.includes(MARK)) return [];
  const records = lines.toString().split('\n');
  return records.flatMap((line) => (line.includes(MARK) ? (topicIdIn(line, name) ?? []) : []));
}

/** The id of the topic, if the file begins with its record. */
export function firstTopicId(fd: number, name: string): string[] {
  const [line = ''] = readAt(fd, 0, RECORD_BYTES).toString().split('\n', 1);
  const id = topicIdIn(line, name);
  return id === undefined ? [] : [id];
}

/** The id in a line, if the line is a record of the topic. */
export function topicIdIn(line: string, name: string): string | undefined {
  const { type, id, name: itsName } = jsonObjectIn(line) ?? {};
  return type === 'topic' && itsName === name && typeof id === 'string' ? id : undefined;
}

function seamBefore(fd: number, scanned: number): string {
  const begin = Math.max(0, scanned - SEAM_BYTES);
  return digest(readAt(fd, begin, scanned - begin).toString('latin1'));
}

function indexFile(layout: Layout): string {
  return `${layout.own}/topics.json`;
}

function savedScans(layout: Layout): Record<string, TopicScan> {
  const saved = jsonObjectIn(readSmallFile(indexFile(layout), MAX_INDEX_BYTES) ?? '') ?? {};
  return Object.fromEntries(
    Object.entries(saved).flatMap(([path, value]) => scanFrom(value).map((scan) => [path, scan])),
  );
}

function scanFrom(value: Json | undefined): TopicScan[] {
  if (!isJsonObject(value)) return [];
  const { ino, name, scanned, seam, ids } = value;
  if (typeof ino !== 'number' || !isOffset(scanned) || !Array.isArray(ids)) return [];
  if (typeof name !== 'string' || typeof seam !== 'string') return [];
  return [{ ino, name, scanned, seam, ids: ids.filter((id) => typeof id === 'string') }];
}

function isOffset(value: Json | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
