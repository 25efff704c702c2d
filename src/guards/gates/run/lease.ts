import { existsSync, mkdirSync, readFileSync, rmdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { processState } from '../../../exec/processes';
import { blockFor } from '../../../exec/standard-io';
import { type Holder, holderOf, placeFile, removeAbandoned, removeOwn } from '../../../state/lock';
import { isForsaken, newStamp, type Stamp } from '../../../state/lock-stamp';
import { LOCK_NAME } from './logs';

/** The right to run gates in one log directory, of which there is one at a time. */
export interface Lease {
  readonly file: string;
  release(): void;
}

export type Taken =
  | {
      readonly kind: 'taken';
      readonly lease: Lease;
      /** Who had it before and died without giving it back. */
      readonly dead?: LeaseHolder;
    }
  | { readonly kind: 'held'; readonly file: string; readonly holder: LeaseHolder };

/** Enough for others who clear away the same dead owner at the same moment. */
const MOST_ROUNDS = 50;

/**
 * Takes the lease at once or says who has it. A dead owner's is taken over. It is given back when we exit,
 * however that comes about, unless we are killed. Throws where the directory does not allow it.
 */
export function takeLease(logDir: string): Taken {
  const made = existsSync(`${logDir}/.`) ? undefined : mkdirSync(logDir, { recursive: true });
  const file = join(logDir, LOCK_NAME);
  let dead: LeaseHolder | undefined;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const text = JSON.stringify(newStamp());
    if (placeFile(file, text)) {
      const lease = holding(file, text, made === undefined ? undefined : logDir);
      return { kind: 'taken', lease, ...(dead && { dead }) };
    }
    const found = holderOf(file);
    if (!found) continue;
    const holder = ownerOf(found, file, Date.now());
    if (holder) return { kind: 'held', file, holder };
    dead = namedIn(found, file);
    removeAbandoned(file, found);
    if (round > 0) blockFor(Math.random() * 2);
  }
  return { kind: 'held', file, holder: { since: Date.now() } };
}

function holding(file: string, text: string, madeDir: string | undefined): Lease {
  let beat: NodeJS.Timeout;
  // Deadlines need this kind of timer anyway; another kind would have to be made ready too.
  const goOn = (): void => {
    beat = setTimeout(() => {
      touch(file);
      goOn();
    }, HEARTBEAT_MS).unref();
  };
  goOn();
  const release = (): void => {
    clearTimeout(beat);
    process.off('exit', release);
    quietly(() => removeOwn(file, text));
    // A run that had nothing to do leaves no directory that was not there before.
    if (madeDir !== undefined) quietly(() => rmdirSync(madeDir));
  };
  process.on('exit', release);
  return { file, release };
}

function touch(file: string): void {
  const now = new Date();
  quietly(() => utimesSync(file, now, now));
}

/** What cannot be done here, the next run does: it finds our process gone, or a directory that is in use. */
function quietly(step: () => void): void {
  try {
    step();
  } catch {
    // See above.
  }
}

/** Who runs the gates now. */
export interface LeaseHolder {
  /** Absent where the lock does not say. */
  readonly pid?: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** How often a run shows that it goes on, for those who cannot see its process. */
export const HEARTBEAT_MS = 20_000;
const SILENT_MS = 15 * HEARTBEAT_MS;
/** A lock that names nobody is being written, or was made by hand. */
const NAMELESS_MS = 10 * 60_000;
/** A bare process number may have been given to another process since; no run takes that long. */
const BARE_PID_MS = 24 * 60 * 60_000;

/** The living owner of a run lock; `undefined` when there is no lock, or its owner is gone. */
export function livingLease(file: string, now: number): LeaseHolder | undefined {
  const found = holderOf(file);
  return found && ownerOf(found, file, now);
}

/** The owner of a lock that was found, if it lives. */
export function ownerOf(found: Holder, file: string, now: number): LeaseHolder | undefined {
  if (found.isLink) return undefined;
  const { stamp, mtimeMs } = found;
  if (stamp) {
    return isGone(stamp, now - mtimeMs) ? undefined : { pid: stamp.pid, since: stamp.at };
  }
  const pid = barePid(file);
  const age = now - mtimeMs;
  if (pid === undefined) return age > NAMELESS_MS ? undefined : { since: mtimeMs };
  const lives = processState(pid) === 'alive' && age < BARE_PID_MS;
  return lives ? { pid, since: mtimeMs } : undefined;
}

/** Whom a lock names, dead or alive. */
export function namedIn({ stamp, mtimeMs }: Holder, file: string): LeaseHolder {
  const pid = stamp?.pid ?? barePid(file);
  return { ...(pid !== undefined && { pid }), since: stamp?.at ?? mtimeMs };
}

/** A process of this machine is looked at; one of another has to have been heard of lately. */
function isGone(stamp: Stamp, silentMs: number): boolean {
  const self = newStamp();
  const here = stamp.host === self.host && (stamp.space ?? self.space) === self.space;
  return here ? isForsaken(stamp, stamp.at) : silentMs > SILENT_MS;
}

/** The older program writes nothing but its number. */
function barePid(file: string): number | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}
