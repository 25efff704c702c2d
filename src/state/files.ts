import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, detailOf, errorCode, type Failure, fail, type Result, succeed } from '../core/failure';
import { sealOf } from '../core/text';
import {
  blockFor,
  isOwnerGone,
  LEASE_MS,
  monotonicMs,
  newStamp,
  parseStamp,
  type Stamp,
  shortText,
} from '../exec/processes';

/** Thrown if a directory, pipe or device is in place of a regular file. */
export class NotAFile extends Error {}

/** Flags for `withPlainFile`: read, and fail if the file itself is a symlink. */
export const READ_NO_FOLLOW = constants.O_RDONLY | constants.O_NOFOLLOW;

/** Opens a regular file, passes it to `use` and closes it. Rejects a pipe, which would otherwise block us. */
export function withPlainFile<T>(
  path: string,
  flags: number,
  use: (fd: number, stats: Stats) => T,
  mode = 0o600,
): T {
  const fd = openSync(path, flags | constants.O_NONBLOCK, mode);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new NotAFile(stats.isDirectory() ? 'is a directory' : 'is not a regular file');
    return use(fd, stats);
  } finally {
    closeSync(fd);
  }
}

/** The text of a regular file; `undefined` if it is missing, unreadable, a symlink or larger than `maxBytes`. */
export function readSmallFile(file: string, maxBytes: number): string | undefined {
  return readSmallBytes(file, maxBytes)?.toString();
}

/** Like `readSmallFile`, but bytes: Node is slow to decode a large file. */
export function readSmallBytes(file: string, maxBytes: number): Buffer | undefined {
  return attempt(() =>
    withPlainFile(file, READ_NO_FOLLOW, (fd, { size }) =>
      size <= maxBytes ? readAt(fd, 0, size) : undefined,
    ),
  );
}

/** The text of a file written with `sealed`; `undefined` if it is too large or somebody else has written it since. */
export function readSealed(file: string, maxBytes: number): string | undefined {
  return withPlainFile(file, READ_NO_FOLLOW, (fd, { size, mtimeMs }) =>
    size <= maxBytes && mtimeMs === sealOf(size) * 1000 ? readFileSync(fd, 'utf8') : undefined,
  );
}

/** Whether nothing exists at a path, not even a dangling symlink. */
export function isMissing(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

/** How far back `linesBackwards` may go. */
export interface BackwardLimit {
  readonly bytes: number;
  /** Deadline in milliseconds since the epoch; no further block is read after it. */
  readonly until?: number;
}

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 10;

/**
 * The lines of a file from the byte `end` back to the beginning, without newlines. They are buffers because a block may
 * begin in the middle of a character. Yields `undefined` last if it had to stop before the beginning.
 */
export function* linesBackwards(
  fd: number,
  end: number,
  reach: BackwardLimit,
): Generator<Buffer | undefined> {
  let later: Buffer[] = [];
  for (let from = end; from > 0; ) {
    const length = Math.min(from, BLOCK_BYTES, reach.bytes - (end - from));
    const isLate = reach.until !== undefined && Date.now() > reach.until;
    const block = length > 0 && !isLate ? readAt(fd, from - length, length) : undefined;
    if (block?.length !== length) {
      yield undefined;
      return;
    }
    from -= length;
    let rest = block;
    for (let at = rest.lastIndexOf(NEWLINE); at >= 0; at = rest.lastIndexOf(NEWLINE)) {
      const line = rest.subarray(at + 1);
      yield later.length === 0 ? line : Buffer.concat([line, ...later.toReversed()]);
      later = [];
      rest = rest.subarray(0, at);
    }
    later.push(rest);
  }
  yield Buffer.concat(later.toReversed());
}

/**
 * The lines of a file from its beginning, without newlines, in memory that does not grow with the file. Each is only
 * valid until the next one is requested.
 */
export function* linesIn(fd: number): Generator<Buffer> {
  let buffer = Buffer.allocUnsafe(4 * BLOCK_BYTES);
  let kept = 0;
  for (let at = 0; ; ) {
    if (kept === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    const read = readSync(fd, buffer, kept, buffer.length - kept, at);
    if (read === 0) break;
    at += read;
    const end = kept + read;
    let from = 0;
    for (let to = buffer.indexOf(NEWLINE, kept); to >= 0 && to < end; to = buffer.indexOf(NEWLINE, from)) {
      yield buffer.subarray(from, to);
      from = to + 1;
    }
    buffer.copyWithin(0, from, end);
    kept = end - from;
  }
  if (kept > 0) yield buffer.subarray(0, kept);
}

/** Reads up to `length` bytes at a position; fewer at the end of the file. */
export function readAt(fd: number, position: number, length: number): Buffer {
  const block = Buffer.allocUnsafe(length);
  return block.subarray(0, readSync(fd, block, 0, length, position));
}

/** How much of a file git reads to decide whether it is binary. */
const HEAD_BYTES = 8000;
/** A single NUL byte makes git hide a file, so an agent could add one to a text. */
const MOST_OF_TEXT = 0.05;

/** Whether many bytes of a file are control characters. A file that cannot be read, such as a deleted one, is text. */
export function isBinaryFile(path: string): boolean {
  const read = () => withPlainFile(path, constants.O_RDONLY, (fd) => readAt(fd, 0, HEAD_BYTES));
  const head = attempt(read) ?? Buffer.alloc(0);
  const odd = head.filter((byte) => byte < 9 || (byte > 13 && byte < 32)).length;
  return odd > head.length * MOST_OF_TEXT;
}

/* Writing. */

export interface AtomicWrite {
  /** Sync file and directory, so that the write survives a power cut. */
  readonly durable?: boolean;
  /** File permissions; by default only the owner may read and write. */
  readonly mode?: number | undefined;
  /** Sets the modification time that `readSealed` checks. */
  readonly sealed?: boolean;
  /** Called once the new content is written. If it throws, the old file is kept. */
  beforeRename?(): void;
}

/** Replaces a file by renaming a temporary one: readers see either the old or the new content, complete. */
export function writeFileAtomic(file: string, text: string | Uint8Array, options: AtomicWrite = {}): void {
  const { durable = false, mode, sealed = false, beforeRename } = options;
  const temporary = writeTemporary(file, text, durable, mode);
  try {
    if (sealed) seal(temporary, Buffer.byteLength(text));
    beforeRename?.();
    renameSync(temporary, file);
  } catch (error) {
    discard(temporary);
    throw error;
  }
  if (durable) syncDirectory(file);
}

function seal(file: string, bytes: number): void {
  const time = sealOf(bytes);
  utimesSync(file, time, time);
}

/** Writes a new file beside `file`, ready to be renamed to it. Leaves nothing behind if it throws. */
export function writeTemporary(
  file: string,
  text: string | Uint8Array,
  durable: boolean,
  mode?: number,
): string {
  const temporary = temporaryBeside(file);
  inPrivateDirectory(file, () => writeNew(temporary, text, durable, mode));
  return temporary;
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** Writes a file that must not exist yet; leaves nothing behind if it throws. Without a mode, only for the owner. */
export function writeNew(file: string, text: string | Uint8Array, durable: boolean, mode?: number): void {
  const fd = openSync(file, NEW_FILE, 0o600);
  let isWhole = false;
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    if (mode !== undefined) fchmodSync(fd, mode & 0o777);
    if (durable) fsyncSync(fd);
    isWhole = true;
  } finally {
    closeSync(fd);
    if (!isWhole) discard(file);
  }
}

/** Removes a temporary file. If that fails, it is cleaned up as a leftover later. */
export function discard(temporary: string): void {
  // Ignores errors: the failure that brought us here is the one to report.
  attempt(() => unlinkSync(temporary));
}

/** Makes a rename survive a power cut, if the file system can sync directories. */
export function syncDirectory(file: string): void {
  try {
    const fd = openSync(dirname(file), 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EISDIR'].includes(errorCode(error))) throw error;
  }
}

/** Calls `create`; if the directory of `file` is missing, creates it (for the owner only) and tries again. */
export function inPrivateDirectory<T>(file: string, create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return create();
}

/** A name that no other process generates at the same time. Not a secret. */
export function newNonce(): string {
  const time = Date.now().toString(36);
  return `${process.pid.toString(36)}${time}${Math.random().toString(36).slice(2)}`;
}

/** A temporary name beside `file`, for a file that is soon renamed or removed. */
export function temporaryBeside(file: string): string {
  return `${file}.${process.pid}.${newNonce()}.tmp`;
}

/** Matches names from `temporaryBeside`, but no other program's `.tmp` files. */
export const TEMPORARY = /\.\d+\.[0-9a-z]+\.tmp$/;

const LEFTOVER_AGE_MS = 60 * 60 * 1000;

/**
 * Removes temporary files that killed processes left in a directory over an hour ago; returns their paths. In a directory
 * that we share, only those of the file `of`.
 */
export function removeLeftovers(dir: string, now: number, of = ''): readonly string[] {
  return namesIn(dir)
    .filter((name) => TEMPORARY.test(name) && name.startsWith(of))
    .map((name) => join(dir, name))
    .filter((file) => {
      const stats = lstatSync(file, { throwIfNoEntry: false });
      // A lock that was moved aside is a symlink.
      if (stats === undefined || !(stats.isFile() || stats.isSymbolicLink())) return false;
      if (now - stats.mtimeMs < LEFTOVER_AGE_MS) return false;
      unlinkSync(file);
      return true;
    });
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/* Locks between processes. */

/** A lock that this process holds. */
export interface Lock {
  readonly file: string;
  /** False once somebody has taken the lock from us; then nothing may be written under it. */
  isStillMine(): boolean;
  release(): void;
}

const MAX_PAUSE_MS = 16;

/** How long to wait for a lock: for the same owner, and in total while owners change. */
export interface Patience {
  readonly ownerMs: number;
  readonly mostMs: number;
}

/** Takes a lock. Waits for a living owner; takes a dead owner's lock at once. */
export function acquireLock(file: string, patience: number | Patience): Result<Lock> {
  const { ownerMs, mostMs } =
    typeof patience === 'number' ? { ownerMs: patience, mostMs: patience } : patience;
  // Not `Date`: it may be set back while we wait.
  const begin = monotonicMs();
  let owner = { since: begin, identity: '' };
  try {
    let holder: Holder | undefined;
    for (let round = 1; ; round++) {
      const lock = holder ? undefined : tryLock(file);
      if (lock) return succeed(lock);
      holder = livingHolder(file);
      const now = monotonicMs();
      const waited = Math.round(now - begin);
      // A new owner restarts the wait: as long as others come and go, our turn will come.
      owner = trackOwner(owner, holder, now);
      const isOver = waited >= mostMs || now - owner.since >= ownerMs;
      // The first round may have removed a dead owner's lock, so there is always a second one.
      if (isOver && (holder || round > 1)) return fail(timeout(file, holder, waited));
      // Random, so that waiting processes do not all retry at the same moment.
      if (holder) blockFor(0.5 + Math.random() * Math.min(2 ** round, MAX_PAUSE_MS));
    }
  } catch (error) {
    return fail({ code: 'state.write-failed', file, detail: detailOf(error) });
  }
}

type Owner = { readonly since: number; readonly identity: string };

function trackOwner(owner: Owner, holder: Holder | undefined, now: number): Owner {
  const { identity } = holder ?? owner;
  return identity === owner.identity ? owner : { since: now, identity };
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
    isStillMine: () => attempt(() => isHeldBy(file, text)) ?? false,
    // If this fails, others take the lock once our process is gone.
    release: () => attempt(() => removeOwn(file, text)),
  };
}

function timeout(file: string, holder: Holder | undefined, ms: number): Failure {
  const stamp = holder?.stamp;
  const name = stamp ? `process ${stamp.pid}${stamp.host ? ` on ${stamp.host}` : ''}` : 'an unknown process';
  return { code: 'lock.timeout', file, holder: name, ms };
}

/** Error codes of file systems that do not support or allow a kind of link. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL'];

/**
 * Creates a lock with its content in one atomic step; false if there is one already. It is a dangling symlink whose
 * target is the text. Throws if the directory does not allow it.
 */
function placeLock(file: string, text: string): boolean {
  return createExclusive(
    () => inPrivateDirectory(file, () => symlinkSync(text, file)),
    () => placeFile(file, text),
  );
}

/** The same with a regular file, for programs that expect one and for file systems without symlinks. */
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

/** For file systems without hard links: also exclusive, but the file is empty for a moment. */
export function placeWithoutLink(file: string, text: string): boolean {
  return createExclusive(() => writeNew(file, text, false));
}

/** False if the file already exists. `withoutLinks` is the fallback for file systems without this kind of link. */
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

/** What was found at the path of a lock. */
export interface Holder {
  /** Changes as soon as somebody replaces the lock. */
  readonly identity: string;
  readonly text: string;
  readonly stamp: Stamp | undefined;
  readonly isLink: boolean;
  readonly mtimeMs: number;
}

/** Who holds a lock; `undefined` if nobody does. Reads a symlink, never follows it. */
export function holderOf(file: string): Holder | undefined {
  // `lstat` throws if a parent directory is a file; then there is no lock either.
  const stats = attempt(() => lstatSync(file, { throwIfNoEntry: false }));
  if (!stats) return undefined;
  const isLink = stats.isSymbolicLink();
  const text = isLink ? attempt(() => readlinkSync(file)) : fileText(file);
  if (text === undefined) return undefined;
  const identity = `${stats.ino} ${stats.mtimeMs} ${text}`;
  return { identity, text, stamp: parseStamp(text), isLink, mtimeMs: stats.mtimeMs };
}

/** True if nobody will ever release this lock. A symlink that is not ours has no owner. */
export function isAbandoned(holder: Holder, now: number): boolean {
  if (holder.stamp) return isOwnerGone(holder.stamp, now);
  return holder.isLink || Math.abs(now - holder.mtimeMs) > LEASE_MS;
}

/** Removes the lock if it has this text. */
export function removeOwn(file: string, text: string): void {
  if (isHeldBy(file, text)) unlinkSync(file);
}

function isHeldBy(file: string, text: string): boolean {
  return (attempt(() => readlinkSync(file)) ?? fileText(file)) === text;
}

/** Empty if the file exists but cannot be read. */
function fileText(file: string): string | undefined {
  try {
    return withPlainFile(file, READ_NO_FOLLOW, (fd) => readFileSync(fd, 'utf8'));
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : '';
  }
}

/**
 * Removes an abandoned lock. Only the holder of `<lock>.steal` may do that, and only if the lock is still the one that
 * was found abandoned: otherwise a slow process could remove the new lock of a faster one.
 */
export function removeAbandoned(file: string, judged: Holder): void {
  try {
    steal(file, judged);
  } catch (error) {
    // Another process was faster between two of our steps.
    if (!['ENOENT', 'EEXIST'].includes(errorCode(error))) throw error;
  }
}

function steal(file: string, judged: Holder): void {
  const guard = `${file}.steal`;
  const text = shortText(newStamp());
  if (!placeLock(guard, text)) {
    removeDeadGuard(guard);
    // Whoever does not wait has no second round.
    if (!placeLock(guard, text)) return;
  }
  try {
    const isUnchanged = holderOf(file)?.identity === judged.identity;
    if (isUnchanged && isHeldBy(guard, text)) unlinkSync(file);
  } finally {
    removeOwn(guard, text);
  }
}

/**
 * Moves a dead process's guard aside and checks it again; a living one's, moved by mistake, is put back. Its owner may
 * have gone on without it in the meantime, so a guard of our own that we find here is a leftover like a dead one's.
 */
function removeDeadGuard(guard: string): void {
  const dead = holderOf(guard);
  if (!dead || !(isOwn(dead) || isAbandoned(dead, Date.now()))) return;
  const aside = temporaryBeside(guard);
  renameSync(guard, aside);
  try {
    const moved = holderOf(aside);
    if (moved !== undefined && moved.identity !== dead.identity) placeLock(guard, moved.text);
  } finally {
    unlinkSync(aside);
  }
}

function isOwn({ stamp }: Holder): boolean {
  const { pid, start, host, space } = newStamp();
  return stamp?.pid === pid && stamp.start === start && stamp.host === host && stamp.space === space;
}
