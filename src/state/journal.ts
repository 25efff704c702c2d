import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { attempt, detailOf, errorCode, type Failure } from '../core/failure';
import { type JsonObject, jsonObjectIn } from '../core/json';
import { digest } from '../core/text';
import { containerOf, type DocumentRef, isKept, type Layout, placeOf } from './documents';
import {
  acquireLock,
  inPrivateDirectory,
  linesBackwards,
  linesIn,
  READ_NO_FOLLOW,
  readAt,
  readSmallFile,
  withPlainFile,
} from './files';

let lastIdTime = 0;

/**
 * An id for a decision: time and process in base 36. Ids sort by time; if a process needs several in one millisecond,
 * the time is counted up.
 */
export function nextDecisionId(nowMs: number, pid: number): string {
  lastIdTime = Math.max(nowMs, lastIdTime + 1);
  return lastIdTime.toString(36) + pid.toString(36);
}

export function appendJournal(layout: Layout, line: JsonObject): Failure | undefined {
  const text = lineOf(line);
  return appendToLog(layout, 'journal', (fd, size) => chained(text, size, chainAt(fd, size)));
}

/*
 * Every line ends with its position in the chain: its line number in the file, the size of the file when it was
 * written, and a digest of itself and of the line that ended there. Processes that write at the same moment see the
 * same end, so two lines may follow one. The lines after a removed or changed one reveal it; see journal-check.ts.
 */
export interface Chain {
  readonly number: number;
  readonly seen: number;
  readonly sum: string;
}

const CHAIN = /,"chain":"([0-9a-z]+)\.([0-9a-z]+)\.([0-9a-z]+)"\}\n?$/;
/** More bytes than a chain member ever takes. */
const CHAIN_BYTES = 64;

/** Splits a line into its chain position and the text that was digested, without it. */
export function unchained(line: string): { readonly text: string; readonly chain: Chain | undefined } {
  const [whole = '', number = '', seen = '', sum = ''] = CHAIN.exec(line) ?? [];
  if (whole === '') return { text: line, chain: undefined };
  const chain = { number: Number.parseInt(number, 36), seen: Number.parseInt(seen, 36), sum };
  return { text: `${line.slice(0, line.length - whole.length)}}\n`, chain };
}

export function chainSum(before: string, text: string): string {
  return digest(before + text);
}

function chained(text: string, size: number, last: Chain | undefined): string {
  const place = [(last?.number ?? 0) + 1, size].map((one) => one.toString(36)).join('.');
  return `${text.slice(0, -2)},"chain":"${place}.${chainSum(last?.sum ?? '', text)}"}\n`;
}

/** The chain position of the line that ends at the byte `size`. */
export function chainAt(fd: number, size: number): Chain | undefined {
  const length = Math.min(size, CHAIN_BYTES);
  return unchained(readAt(fd, size - length, length).toString()).chain;
}

/** Identifies the last line of the journal, so that heartbeats can record it. */
export function journalEnd(layout: Layout): string | undefined {
  const [file] = logFiles(layout, 'journal');
  const chain = attempt(() => withPlainFile(file, READ_NO_FOLLOW, (fd, { size }) => chainAt(fd, size)));
  return chain && `${chain.number}.${chain.sum}`;
}

const MAX_LINE_BYTES = 16 * 1024;
/** Shorter strings are names and ids, the essence of a line. */
const LONGEST_NAME = 64;
/** So many members of this size always fit. */
const MOST_SHORT = 24;
const SHORT_BYTES = 512;

/** One line of a log, with its newline. If it is too long, its longest strings or members go, and it is marked `cut`. */
export function lineOf(line: JsonObject): string {
  const whole = `${JSON.stringify(line)}\n`;
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  if (whole.length <= MAX_LINE_BYTES / 3 || Buffer.byteLength(whole) <= MAX_LINE_BYTES) return whole;
  for (let longest = MAX_LINE_BYTES / 2; longest >= LONGEST_NAME; longest /= 2) {
    const isLong = (value: unknown) => typeof value === 'string' && Buffer.byteLength(value) > longest;
    const shorter = JSON.stringify({ ...line, cut: true }, (_, value) => (isLong(value) ? '…' : value));
    if (Buffer.byteLength(shorter) < MAX_LINE_BYTES) return `${shorter}\n`;
  }
  const isShort = (member: unknown) => Buffer.byteLength(JSON.stringify(member)) <= SHORT_BYTES;
  const kept = Object.entries(line).filter(isShort).slice(0, MOST_SHORT);
  return `${JSON.stringify({ ...Object.fromEntries(kept), cut: true })}\n`;
}

/** All records of the journal, oldest first; lines that are not ours are skipped. */
export function* readJournal(layout: Layout): Iterable<JsonObject> {
  for (const line of linesOfLog(layout, 'journal')) yield* recordsIn(line);
}

/** The last `count` wanted records, oldest first. */
export function tailJournal(
  layout: Layout,
  count: number,
  isWanted: (record: JsonObject) => boolean = () => true,
): readonly JsonObject[] {
  const tail: JsonObject[] = [];
  for (const record of newestFirst(layout)) {
    if (tail.length >= count) break;
    if (isWanted(record)) tail.push(record);
  }
  return tail.reverse();
}

export function* newestFirst(layout: Layout): Iterable<JsonObject> {
  const open = openLog(layout, 'journal');
  try {
    for (const fd of open) {
      for (const line of linesBackwards(fd, fstatSync(fd).size, { bytes: Number.POSITIVE_INFINITY })) {
        if (line !== undefined) yield* recordsIn(line.toString('utf8')).reverse();
      }
    }
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

/** How every record begins. Inside a string the quotes are escaped, and no member is such an object. */
const RECORD_START = '{"id":"';

/**
 * The records in one line, oldest first. A line is one record, unless a writer died before its newline: then the next
 * writer continued the line, and every complete record in it counts.
 */
export function recordsIn(line: string): JsonObject[] {
  const record = recordIn(line);
  if (record !== undefined) return [record];
  const parts = line.split(RECORD_START).slice(1);
  return parts.map((part) => recordIn(RECORD_START + part)).filter((part) => part !== undefined);
}

function recordIn(line: string): JsonObject | undefined {
  const { chain: _, ...record } = jsonObjectIn(line) ?? {};
  return Object.keys(record).length === 0 ? undefined : record;
}

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
function openLog(layout: Layout, name: LogName): number[] {
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

/** All lines of a log, oldest first, using only as much memory as the longest line needs. */
export function* linesOfLog(layout: Layout, name: LogName): Iterable<string> {
  const open = openLog(layout, name);
  try {
    for (const fd of open.toReversed()) for (const line of linesIn(fd)) yield line.toString('utf8');
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

/* The hub that this machine has joined follows the journals of its projects. */

/** The hub that this machine has joined: our token, and the hub's key as pinned at that time. */
export const HUB: DocumentRef = {
  base: 'home',
  path: '.config/holdpoint/hub.json',
  format: 'json',
  durability: 'durable',
};

export function isJoined(home: string): boolean {
  return existsSync(`${home}/${HUB.path}`);
}

/** The projects of this machine that its hub is told about, one root per line. */
const PROJECTS_FILE = '.config/holdpoint/uplink/projects';
const LARGEST_LIST = 1024 * 1024;

export function notedProjects(home: string): string[] {
  return readSmallFile(`${home}/${PROJECTS_FILE}`, LARGEST_LIST)?.split('\n').filter(Boolean) ?? [];
}

/** Adds a project to the list with a single append. */
export function noteProject(home: string, root: string): void {
  if (root.includes('\n') || notedProjects(home).includes(root)) return;
  const file = `${home}/${PROJECTS_FILE}`;
  inPrivateDirectory(file, () => appendFileSync(file, `${root}\n`, { mode: 0o600 }));
}
