import { existsSync, mkdirSync, rmdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { blockFor } from '../../../exec/standard-io';
import { holderOf, placeFile, removeAbandoned, removeOwn } from '../../../state/lock';
import { newStamp } from '../../../state/lock-stamp';
import type { LeaseHolder } from './lease-holder';
import { HEARTBEAT_MS, namedIn, ownerOf } from './lease-holder';
import { LOCK_NAME } from './log-dir';

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
