import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { errorCode } from '../core/error-code';
import { temporaryBeside } from './nonce';
import { inPrivateDirectory } from './private-directory';
import type { Stamp } from './stamp';
import { isForsaken, LEASE_MS, parseStamp } from './stamp';
import { discard, writeNew } from './whole-file';

/** What is found at a lock's place. */
export interface Holder {
  /** Equal for two looks only if nobody replaced the lock in between. */
  readonly identity: string;
  readonly text: string;
  readonly stamp: Stamp | undefined;
  readonly isLink: boolean;
  readonly mtimeMs: number;
}

/** What file systems say that have no links of a kind, or do not let us make them. */
const WITHOUT_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL'];

/**
 * Puts a lock at its place, complete from its first moment on, or answers false when one is there. It is a link that
 * leads nowhere: its target is the text. To make one is a single step, a file with content takes five.
 * Throws when the directory does not allow it.
 */
export function placeLock(file: string, text: string): boolean {
  try {
    inPrivateDirectory(file, () => symlinkSync(text, file));
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    if (WITHOUT_LINKS.includes(code)) return placeFile(file, text);
    throw error;
  }
}

/** The same as a file, for others who look for one, and where there are no links. */
export function placeFile(file: string, text: string): boolean {
  const whole = temporaryBeside(file);
  try {
    inPrivateDirectory(file, () => writeNew(whole, text, false));
    linkSync(whole, file);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    if (WITHOUT_LINKS.includes(code)) return placeWithoutLink(file, text);
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
  const text = isLink ? targetOf(file) : textOf(file);
  if (text === undefined) return undefined;
  const identity = `${stats.ino} ${stats.mtimeMs} ${text}`;
  return { identity, text, stamp: parseStamp(text), isLink, mtimeMs: stats.mtimeMs };
}

/** True when nobody will ever release this lock. A link that is none of ours is nobody's. */
export function isAbandoned(holder: Holder, now: number): boolean {
  if (holder.stamp) return isForsaken(holder.stamp, now);
  return holder.isLink || now - holder.mtimeMs > LEASE_MS;
}

/** Whether the lock at this place is the one with this text. */
export function isHeldBy(file: string, text: string): boolean {
  try {
    return readlinkSync(file) === text;
  } catch {
    return textOf(file) === text;
  }
}

/** Removes the lock with this text, and no other. */
export function removeOwn(file: string, text: string): void {
  if (isHeldBy(file, text)) unlinkSync(file);
}

/** What a link says; `undefined` where none is. */
function targetOf(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
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
