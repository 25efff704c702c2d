import { readFileSync, readlinkSync } from 'node:fs';
import { isJsonObject } from '../domain/json';
import { processStart, processState } from '../process/alive';
import { newNonce } from './nonce';

/** Who holds a lock, as written into it. */
export interface Stamp {
  readonly pid: number;
  /** The kernel's start time of that process: tells a reused pid from the same process. */
  readonly start?: string;
  readonly host: string;
  /** The pid namespace: a sandbox on the same host counts its processes anew. */
  readonly space?: string;
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** How long an owner that cannot be looked at keeps its lock. */
export const LEASE_MS = 10_000;

type Self = Omit<Stamp, 'nonce' | 'at'>;
let self: Self | undefined;

/** A stamp of this process, fresh for each lock. */
export function newStamp(): Stamp {
  self ??= describeSelf();
  return { ...self, nonce: newNonce(), at: Date.now() };
}

/** The stamp in a lock's text, or `undefined` when it is not one of ours. */
export function parseStamp(text: string): Stamp | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { pid, start, host, space, nonce, at } = value;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined;
  if (typeof host !== 'string' || typeof nonce !== 'string' || typeof at !== 'number') return undefined;
  return {
    pid,
    host,
    nonce,
    at,
    ...(typeof start === 'string' ? { start } : {}),
    ...(typeof space === 'string' ? { space } : {}),
  };
}

/** True when the owner is known to be dead, or cannot be looked at from here and its lease is over. */
export function isForsaken(stamp: Stamp, now: number): boolean {
  self ??= describeSelf();
  const here = stamp.host === self.host && (stamp.space ?? self.space) === self.space;
  if (here) return processState(stamp.pid, stamp.start) === 'dead';
  // A time that is yet to come was not written by an honest clock: such a lease would never end.
  return Math.abs(now - stamp.at) > LEASE_MS;
}

function describeSelf(): Self {
  const start = processStart(process.pid);
  const space = tryReading(() => readlinkSync('/proc/self/ns/pid'));
  return {
    pid: process.pid,
    ...(start === undefined ? {} : { start }),
    host:
      tryReading(() => readFileSync('/proc/sys/kernel/hostname', 'utf8').trim()) ??
      process.env['HOSTNAME'] ??
      '',
    ...(space === undefined ? {} : { space }),
  };
}

function tryReading(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
