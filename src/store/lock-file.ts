import { closeSync, constants, linkSync, lstatSync, openSync, readFileSync, unlinkSync } from 'node:fs';
import { errorCode } from '../domain/error-code';
import { temporaryBeside } from './nonce';
import { inPrivateDirectory } from './private-directory';
import type { Stamp } from './stamp';
import { isForsaken, LEASE_MS, parseStamp } from './stamp';
import { discard, writeNew } from './whole-file';

/** What is found at a lock's place. */
export interface Holder {
  /** Equal for two looks only if nobody replaced the lock in between. */
  readonly identity: string;
  readonly stamp: Stamp | undefined;
  readonly isLink: boolean;
  readonly mtimeMs: number;
}

/**
 * Puts a lock at its place, complete from its first moment on, or answers false when one is there.
 * Throws when the directory does not allow it.
 */
export function placeLock(file: string, text: string): boolean {
  const whole = temporaryBeside(file);
  try {
    inPrivateDirectory(file, () => writeNew(whole, text, false));
    linkSync(whole, file);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) return placeWithoutLink(file, text);
    throw error;
  } finally {
    discard(whole);
  }
}

/** For file systems without hard links: exclusive too, but empty for a moment. */
export function placeWithoutLink(file: string, text: string): boolean {
  try {
    writeNew(file, text, false);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Who is at the lock's place; `undefined` when nobody is. A link there is looked at, never followed. */
export function holderOf(file: string): Holder | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return undefined;
  const isLink = stats.isSymbolicLink();
  const text = isLink ? '' : textOf(file);
  if (text === undefined) return undefined;
  const identity = `${stats.ino} ${stats.mtimeMs} ${text}`;
  return { identity, stamp: parseStamp(text), isLink, mtimeMs: stats.mtimeMs };
}

/** True when nobody will ever release this lock. We make no links, so one at its place is nobody's. */
export function isAbandoned(holder: Holder, now: number): boolean {
  if (holder.isLink) return true;
  return holder.stamp ? isForsaken(holder.stamp, now) : now - holder.mtimeMs > LEASE_MS;
}

/** Whether the lock at this place is the one with this text. */
export function isHeldBy(file: string, text: string): boolean {
  return textOf(file) === text;
}

/** Removes the lock with this text, and no other. */
export function removeOwn(file: string, text: string): void {
  if (isHeldBy(file, text)) unlinkSync(file);
}

function textOf(file: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return readFileSync(fd, 'utf8');
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
