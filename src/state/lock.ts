import {
  linkSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { errorCode } from '../core/error-code';
import type { Failure, Result } from '../core/failure';
import { detailOf, fail, succeed } from '../core/failure';
import { blockFor } from '../exec/standard-io';
import { isForsaken, LEASE_MS, newStamp, parseStamp, type Stamp, shortText } from './lock-stamp';
import { READ_NO_FOLLOW, withPlainFile } from './read-file';
import { discard, inPrivateDirectory, temporaryBeside, writeNew } from './write-file';

/** A lock that this process holds. */
export interface Lock {
  readonly file: string;
  /** False once somebody has taken it from us; then nothing may be written under it. */
  stillMine(): boolean;
  release(): void;
}

const MAX_PAUSE_MS = 16;

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
      // The first round may have removed a dead owner's lock; then there is always a second one.
      if (waited >= waitMs && (holder || round > 1)) return fail(timeout(file, holder, waited));
      // Random, so that waiters do not come back all at once.
      if (holder) blockFor(0.5 + Math.random() * Math.min(2 ** round, MAX_PAUSE_MS));
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
        // Whoever waits will find our process gone.
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

/** Error codes of file systems that have no links of a kind, or do not let us make them. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL'];

/**
 * Creates a lock, complete from its first moment on, or returns false if there is one. It is a dangling symlink whose
 * target is the text, because making one is a single atomic step. Throws if the directory does not allow it.
 */
function placeLock(file: string, text: string): boolean {
  return createExclusive(
    () => inPrivateDirectory(file, () => symlinkSync(text, file)),
    () => placeFile(file, text),
  );
}

/** The same as a regular file, for other programs that expect one, and for file systems without symlinks. */
export function placeFile(file: string, text: string): boolean {
  const whole = temporaryBeside(file);
  const create = (): void => {
    inPrivateDirectory(file, () => writeNew(whole, text, false));
    linkSync(whole, file);
  };
  try {
    return createExclusive(create, () => placeWithoutLink(file, text));
  } finally {
    discard(whole);
  }
}

/** For file systems without hard links: exclusive too, but empty for a moment. */
export function placeWithoutLink(file: string, text: string): boolean {
  return createExclusive(() => writeNew(file, text, false));
}

/** False if the file exists already. `withoutLinks` is the way for file systems that lack this kind of link. */
function createExclusive(create: () => void, withoutLinks?: () => boolean): boolean {
  try {
    create();
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    if (withoutLinks && NO_LINKS.includes(code)) return withoutLinks();
    throw error;
  }
}

/** What is found in the place of a lock. */
export interface Holder {
  /** Differs as soon as somebody has replaced the lock. */
  readonly identity: string;
  readonly text: string;
  readonly stamp: Stamp | undefined;
  readonly isLink: boolean;
  readonly mtimeMs: number;
}

/** Who holds a lock; `undefined` if nobody does. A symlink is read, never followed. */
export function holderOf(file: string): Holder | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return undefined;
  const isLink = stats.isSymbolicLink();
  const text = isLink ? linkTarget(file) : fileText(file);
  if (text === undefined) return undefined;
  const identity = `${stats.ino} ${stats.mtimeMs} ${text}`;
  return { identity, text, stamp: parseStamp(text), isLink, mtimeMs: stats.mtimeMs };
}

/** True if nobody will ever release this lock. A symlink that is none of ours belongs to nobody. */
export function isAbandoned(holder: Holder, now: number): boolean {
  if (holder.stamp) return isForsaken(holder.stamp, now);
  return holder.isLink || now - holder.mtimeMs > LEASE_MS;
}

/** Removes the lock with this text, and no other. */
export function removeOwn(file: string, text: string): void {
  if (isHeldBy(file, text)) unlinkSync(file);
}

function isHeldBy(file: string, text: string): boolean {
  return (linkTarget(file) ?? fileText(file)) === text;
}

function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

/** Empty if the file is there but cannot be read. */
function fileText(file: string): string | undefined {
  try {
    return withPlainFile(file, READ_NO_FOLLOW, (fd) => readFileSync(fd, 'utf8'));
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : '';
  }
}

/**
 * Removes an abandoned lock. Only the holder of `<lock>.steal` may do so, and only if the lock is still the one that
 * was judged: a slow process would otherwise remove the new lock of a faster one.
 */
export function removeAbandoned(file: string, judged: Holder): void {
  try {
    steal(file, judged);
  } catch (error) {
    // Somebody else was faster between two of our steps.
    if (!['ENOENT', 'EEXIST'].includes(errorCode(error))) throw error;
  }
}

function steal(file: string, judged: Holder): void {
  const guard = `${file}.steal`;
  const text = shortText(newStamp());
  if (!placeLock(guard, text)) {
    removeDeadGuard(guard);
    return;
  }
  try {
    const isUnchanged = holderOf(file)?.identity === judged.identity;
    if (isUnchanged && isHeldBy(guard, text)) unlinkSync(file);
  } finally {
    removeOwn(guard, text);
  }
}

/** A dead process's guard is moved away first and checked then; a living one's, moved by mistake, is put back. */
function removeDeadGuard(guard: string): void {
  const dead = holderOf(guard);
  if (!dead || !isAbandoned(dead, Date.now())) return;
  const aside = temporaryBeside(guard);
  renameSync(guard, aside);
  try {
    const moved = holderOf(aside);
    if (moved !== undefined && moved.identity !== dead.identity) placeLock(guard, moved.text);
  } finally {
    unlinkSync(aside);
  }
}
