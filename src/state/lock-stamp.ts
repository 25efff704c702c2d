import { readFileSync, readlinkSync } from 'node:fs';
import { type JsonObject, jsonObjectIn } from '../core/json';
import { processStart, processState } from '../exec/processes';

/** The owner of a lock, as written into it. */
export interface Stamp {
  readonly pid: number;
  /** The kernel's start time of that process: tells a reused pid from the same process. */
  readonly start?: string;
  readonly host: string;
  /** The pid namespace: a container on the same host has pids of its own. */
  readonly space?: string;
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Stands for a missing word. */
const NONE = '-';
const WORDS = 6;

/** How long an owner keeps its lock if its process cannot be seen from here. */
export const LEASE_MS = 10_000;

type Self = Omit<Stamp, 'nonce' | 'at'>;
let self: Self | undefined;

/** A stamp of this process, fresh for each lock. */
export function newStamp(): Stamp {
  self ??= describeSelf();
  return { ...self, nonce: Math.random().toString(36).slice(2), at: Date.now() };
}

/** A stamp in few characters: file systems store a short symlink target in the inode itself. */
export function shortText(stamp: Stamp): string {
  const { pid, start, host, space, nonce, at } = stamp;
  // Words are separated by spaces.
  if (host.includes(' ')) return JSON.stringify(stamp);
  const process = `${shortNumber(pid)} ${shortNumber(start)} ${shortNumber(space?.slice(5, -1))}`;
  return `${process} ${host || NONE} ${nonce} ${shortNumber(at)}`;
}

function shortNumber(value: number | string | undefined): string {
  return value === undefined ? NONE : Number(value).toString(36);
}

/** The stamp in a lock's text, short or as JSON; `undefined` if it is not one of ours. */
export function parseStamp(text: string): Stamp | undefined {
  const { pid, start, host, space, nonce, at } = jsonObjectIn(text) ?? wordsIn(text);
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined;
  if (typeof host !== 'string' || typeof nonce !== 'string' || typeof at !== 'number') return undefined;
  return {
    pid,
    host,
    nonce,
    at,
    ...(typeof start === 'string' && { start }),
    ...(typeof space === 'string' && { space }),
  };
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

/** True if the owner is known to be dead, or cannot be seen from here and its lease is over. */
export function isForsaken(stamp: Stamp, now: number): boolean {
  self ??= describeSelf();
  const here = stamp.host === self.host && (stamp.space ?? self.space) === self.space;
  if (here) return processState(stamp.pid, stamp.start) === 'dead';
  // A time in the future comes from a wrong clock, and such a lease would never end.
  return Math.abs(now - stamp.at) > LEASE_MS;
}

function describeSelf(): Self {
  const start = processStart(process.pid);
  const space = tryReading(() => readlinkSync('/proc/self/ns/pid'));
  const host = tryReading(() => readFileSync('/proc/sys/kernel/hostname', 'utf8').trim());
  return {
    pid: process.pid,
    ...(start !== undefined && { start }),
    host: host ?? process.env['HOSTNAME'] ?? '',
    ...(space !== undefined && { space }),
  };
}

function tryReading(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
