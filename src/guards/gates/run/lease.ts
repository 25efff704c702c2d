import { mkdirSync, rmdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../../core/failure';
import { jsonIn, nameIn } from '../../../core/json';
import { blockFor, isOwnerGone, newStamp, processState, type Stamp } from '../../../exec/processes';
import { type Holder, holderOf, placeFile, removeAbandoned, removeOwn } from '../../../state/files';
import { LOCK_NAME } from './logs';
import type { LeaseNote } from './run-record';

export interface LeaseHolder {
  /** Absent if the lock does not name one. */
  readonly pid?: number;
  readonly since: number;
  /** A process of Holdpoint, not of agent-gauntlet. */
  readonly isOurs?: true;
  /** The stop that the run is for, if it is for one. */
  readonly stop?: string;
}

/** The right to run gates in one log directory, for one process at a time. */
export type Lease =
  | { readonly kind: 'taken'; release(): void }
  | { readonly kind: 'held'; readonly file: string; readonly holder: LeaseHolder };

/** Enough retries for when others remove the same dead lock at the same time. */
const MOST_ROUNDS = 50;
/** How often a run touches its lock, for those who cannot see its process. */
const HEARTBEAT_MS = 20_000;
const SILENT_MS = 15 * HEARTBEAT_MS;
/** Timeout of a lock that names no process: it is being written, or was made by hand. */
const NAMELESS_MS = 10 * 60_000;
/** Timeout of a lock with only a pid, which may have been reused since; no run takes that long. */
const BARE_PID_MS = 24 * 60 * 60_000;

/** Whether a lock is genuine, by its text. A faked lock must not keep the gates from running. */
export type IsGenuine = (text: string) => boolean;

/** Takes over a dead owner's lock, or a faked one. Released when we exit, unless we are killed. May throw. */
export function takeLease(
  logDir: string,
  note?: LeaseNote,
  isGenuine: IsGenuine = () => true,
  stop?: string,
): Lease {
  const made = mkdirSync(logDir, { recursive: true });
  const file = join(logDir, LOCK_NAME);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const text = JSON.stringify({ ...newStamp(), stop });
    note?.keep(text);
    if (placeFile(file, text)) {
      return { kind: 'taken', release: hold(file, text, made && logDir, note) };
    }
    note?.drop(text);
    const found = holderOf(file);
    if (!found) continue;
    const { holder, lives } = ownerOf(found, Date.now());
    if (lives && isGenuine(found.text)) return { kind: 'held', file, holder };
    removeAbandoned(file, found);
    if (round > 0) blockFor(Math.random() * 2);
  }
  return { kind: 'held', file, holder: { since: Date.now() } };
}

/** Errors are ignored: the next run cleans up, as it finds our process gone or the directory in use. */
function hold(file: string, text: string, madeDir: string | undefined, note?: LeaseNote): () => void {
  const beat = setInterval(() => {
    const now = new Date();
    attempt(() => utimesSync(file, now, now));
  }, HEARTBEAT_MS).unref();
  const release = (): void => {
    clearInterval(beat);
    process.off('exit', release);
    attempt(() => removeOwn(file, text));
    note?.drop(text);
    // A run that had nothing to do leaves no new directory behind.
    if (madeDir !== undefined) attempt(() => rmdirSync(madeDir));
  };
  process.on('exit', release);
  return release;
}

/** The live owner of a run lock; `undefined` if there is no lock, or its owner is gone. */
export function leaseHolder(
  file: string,
  now: number,
  isGenuine: IsGenuine = () => true,
): LeaseHolder | undefined {
  const found = holderOf(file);
  const owner = found && ownerOf(found, now);
  return owner?.lives && isGenuine(found?.text ?? '') ? owner.holder : undefined;
}

/** The process that a lock names, and whether it is alive. */
function ownerOf({ isLink, stamp, mtimeMs, text }: Holder, now: number) {
  const age = now - mtimeMs;
  if (stamp) {
    const stop = nameIn(jsonIn(text), 'stop');
    const holder = { pid: stamp.pid, since: stamp.at, isOurs: true, ...(stop && { stop }) } as const;
    return { holder, lives: !isLink && !isGone(stamp, age) };
  }
  // agent-gauntlet writes only its pid.
  const pid = /^[1-9]\d{0,9}$/.test(text.trim()) ? Number(text) : undefined;
  if (pid === undefined) return { holder: { since: mtimeMs }, lives: !isLink && age <= NAMELESS_MS };
  const lives = !isLink && processState(pid) === 'alive' && age < BARE_PID_MS;
  return { holder: { pid, since: mtimeMs }, lives };
}

/** Looks for a process of this machine; one of another machine must have sent a heartbeat lately. */
function isGone(stamp: Stamp, silentMs: number): boolean {
  const self = newStamp();
  const here = stamp.host === self.host && (stamp.space ?? self.space) === self.space;
  return here ? isOwnerGone(stamp, stamp.at) : silentMs > SILENT_MS;
}
