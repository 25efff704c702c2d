import { spawnSync } from 'node:child_process';
import { processState } from '../exec/processes';
import { holderOf } from '../state/lock';
import { newStamp, type Stamp } from '../state/lock-stamp';
import { isPrivate, type RuntimePlace } from './place';

/** The living process that holds the lock of a place. */
export interface LockHolder {
  readonly pid: number;
  /** Equal for two looks only if nobody else has taken the lock in between. */
  readonly identity: string;
}

/** What a server is started from. */
const PROGRAM = 'serve.cjs';

/**
 * Who holds the lock, if it is a process of ours that lives here. Only we can write into a place that is private, so
 * whoever is named there is a server of this user.
 */
export function holderAt(place: RuntimePlace): LockHolder | undefined {
  if (!isPrivate(place.dir, process.getuid?.() ?? 0)) return undefined;
  const holder = holderOf(place.lock);
  if (holder?.stamp === undefined || !livesHere(holder.stamp)) return undefined;
  return { pid: holder.stamp.pid, identity: holder.identity };
}

/** A number that was given to another process since is known by when that began, else by what it runs. */
function livesHere({ host, space, pid, start }: Stamp): boolean {
  const self = newStamp();
  if (host !== self.host || (space ?? self.space) !== self.space) return false;
  if (processState(pid, start) === 'dead') return false;
  return start !== undefined || commandOf(pid).includes(PROGRAM);
}

function commandOf(pid: number): string {
  const { stdout } = spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
  return stdout ?? '';
}
