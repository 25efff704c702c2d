import { mkdirSync, rmdirSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../../../core/failure';
import { jsonIn, nameIn } from '../../../core/json';
import { blockFor, isOwnerGone, newStamp, processState } from '../../../exec/processes';
import { type Holder, holderOf, placeFile, removeAbandoned, removeOwn } from '../../../state/files';
import { LOCK_NAME, logDirOf } from './logs';
import { changedAt, originOf, runRecordFile } from './run-record';

export interface LeaseHolder {
  /** Absent if the lock does not name one. */
  readonly pid?: number;
  readonly since: number;
  /** A process of Holdpoint, not of agent-gauntlet. */
  readonly isOurs?: true;
  /** The stop that the run is for, if it is for one. */
  readonly stop?: string;
}

/**
 * The lock of the runs in a log directory. Agents can write to that directory, so ours is beside the record of the runs,
 * and only shown there, to agent-gauntlet. What that program places there itself is believed in its own projects, unless
 * it appeared during the session.
 */
export interface RunLock {
  /** Absent outside a repository. */
  readonly own?: string;
  readonly shown: string;
  isBelieved(): boolean;
}

export function runLock(
  root: string,
  config: { readonly logDir: string; readonly home: string },
  sessionBegan: number | undefined,
): RunLock {
  const logDir = logDirOf(root, config);
  const record = runRecordFile(root, logDir);
  const shown = join(logDir, LOCK_NAME);
  const isOld = () => originOf(false, changedAt(shown), sessionBegan) === 'old';
  return {
    ...(record !== undefined && { own: record.replace(/json$/, 'lock') }),
    shown,
    isBelieved: () => config.home === '.gauntlet' && isOld(),
  };
}

/** The right to run gates in one log directory, for one process at a time. */
export type Lease =
  /** `dead`: the previous holder, which died without releasing it. */
  | { readonly kind: 'taken'; release(): void; readonly dead?: LeaseHolder }
  | { readonly kind: 'held'; readonly holder: LeaseHolder };

/** Enough retries for when others remove the same dead lock at the same time. */
const MOST_ROUNDS = 50;
/** How often a run touches its lock, for those who cannot see its process. */
const HEARTBEAT_MS = 20_000;
const SILENT_MS = 15 * HEARTBEAT_MS;
/** Timeout of a lock that names no process: it is being written, or was made by hand. */
const NAMELESS_MS = 10 * 60_000;
/** Timeout of a lock with only a pid, which may have been reused since; no run takes that long. */
const BARE_PID_MS = 24 * 60 * 60_000;

/** Takes over a dead owner's lock, or a faked one. Released when we exit, unless we are killed. May throw. */
export function takeLease(lock: RunLock, stop?: string): Lease {
  const logDir = dirname(lock.shown);
  const made = mkdirSync(logDir, { recursive: true });
  let dead: LeaseHolder | undefined;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const text = JSON.stringify({ ...newStamp(), stop });
    const file = inTheWay(lock, text);
    if (file === undefined) {
      return { kind: 'taken', release: hold(lock, text, made && logDir), ...(dead && { dead }) };
    }
    const found = holderOf(file);
    if (!found) continue;
    const { holder, lives } = ownerOf(found, Date.now());
    if (lives && (file === lock.own || lock.isBelieved())) return { kind: 'held', holder };
    if (!lives) dead = holder;
    removeAbandoned(file, found);
    if (round > 0) blockFor(Math.random() * 2);
  }
  return { kind: 'held', holder: { since: Date.now() } };
}

/** Places both files, or neither; then it returns the one that was there already. */
function inTheWay({ own, shown }: RunLock, text: string): string | undefined {
  // If ours cannot be placed at all, other processes do not wait for us.
  if (own !== undefined && attempt(() => placeFile(own, text)) === false) return own;
  if (placeFile(shown, text)) return undefined;
  if (own !== undefined) removeOwn(own, text);
  return shown;
}

/** Errors are ignored: the next run cleans up, as it finds our process gone or the directory in use. */
function hold({ own, shown }: RunLock, text: string, madeDir: string | undefined): () => void {
  const files = own === undefined ? [shown] : [shown, own];
  const beat = setInterval(() => {
    const now = new Date();
    for (const file of files) attempt(() => utimesSync(file, now, now));
  }, HEARTBEAT_MS).unref();
  const release = (): void => {
    clearInterval(beat);
    process.off('exit', release);
    for (const file of files) attempt(() => removeOwn(file, text));
    // A run that had nothing to do leaves no new directory behind.
    if (madeDir !== undefined) attempt(() => rmdirSync(madeDir));
  };
  process.on('exit', release);
  return release;
}

/** Who runs the gates; `undefined` if nobody does. */
export function leaseHolder(lock: RunLock, now: number): LeaseHolder | undefined {
  const living = (file: string): LeaseHolder | undefined => {
    const found = holderOf(file);
    const owner = found && ownerOf(found, now);
    return owner?.lives ? owner.holder : undefined;
  };
  return (lock.own && living(lock.own)) || (lock.isBelieved() ? living(lock.shown) : undefined);
}

/** The process that a lock names, and whether it is alive. */
function ownerOf({ isLink, stamp, mtimeMs, text }: Holder, now: number) {
  const age = now - mtimeMs;
  if (stamp) {
    const stop = nameIn(jsonIn(text), 'stop');
    const holder = { pid: stamp.pid, since: stamp.at, isOurs: true, ...(stop && { stop }) } as const;
    // A run on another machine must have sent a heartbeat lately.
    return { holder, lives: !isLink && !isOwnerGone({ ...stamp, at: mtimeMs }, now, SILENT_MS) };
  }
  // agent-gauntlet writes only its pid.
  const pid = /^[1-9]\d{0,9}$/.test(text.trim()) ? Number(text) : undefined;
  if (pid === undefined) return { holder: { since: mtimeMs }, lives: !isLink && age <= NAMELESS_MS };
  const lives = !isLink && processState(pid) === 'alive' && age < BARE_PID_MS;
  return { holder: { pid, since: mtimeMs }, lives };
}
