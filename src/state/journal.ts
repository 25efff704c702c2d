import { closeSync, fstatSync } from 'node:fs';
import type { Failure } from '../core/failure';
import { type JsonObject, jsonObjectIn } from '../core/json';
import { digest } from '../core/text';
import { attempt } from '../exec/attempt';
import type { Layout } from './documents';
import { linesBackwards, READ_NO_FOLLOW, readAt, withPlainFile } from './files';
import { appendToLog, linesOfLog, logFiles, openLog } from './rotated-log';

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
/** Shorter strings are names and ids, the essence of a line, and are kept. */
const MIN_DROPPED = 64;
const DROPPED = '…';
const CUT = { cut: true };
const BYTES_FOR_CUT = 16;

/** One line of a log, with its newline. If it is too long, the largest values are dropped and it is marked `cut`. */
export function lineOf(line: JsonObject): string {
  const whole = `${JSON.stringify(line)}\n`;
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  const bytes = whole.length <= MAX_LINE_BYTES / 3 ? whole.length : Buffer.byteLength(whole);
  if (bytes <= MAX_LINE_BYTES) return whole;
  const shorter = { ...dropStrings(line, bytes - MAX_LINE_BYTES + BYTES_FOR_CUT), ...CUT };
  const fits = Buffer.byteLength(JSON.stringify(shorter)) < MAX_LINE_BYTES;
  return `${JSON.stringify(fits ? shorter : { ...keepSmallest(line), ...CUT })}\n`;
}

function dropStrings(line: JsonObject, excess: number): JsonObject {
  const sizes: number[] = [];
  JSON.stringify(line, (_key, value) => {
    if (sizeOf(value) > MIN_DROPPED) sizes.push(sizeOf(value));
    return value;
  });
  let smallest = Number.POSITIVE_INFINITY;
  let saved = 0;
  for (const size of sizes.sort((a, b) => b - a)) {
    if (saved >= excess) break;
    saved += size - sizeOf(DROPPED);
    smallest = size;
  }
  return JSON.parse(JSON.stringify(line, (_key, value) => (sizeOf(value) >= smallest ? DROPPED : value)));
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}

/** The last resort, for a line that is long without long strings. Keeps the order of its members. */
function keepSmallest(line: JsonObject): JsonObject {
  const bytesOf = (member: unknown): number => Buffer.byteLength(JSON.stringify(member));
  let room = MAX_LINE_BYTES - BYTES_FOR_CUT;
  const kept = new Set<string>();
  for (const member of Object.entries(line).sort((a, b) => bytesOf(a) - bytesOf(b))) {
    room -= bytesOf(member);
    if (room < 0) break;
    kept.add(member[0]);
  }
  return Object.fromEntries(Object.entries(line).filter(([name]) => kept.has(name)));
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

function* newestFirst(layout: Layout): Iterable<JsonObject> {
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
