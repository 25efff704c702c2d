import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  writeSync,
} from 'node:fs';
import { attempt, detailOf, errorCode, fail, type Result, readText, succeed } from '../core/failure';
import type { HostProcess } from '../core/guard';
import { type JsonObject, jsonIn, jsonObjectIn, textIn, withoutUndefined } from '../core/json';

/** The parsed fields of Linux's `/proc/PID/stat`. */
export type ProcStat = NonNullable<ReturnType<typeof parseProcStat>>;

/** `undefined` for a process that does not exist, and on systems without `/proc`. */
export function readProcStat(pid: number | string): ProcStat | undefined {
  return attempt(() => parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8')));
}

/** The process name may contain anything, even ")", so fields are counted from the last parenthesis. */
export function parseProcStat(line: string) {
  const end = line.lastIndexOf(')');
  const fields = line.slice(end + 2).split(' ');
  const [state, parent, group, session, terminal] = fields;
  const start = fields[19];
  if (end < 0 || state === undefined || start === undefined) return undefined;
  // The kernel truncates the name to 15 bytes.
  const name = line.slice(line.indexOf('(') + 1, end);
  return {
    name,
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    terminal: Number(terminal),
    start,
  };
}

/** A zombie has ended, though its parent has not reaped it yet. */
function hasEnded({ state }: ProcStat): boolean {
  return state === 'Z' || state === 'X';
}

/** Whether a process is running. With `start`, only a process with that start time counts, since pids are reused. */
export function processState(pid: number, start?: string): 'alive' | 'dead' {
  if (!canSignal(pid)) return 'dead';
  const stat = readProcStat(pid);
  if (stat === undefined) return 'alive';
  return hasEnded(stat) || (start !== undefined && start !== stat.start) ? 'dead' : 'alive';
}

/** Rejects pids of zero or below, which `kill` would take for a process group. */
function canSignal(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** The kernel's start time of a process; only good for comparing. */
export function processStart(pid: number): string | undefined {
  return readProcStat(pid)?.start;
}

/** Length of a clock tick: 1/100 s on every Linux that Node runs on. */
const TICK_MS = 10;

/** Start time of a process in milliseconds since the epoch, rounded up, never too early. `exec` does not change it. */
export function processStartTime(pid: number): number | undefined {
  const ticks = Number(readProcStat(pid)?.start);
  const up = attempt(() => readFileSync('/proc/uptime', 'utf8').split(' ', 1)[0]);
  // `Date.now()` is read last: a delay after reading the uptime may only make the result later.
  const began = Date.now() - Number(up) * 1000 + (ticks + 1) * TICK_MS;
  return Number.isFinite(began) ? began : undefined;
}

/**
 * Whether any process of the group is alive; `undefined` without `/proc`. Zombies count as dead, unlike with signals.
 */
export function hasLivingMember(group: number): boolean | undefined {
  const pids = attempt(() => readdirSync('/proc'))?.filter((name) => /^\d+$/.test(name)) ?? [];
  if (pids.length === 0) return undefined;
  return pids.some((pid) => {
    const stat = readProcStat(pid);
    return stat?.group === group && !hasEnded(stat);
  });
}

/** Shells and wrappers that may run between a host and its hook. */
const WRAPPERS = ['sh', 'dash', 'bash', 'zsh', 'fish', 'ksh', 'busybox', 'env', 'timeout'];
const MAX_WRAPPERS = 8;

/** The process of the calling session: `CLAUDE_PID`, else the first ancestor that is not a wrapper, else our parent. */
export function findHostProcess(env: NodeJS.Dict<string>, ppid: number): HostProcess {
  const pid = namedPid(env['CLAUDE_PID']) ?? firstHost(ppid) ?? ppid;
  const start = processStart(pid);
  return start === undefined ? { pid } : { pid, start };
}

function namedPid(text: string | undefined): number | undefined {
  const pid = /^[1-9]\d*$/.test(text ?? '') ? Number(text) : 0;
  return processState(pid) === 'alive' ? pid : undefined;
}

function firstHost(ppid: number): number | undefined {
  let pid = ppid;
  for (let step = 0; step < MAX_WRAPPERS; step++) {
    const stat = readProcStat(pid);
    if (stat === undefined) return undefined;
    if (!WRAPPERS.includes(stat.name)) return pid;
    pid = stat.parent;
  }
  return undefined;
}

/* Whom a lock belongs to. */

/** The owner of a lock, as written into the lock. */
export interface Stamp {
  readonly pid: number;
  /** The kernel's start time of the process, to recognise a reused pid. */
  readonly start?: string;
  readonly host: string;
  /** The pid namespace: a container on the same host has its own pids. */
  readonly space?: string;
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Placeholder for a missing field. */
const NONE = '-';
const WORDS = 6;

/** How long an owner keeps its lock if its process is on another host or in another container. */
export const LEASE_MS = 10_000;

type Self = Omit<Stamp, 'nonce' | 'at'>;
let self: Self | undefined;

/** A new stamp of this process for one lock. */
export function newStamp(): Stamp {
  self ??= describeSelf();
  return { ...self, nonce: Math.random().toString(36).slice(2), at: Date.now() };
}

/** A stamp as a short text: file systems store a short symlink target in the inode itself. */
export function shortText(stamp: Stamp): string {
  const { pid, start, host, space, nonce, at } = stamp;
  // Fields are separated by spaces.
  if (host.includes(' ')) return JSON.stringify(stamp);
  const owner = `${shortNumber(pid)} ${shortNumber(start)} ${shortNumber(space?.slice(5, -1))}`;
  return `${owner} ${host || NONE} ${nonce} ${shortNumber(at)}`;
}

function shortNumber(value: number | string | undefined): string {
  return value === undefined ? NONE : Number(value).toString(36);
}

/** The stamp in a lock's text, in short form or JSON; `undefined` if the lock is not ours. */
export function parseStamp(text: string): Stamp | undefined {
  const found = jsonObjectIn(text) ?? wordsIn(text);
  const { pid, host, nonce, at } = found;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined;
  if (typeof host !== 'string' || typeof nonce !== 'string' || typeof at !== 'number') return undefined;
  return withoutUndefined({
    pid,
    host,
    nonce,
    at,
    start: textIn(found, 'start'),
    space: textIn(found, 'space'),
  });
}

function wordsIn(text: string): JsonObject {
  const words = text.split(' ');
  if (words.length !== WORDS) return {};
  const [pid, start, space, host, nonce, at] = words;
  const [startTime, namespace] = [longNumber(start), longNumber(space)];
  return {
    pid: longNumber(pid),
    start: startTime?.toString(),
    space: namespace === undefined ? undefined : `pid:[${namespace}]`,
    host: host === NONE ? '' : host,
    nonce,
    at: longNumber(at),
  };
}

function longNumber(word: string | undefined): number | undefined {
  const value = Number.parseInt(word ?? '', 36);
  return word === NONE || !Number.isSafeInteger(value) || value < 0 ? undefined : value;
}

/** True if the owner is dead, or cannot be checked from here and its lease has expired. */
export function isOwnerGone(stamp: Stamp, now: number, leaseMs = LEASE_MS): boolean {
  self ??= describeSelf();
  const here = stamp.host === self.host && (stamp.space ?? self.space) === self.space;
  if (here) return processState(stamp.pid, stamp.start) === 'dead';
  // A time in the future comes from a wrong clock; such a lease would never expire.
  return Math.abs(now - stamp.at) > leaseMs;
}

function describeSelf(): Self {
  const start = processStart(process.pid);
  const space = attempt(() => readlinkSync('/proc/self/ns/pid'));
  const host = readText('/proc/sys/kernel/hostname')?.trim();
  return withoutUndefined({ pid: process.pid, start, host: host ?? process.env['HOSTNAME'] ?? '', space });
}

/* Reading, writing and waiting without Node's streams and timers. */

const CHUNK_BYTES = 65_536;
/** Larger than any real event. */
const MAX_BYTES = 64 * 1024 * 1024;
const PAUSE_MS = 2;

/** Blocks the thread: in the hook there is nothing else to do meanwhile. */
export function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Reads everything from a file descriptor, without loading Node's streams. */
export function readAll(fd: number): Result<string> {
  return readPolling(fd, collectInput(false), Number.POSITIVE_INFINITY);
}

/**
 * Reads standard input until it is a complete JSON object, it ends, or the time is up: a host may keep the stream open
 * after sending the object. After a timeout the result is whatever has arrived.
 */
export function readJsonText(withinMs: number): Result<string> | Promise<Result<string>> {
  if (fstatSync(0).isFile()) return readAll(0);
  // Reopens standard input as a non-blocking pipe. That fails for sockets, and without `/proc`.
  const fd = attempt(() => openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK));
  if (fd === undefined) return readStream(withinMs);
  try {
    return readPolling(fd, collectInput(true), Date.now() + withinMs);
  } finally {
    closeSync(fd);
  }
}

/** A non-blocking pipe returns EAGAIN while it is empty, so we sleep a little and retry. */
function readPolling(fd: number, input: ReturnType<typeof collectInput>, deadline: number): Result<string> {
  try {
    while (Date.now() < deadline) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const length = tryRead(fd, buffer);
      if (length === undefined) blockFor(PAUSE_MS);
      else if (length === 0 || input.isEnoughWith(buffer.subarray(0, length))) break;
    }
    return input.result();
  } catch (error) {
    return unreadable(error);
  }
}

function tryRead(fd: number, buffer: Buffer): number | undefined {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EOF') return 0;
    if (code === 'EAGAIN') return undefined;
    throw error;
  }
}

function readStream(withinMs: number): Promise<Result<string>> {
  const input = collectInput(true);
  const { stdin } = process;
  return new Promise((resolve) => {
    const finish = (result: Result<string>): void => {
      clearTimeout(timer);
      stdin.pause();
      resolve(result);
    };
    const timer = setTimeout(() => finish(input.result()), withinMs);
    stdin.on('data', (chunk: Buffer) => {
      if (input.isEnoughWith(chunk)) finish(input.result());
    });
    stdin.on('end', () => finish(input.result()));
    stdin.on('error', (error) => finish(unreadable(error)));
  });
}

function unreadable(error: unknown): Result<string> {
  return fail({ code: 'input.unreadable', detail: detailOf(error) });
}

/** With `endsWithObject`, a complete JSON object is enough. */
function collectInput(endsWithObject: boolean) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const text = (): string => (chunks.length === 1 ? String(chunks[0]) : String(Buffer.concat(chunks)));
  return {
    /** Adds a chunk; true if no more input is needed. */
    isEnoughWith(chunk: Buffer): boolean {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BYTES) return true;
      // Parsing is tried only when the object may be complete, so the number of chunks does not matter.
      const mayBeWhole = endsWithObject && chunk.toString('latin1').trimEnd().endsWith('}');
      return mayBeWhole && jsonIn(text()) !== undefined;
    },
    result(): Result<string> {
      if (bytes <= MAX_BYTES) return succeed(text());
      return fail({ code: 'input.too-large', bytes, limit: MAX_BYTES });
    },
  };
}

/** Writes all of a text. False if that fails: the reader may be gone. */
export function writeAll(fd: number, text: string, failed?: (error: unknown) => void): boolean {
  const bytes = Buffer.from(text, 'utf8');
  let from = 0;
  while (from < bytes.length) {
    try {
      from += writeSync(fd, bytes, from);
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') {
        failed?.(error);
        return false;
      }
      blockFor(PAUSE_MS);
    }
  }
  return true;
}

/** Milliseconds of a monotonic clock. Loading `performance` would take longer than most checks. */
export function monotonicMs(): number {
  return process.uptime() * 1000;
}
