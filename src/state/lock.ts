import {
  linkSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import {
  attempt,
  detailOf,
  errorCode,
  type Failure,
  fail,
  type Result,
  readText,
  succeed,
} from '../core/failure';
import { type JsonObject, jsonObjectIn, textIn, withoutUndefined } from '../core/json';
import { processStart, processState } from '../exec/processes';
import { blockFor, monotonicMs } from '../exec/standard-io';
import {
  discard,
  inPrivateDirectory,
  READ_NO_FOLLOW,
  temporaryBeside,
  withPlainFile,
  writeNew,
} from './files';

/** The owner of a lock, as written into the lock. */
export interface Stamp {
  readonly pid: number;
  /** The kernel's start time of the process, to recognise a reused pid. */
  readonly start?: string;
  readonly host: string;
  /** The pid namespace: a container on the same host has its own pids. */
  readonly space?: string;
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Placeholder for a missing field. */
const NONE = '-';
const WORDS = 6;

/** How long an owner keeps its lock if its process is on another host or in another container. */
const LEASE_MS = 10_000;

type Self = Omit<Stamp, 'nonce' | 'at'>;
let self: Self | undefined;

/** A new stamp of this process for one lock. */
export function newStamp(): Stamp {
  self ??= describeSelf();
  return { ...self, nonce: Math.random().toString(36).slice(2), at: Date.now() };
}

/** A stamp as a short text: file systems store a short symlink target in the inode itself. */
export function shortText(stamp: Stamp): string {
  const { pid, start, host, space, nonce, at } = stamp;
  // Fields are separated by spaces.
  if (host.includes(' ')) return JSON.stringify(stamp);
  const process = `${shortNumber(pid)} ${shortNumber(start)} ${shortNumber(space?.slice(5, -1))}`;
  return `${process} ${host || NONE} ${nonce} ${shortNumber(at)}`;
}

function shortNumber(value: number | string | undefined): string {
  return value === undefined ? NONE : Number(value).toString(36);
}

/** The stamp in a lock's text, in short form or JSON; `undefined` if the lock is not ours. */
export function parseStamp(text: string): Stamp | undefined {
  const found = jsonObjectIn(text) ?? wordsIn(text);
  const { pid, host, nonce, at } = found;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined;
  if (typeof host !== 'string' || typeof nonce !== 'string' || typeof at !== 'number') return undefined;
  return withoutUndefined({
    pid,
    host,
    nonce,
    at,
    start: textIn(found, 'start'),
    space: textIn(found, 'space'),
  });
}

function wordsIn(text: string): JsonObject {
  const words = text.split(' ');
  if (words.length !== WORDS) return {};
  const [pid, start, space, host, nonce, at] = words;
  const [startTime, namespace] = [longNumber(start), longNumber(space)];
  return {
    pid: longNumber(pid),
    start: startTime?.toString(),
    space: namespace === undefined ? undefined : `pid:[${namespace}]`,
    host: host === NONE ? '' : host,
    nonce,
    at: longNumber(at),
  };
}

function longNumber(word: string | undefined): number | undefined {
  const value = Number.parseInt(word ?? '', 36);
  return word === NONE || !Number.isSafeInteger(value) || value < 0 ? undefined : value;
}

/** True if the owner is dead, or cannot be checked from here and its lease has expired. */
export function isOwnerGone(stamp: Stamp, now: number): boolean {
  self ??= describeSelf();
  const here = stamp.host === self.host && (stamp.space ?? self.space) === self.space;
  if (here) return processState(stamp.pid, stamp.start) === 'dead';
  // A time in the future comes from a wrong clock; such a lease would never expire.
  return Math.abs(now - stamp.at) > LEASE_MS;
}

function describeSelf(): Self {
  const start = processStart(process.pid);
  const space = attempt(() => readlinkSync('/proc/self/ns/pid'));
  const host = readText('/proc/sys/kernel/hostname')?.trim();
  return withoutUndefined({ pid: process.pid, start, host: host ?? process.env['HOSTNAME'] ?? '', space });
}

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
