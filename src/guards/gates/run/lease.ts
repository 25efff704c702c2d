import { mkdirSync, rmdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../../exec/attempt';
import { processState } from '../../../exec/processes';
import { blockFor } from '../../../exec/standard-io';
import {
  type Holder,
  holderOf,
  isForsaken,
  newStamp,
  placeFile,
  removeAbandoned,
  removeOwn,
  type Stamp,
} from '../../../state/lock';
import { LOCK_NAME } from './logs';
import type { LeaseNote } from './run-record';

export interface LeaseHolder {
  /** Absent where the lock does not say. */
  readonly pid?: number;
  readonly since: number;
}

/** The right to run gates in one log directory, which one process has at a time. */
export type Lease =
  /** `dead`: who had it before and died without giving it back. */
  | { readonly kind: 'taken'; release(): void; readonly dead?: LeaseHolder }
  | { readonly kind: 'held'; readonly file: string; readonly holder: LeaseHolder };

/** Enough for others who clear away the same dead owner at the same moment. */
const MOST_ROUNDS = 50;
/** How often a run shows that it goes on, for those who cannot see its process. */
const HEARTBEAT_MS = 20_000;
const SILENT_MS = 15 * HEARTBEAT_MS;
/** A lock that names nobody is being written, or was made by hand. */
const NAMELESS_MS = 10 * 60_000;
/** A bare process number may have been given to another process since; no run takes that long. */
const BARE_PID_MS = 24 * 60 * 60_000;

/** Whether a lock counts. A lock that only looks like one of a run must not keep the gates from running. */
export type Believes = (text: string) => boolean;

/**
 * A dead owner's is taken over, and so is one that is not believed. It is given back when we exit, unless we are killed.
 * May throw.
 */
export function takeLease(logDir: string, note?: LeaseNote, believes: Believes = () => true): Lease {
  const made = mkdirSync(logDir, { recursive: true });
  const file = join(logDir, LOCK_NAME);
  let dead: LeaseHolder | undefined;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const text = JSON.stringify(newStamp());
    note?.keep(text);
    if (placeFile(file, text)) {
      const release = hold(file, text, made && logDir, note);
      return { kind: 'taken', release, ...(dead && { dead }) };
    }
    note?.drop(text);
    const found = holderOf(file);
    if (!found) continue;
    const { holder, lives } = ownerOf(found, Date.now());
    if (lives && believes(found.text)) return { kind: 'held', file, holder };
    if (!lives) dead = holder;
    removeAbandoned(file, found);
    if (round > 0) blockFor(Math.random() * 2);
  }
  return { kind: 'held', file, holder: { since: Date.now() } };
}

/** What fails here the next run does: it finds our process gone, or a directory that is in use. */
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
    // A run that had nothing to do leaves no directory that was not there before.
    if (madeDir !== undefined) attempt(() => rmdirSync(madeDir));
  };
  process.on('exit', release);
  return release;
}

/** The living owner of a run lock; `undefined` when there is no lock, or its owner is gone. */
export function livingLease(
  file: string,
  now: number,
  believes: Believes = () => true,
): LeaseHolder | undefined {
  const found = holderOf(file);
  const owner = found && ownerOf(found, now);
  return owner?.lives && believes(found?.text ?? '') ? owner.holder : undefined;
}

/** Whom a lock names, and whether that process lives. */
function ownerOf({ isLink, stamp, mtimeMs, text }: Holder, now: number) {
  const age = now - mtimeMs;
  if (stamp) {
    return { holder: { pid: stamp.pid, since: stamp.at }, lives: !isLink && !isGone(stamp, age) };
  }
  // The older program writes nothing but its process number.
  const pid = /^[1-9]\d{0,9}$/.test(text.trim()) ? Number(text) : undefined;
  if (pid === undefined) return { holder: { since: mtimeMs }, lives: !isLink && age <= NAMELESS_MS };
  const lives = !isLink && processState(pid) === 'alive' && age < BARE_PID_MS;
  return { holder: { pid, since: mtimeMs }, lives };
}

/** A process of this machine is looked at; one of another has to have been heard of lately. */
function isGone(stamp: Stamp, silentMs: number): boolean {
  const self = newStamp();
  const here = stamp.host === self.host && (stamp.space ?? self.space) === self.space;
  return here ? isForsaken(stamp, stamp.at) : silentMs > SILENT_MS;
}
