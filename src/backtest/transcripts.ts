import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HostName } from '../core/host-name';
import { type JsonObject, jsonObjectIn, objectsIn } from '../core/json';
import { sessionLogs as claudeCode } from '../hosts/claude-code/session-log';
import { sessionLogs as codex } from '../hosts/codex/session-log';
import { sessionLogs as gemini } from '../hosts/gemini/session-log';
import type { LogHead, PastEvent, SessionLogs } from '../hosts/session-log';
import { linesIn } from '../state/files';

const HOSTS: readonly SessionLogs[] = [claudeCode, codex, gemini];

/** Where the hosts keep their transcripts in the home directory. */
export function transcriptDirectories(home: string): readonly string[] {
  return ['.claude/projects', '.codex/sessions', '.gemini/tmp'].map((place) => join(home, place));
}

export interface Transcript extends LogHead {
  readonly path: string;
  /** When the file was last changed, in milliseconds since the epoch. */
  readonly changedAt: number;
  readonly logs: SessionLogs;
}

/** A session with the transcripts of its subagents. */
export interface PastSession {
  readonly host: HostName;
  readonly id: string;
  readonly startedAt: number;
  readonly logs: readonly Transcript[];
}

export interface FoundSessions {
  /** In the order in which they started. */
  readonly sessions: readonly PastSession[];
  /** Lines of files that no known host wrote. */
  readonly skipped: number;
  /** Number of sessions that `isWanted` rejected. */
  readonly others: number;
  readonly files: number;
}

/** Names of files that may be transcripts. */
const LOG = /\.jsonl$|\/chats\/[^/]*\.json$|(?:^|\/)session-[^/]*\.json$/;

/** The transcripts in these directories and files. Of files by other programs, the lines are counted. */
export function findSessions(places: readonly string[], isWanted: (log: LogHead) => boolean): FoundSessions {
  const below = (place: string): string[] =>
    statSync(place).isFile() ? [place] : filesBelow(place).filter((path) => LOG.test(path));
  const paths = [...new Set(places.flatMap(below))];
  const sessions = new Map<string, Transcript[]>();
  const others = new Set<string>();
  let skipped = 0;
  for (const path of paths) {
    const log = logAt(path);
    if (typeof log === 'number') {
      skipped += log;
      continue;
    }
    const key = `${log.logs.host} ${log.sessionId}`;
    if (isWanted(log)) sessions.set(key, [...(sessions.get(key) ?? []), log]);
    else others.add(key);
  }
  const found = [...sessions.values()].map((logs): PastSession => {
    const inOrder = logs.sort((a, b) => a.startedAt - b.startedAt || (a.path < b.path ? -1 : 1));
    const first = inOrder.find(({ agent }) => agent === undefined) ?? (inOrder[0] as Transcript);
    const startedAt = Math.min(...logs.map((log) => log.startedAt));
    return { host: first.logs.host, id: first.sessionId, startedAt, logs: inOrder };
  });
  found.sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
  return { sessions: found, skipped, others: others.size, files: paths.length };
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

const FIRST_LINES = 40;

/** A transcript, or the number of its lines if no known host wrote it. */
function logAt(path: string): Transcript | number {
  const first = firstEntries(path);
  for (const logs of HOSTS) {
    const head = logs.head(first, path);
    if (head === undefined) continue;
    return { ...head, path, logs, changedAt: statSync(path).mtimeMs };
  }
  let lines = 0;
  for (const line of linesOf(path)) if (line.length > 0) lines++;
  return lines;
}

function firstEntries(path: string): readonly JsonObject[] {
  if (path.endsWith('.json')) return entriesInDocument(path);
  const entries: JsonObject[] = [];
  let lines = 0;
  for (const line of linesOf(path)) {
    const entry = isWhole(line) ? entryIn(line) : undefined;
    if (entry !== undefined) entries.push(entry);
    lines++;
    // Claude Code only gives the directory with the first message.
    if (lines >= FIRST_LINES || (lines >= 3 && HOSTS.some((logs) => logs.head(entries, path)?.cwd))) break;
  }
  return entries;
}

/** Counts lines that are torn or not in the host's format. */
interface Reading {
  skipped: number;
}

/** All events of a session and its subagents, ordered by time. */
export function* eventsOf({ logs }: PastSession, reading: Reading): Generator<PastEvent> {
  const waiting = [...logs];
  const open: { next: PastEvent; readonly rest: Generator<PastEvent> }[] = [];
  for (;;) {
    // Of equally early events take the first: a subagent begins after the event that started it.
    const [first] = open;
    const earliest = first && open.reduce((one, other) => (other.next.at < one.next.at ? other : one), first);
    const [log] = waiting;
    if (log !== undefined && (earliest === undefined || log.startedAt < earliest.next.at)) {
      waiting.shift();
      const rest = eventsIn(log, reading);
      const { value, done } = rest.next();
      if (done !== true) open.push({ next: value, rest });
      continue;
    }
    if (earliest === undefined) return;
    yield earliest.next;
    const { value, done } = earliest.rest.next();
    if (done === true) open.splice(open.indexOf(earliest), 1);
    else earliest.next = value;
  }
}

function* eventsIn(log: Transcript, reading: Reading): Generator<PastEvent> {
  const reader = log.logs.open(log);
  for (const entry of entriesOf(log, reading)) {
    const events = reader.read(entry);
    if (events === undefined) reading.skipped++;
    else yield* events;
  }
  yield* reader.end();
}

function* entriesOf({ path, logs }: Transcript, reading: Reading): Generator<JsonObject> {
  if (path.endsWith('.json')) return yield* entriesInDocument(path);
  try {
    for (const line of linesOf(path)) {
      if (line.length === 0) continue;
      const matters = isWhole(line) && logs.matters(line);
      const entry = matters ? entryIn(line) : undefined;
      if (entry !== undefined) yield entry;
      else if (matters || !isWhole(line)) reading.skipped++;
    }
  } catch {
    // The file was removed meanwhile.
    reading.skipped++;
  }
}

function* linesOf(path: string): Generator<Buffer> {
  const fd = openSync(path, 'r');
  try {
    yield* linesIn(fd);
  } finally {
    closeSync(fd);
  }
}

const BLANKS: readonly number[] = [0x20, 0x09, 0x0d];

/** Whether a line looks complete. One that a client was writing when it was killed does not. */
function isWhole(line: Buffer): boolean {
  let first = 0;
  let last = line.length - 1;
  while (BLANKS.includes(line[first] ?? 0)) first++;
  while (last > first && BLANKS.includes(line[last] ?? 0)) last--;
  return line[first] === 0x7b && line[last] === 0x7d;
}

function entryIn(line: Buffer): JsonObject | undefined {
  return jsonObjectIn(line.toString('utf8'));
}

/** The entries of a session stored as one JSON document: its metadata, then its messages. */
function entriesInDocument(path: string): readonly JsonObject[] {
  const value = jsonObjectIn(readFileSync(path, 'utf8'));
  const { messages: _, ...rest } = value ?? {};
  return value === undefined ? [] : [rest, ...objectsIn(value, 'messages')];
}
