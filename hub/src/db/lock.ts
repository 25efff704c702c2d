import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Refusal } from './refusal.js';

/** The directory is open in another process. */
export class InUse extends Refusal {}

interface Owner {
  readonly pid: number;
  /** When the process started, in ticks since boot: pids are reused, this is not. */
  readonly started: string | null;
  /** The pid namespace: pids only mean something within one container. */
  readonly space: string | null;
}

/** How often the owner touches the file, for processes that cannot see its pid. */
const beat = 5_000;
const silence = 20_000;
/** A takeover lasts milliseconds: the owner of an older guard was killed. */
const guardAge = 10_000;

/**
 * Takes a lock file, so that two processes never open one directory. The second is refused; the lock of a
 * dead process is taken over. Returns a function that releases the lock.
 */
export async function takeLock(file: string, what: string): Promise<() => void> {
  const own = JSON.stringify(ownerOf(process.pid));
  const draft = `${file}.${process.pid}`;
  for (;;) {
    if (place(draft, file, own)) break;
    const found = read(file);
    if (found === null) {
      refuseLink(file);
      await wait(10);
      continue;
    }
    if (await isAlive(found, file)) throw new InUse(inUse(what, found));
    if (!takeOver(file, found)) await wait(50);
  }
  // If somebody has removed the directory, the database will report it.
  const touch = () => attempt(() => utimesSync(file, new Date(), new Date()));
  const timer = setInterval(touch, beat).unref();
  return () => {
    clearInterval(timer);
    if (read(file) === own) rmSync(file, { force: true });
  };
}

/** A dangling symlink is not a lock, but prevents one. */
function refuseLink(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Refusal(`${file} is a link that leads nowhere. Remove it and start again.`);
}

/** Creates the lock with its whole content at once; false if there is one already. */
function place(draft: string, file: string, text: string): boolean {
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes a stale lock. The guard prevents that two processes remove each other's new lock. */
function takeOver(file: string, found: string): boolean {
  const guard = `${file}.takeover`;
  try {
    mkdirSync(guard);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (age(guard) > guardAge) rmSync(guard, { recursive: true, force: true });
    return false;
  }
  try {
    if (read(file) === found) unlinkSync(file);
    return true;
  } finally {
    rmdirSync(guard);
  }
}

async function isAlive(text: string, file: string): Promise<boolean> {
  const owner = parse(text);
  if (!owner) return false;
  const here = ownerOf(process.pid);
  if (owner.space === here.space) return isRunning(owner);
  // The owner is in another container: only the mtime of its file tells whether it is alive.
  const seen = age(file);
  for (const until = Date.now() + silence - seen; Date.now() < until; ) {
    await wait(250);
    if (read(file) !== text) return false;
    if (age(file) < 1000) return true;
  }
  return age(file) < silence;
}

function isRunning({ pid, started }: Owner): boolean {
  if (started !== null) return startOf(pid) === started;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function ownerOf(pid: number): Owner {
  // Only Linux has namespaces.
  return { pid, started: startOf(pid), space: attempt(() => readlinkSync('/proc/self/ns/pid')) };
}

/** The result; null if it throws. */
function attempt<T>(run: () => T): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}

/** Field 22 of /proc/PID/stat. The process name may contain spaces, so fields are counted from behind it. */
function startOf(pid: number): string | null {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? '';
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended; its parent just has not noticed.
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}

function parse(text: string): Owner | null {
  const value: unknown = attempt(() => JSON.parse(text));
  return typeof value === 'object' && value !== null && 'pid' in value ? (value as Owner) : null;
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function age(file: string): number {
  return attempt(() => Date.now() - statSync(file).mtimeMs) ?? 0;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function inUse(what: string, text: string): string {
  const pid = parse(text)?.pid;
  return `Another process (pid ${pid}) already uses ${what}. Stop it first, or give another directory with --data.`;
}
