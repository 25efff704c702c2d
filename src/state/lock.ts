import type { Failure, Result } from '../core/failure';
import { detailOf, fail, succeed } from '../core/failure';
import { blockFor } from '../exec/block-for';
import type { Holder } from './lock-file';
import { holderOf, isAbandoned, isHeldBy, placeLock, removeOwn } from './lock-file';
import { newStamp, shortText } from './stamp';
import { removeAbandoned } from './steal';

/** A lock that this process holds. */
export interface Lock {
  readonly file: string;
  /** False once somebody took it from us, after which nothing may be written under it. */
  stillMine(): boolean;
  release(): void;
}

const LONGEST_PAUSE_MS = 16;

/** Takes a lock, waiting at most `waitMs` for a living owner. A dead owner's lock is taken at once. */
export function acquireLock(file: string, waitMs: number): Result<Lock> {
  const begin = Date.now();
  try {
    let holder: Holder | undefined;
    for (let round = 1; ; round++) {
      const lock = holder ? undefined : tryLock(file);
      if (lock) return succeed(lock);
      holder = livingHolder(file);
      const waited = Date.now() - begin;
      // The first round may have cleared the way, so it is never the last one then.
      if (waited >= waitMs && (holder || round > 1)) return fail(timeout(file, holder, waited));
      // Waiters that were turned away together do not come back together.
      if (holder) blockFor(0.5 + Math.random() * Math.min(2 ** round, LONGEST_PAUSE_MS));
    }
  } catch (error) {
    return fail({ code: 'state.write-failed', file, detail: detailOf(error) });
  }
}

function livingHolder(file: string): Holder | undefined {
  const holder = holderOf(file);
  if (!holder || !isAbandoned(holder, Date.now())) return holder;
  removeAbandoned(file, holder);
  return holderOf(file);
}

function tryLock(file: string): Lock | undefined {
  const text = shortText(newStamp());
  if (!placeLock(file, text)) return undefined;
  return {
    file,
    stillMine: () => {
      try {
        return isHeldBy(file, text);
      } catch {
        return false;
      }
    },
    release: () => {
      try {
        removeOwn(file, text);
      } catch {
        // Whoever waits finds our process gone soon enough.
      }
    },
  };
}

function timeout(file: string, holder: Holder | undefined, ms: number): Failure {
  const stamp = holder?.stamp;
  const name = stamp
    ? `process ${stamp.pid}${stamp.host ? ` on ${stamp.host}` : ''}`
    : 'an owner that left no name';
  return { code: 'lock.timeout', file, holder: name, ms };
}
