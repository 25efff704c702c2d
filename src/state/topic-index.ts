import { constants, readFileSync, renameSync } from 'node:fs';
import type { Json } from '../core/json';
import { isJsonObject } from '../core/json';
import type { Layout } from './layout';
import { containerOf, isKept } from './layout';
import { placeOf } from './place';
import { withPlainFile } from './plain-file';
import { discard, writeTemporary } from './whole-file';

/** How far a file has been searched for the records of one topic, and what was found. */
export interface TopicScan {
  readonly ino: number;
  readonly name: string;
  /** The bytes that were searched, up to the end of a line. */
  readonly scanned: number;
  /** Tells the searched file from another one that took its place. */
  readonly seam: string;
  readonly ids: readonly string[];
}

/** What is smaller is searched again by every event: that costs less than to remember it. */
const LARGE_BYTES = 4 * 1024 * 1024;
const WORTH_KEEPING_BYTES = 1024 * 1024;

const scans = new Map<string, TopicScan>();
/** The files of which more is known than was kept, each with the directory to keep it in. */
const unkept = new Map<string, string>();

/** What an earlier look of this process found, or that of an earlier process where the file is large. */
export function recallScan(layout: Layout, path: string, size: number): TopicScan | undefined {
  const known = scans.get(path);
  return known ?? (size < LARGE_BYTES ? undefined : keptScans(layout)[path]);
}

/** What is new since `before` is kept only where it saves the next process something. */
export function rememberScan({ own }: Layout, path: string, before: TopicScan, scan: TopicScan): void {
  scans.set(path, scan);
  const news = scan.ids.length > before.ids.length || scan.scanned - before.scanned >= WORTH_KEEPING_BYTES;
  if (news && scan.scanned >= LARGE_BYTES) unkept.set(path, own);
}

/** Keeps what this process has found in large files for the next one. Not done while reading: a look changes nothing. */
export function keepScans(layout: Layout): void {
  if (unkept.size === 0) return;
  const fresh = [...unkept].flatMap(([path, own]) =>
    own === layout.own ? [[path, scans.get(path)] as const] : [],
  );
  if (fresh.length === 0 || !isKept(layout, 'own')) return;
  const file = indexFile(layout);
  for (const [path] of fresh) unkept.delete(path);
  try {
    if (placeOf(containerOf(layout, 'own'), file).kind === 'outward') return;
    const text = JSON.stringify({ ...keptScans(layout), ...Object.fromEntries(fresh) });
    const temporary = writeTemporary(file, `${text}\n`, false);
    try {
      renameSync(temporary, file);
    } catch {
      discard(temporary);
    }
  } catch {
    // Told by nothing but the time that the next look takes.
  }
}

function keptScans(layout: Layout): Record<string, TopicScan> {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
    const text = withPlainFile(indexFile(layout), flags, (fd) => readFileSync(fd, 'utf8'));
    const kept: unknown = JSON.parse(text);
    const entries = isJsonObject(kept) ? Object.entries(kept) : [];
    return Object.fromEntries(
      entries.flatMap(([path, value]) => scanFrom(value).map((scan) => [path, scan])),
    );
  } catch {
    return {};
  }
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

function indexFile(layout: Layout): string {
  return `${layout.own}/topics.json`;
}
