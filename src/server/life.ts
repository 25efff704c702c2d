import { lstatSync } from 'node:fs';
import type { Lock } from '../state/lock';
import type { AreUnchanged } from './own-files';
import type { RuntimePlace } from './place';
import type { Tally } from './tally';

/** Why a server ends. */
export type Ending = 'idle' | 'upgrade' | 'memory' | 'replaced' | 'installation' | 'stopped' | 'signal';

/** A server's life: what may end it, and how it ends. */
export interface Life {
  /** Looks at the files and at the memory, but not more than once a second; ends where it has to, and says so. */
  goesOn(now: number): boolean;
  end(why: Ending): void;
}

/** What a life hangs on. */
export interface Thread {
  readonly place: RuntimePlace;
  readonly lock: Lock;
  readonly areUnchanged: AreUnchanged;
  readonly tally: Tally;
  readonly idleMs: number;
  /** Takes no more clients. */
  close(): void;
  onEnd(why: Ending): void;
}

const LARGEST_RSS = 256 * 1024 * 1024;
const LOOK_EVERY_MS = 1000;
const TICK_MS = 5000;

/** Begins when the server listens. It is looked at from time to time also when nobody comes. */
export function beginLife(thread: Thread): Life {
  const { place, lock, tally, idleMs } = thread;
  const { ino } = lstatSync(place.socket);
  const isOurs = (): boolean =>
    lock.stillMine() && lstatSync(place.socket, { throwIfNoEntry: false })?.ino === ino;
  let over = false;
  let lookedAt = Date.now();
  const end = (why: Ending): void => {
    if (over) return;
    over = true;
    clearInterval(clock);
    // To close removes the socket, and it may be the successor's by now.
    if (isOurs()) {
      thread.close();
      lock.release();
    }
    thread.onEnd(why);
  };
  const look = (now: number): Ending | undefined => {
    if (!thread.areUnchanged()) return 'upgrade';
    if (process.memoryUsage.rss() > LARGEST_RSS) return 'memory';
    if (!isOurs()) return 'replaced';
    return now - tally.lastAt >= idleMs ? 'idle' : undefined;
  };
  const goesOn = (now: number): boolean => {
    const why = over || now - lookedAt < LOOK_EVERY_MS ? undefined : look(now);
    if (why !== undefined) end(why);
    else if (now - lookedAt >= LOOK_EVERY_MS) lookedAt = now;
    return !over;
  };
  const clock = setInterval(() => goesOn(Date.now()), Math.min(TICK_MS, Math.max(idleMs, LOOK_EVERY_MS)));
  return { goesOn, end };
}
