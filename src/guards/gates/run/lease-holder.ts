import { readFileSync } from 'node:fs';
import { processState } from '../../../exec/processes';
import { type Holder, holderOf } from '../../../state/lock';
import { isForsaken, newStamp, type Stamp } from '../../../state/lock-stamp';

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
