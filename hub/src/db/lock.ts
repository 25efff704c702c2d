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
  /** When the process started, in ticks since the machine did: a pid is used again, this is not. */
  readonly started: string | null;
  /** Pids mean something only within one container. */
  readonly space: string | null;
}

/** How often the owner shows that it lives, for those who cannot see its process. */
const beat = 5_000;
const silence = 20_000;
/** Taking over lasts milliseconds. Who has not finished by then was killed. */
const guardAge = 10_000;

/**
 * Takes a lock file, so that two processes never open one directory. The second is refused; the lock of a process that
 * is gone is taken over. Returns what gives it back.
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
  const timer = setInterval(() => touch(file), beat).unref();
  return () => {
    clearInterval(timer);
    if (read(file) === own) rmSync(file, { force: true });
  };
}

/** A link that leads nowhere is neither a lock nor room for one. */
function refuseLink(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Refusal(`${file} is a link that leads nowhere. Remove it and start again.`);
}

/** Puts the whole content there at once, or nothing where there is a lock. */
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

/** Removes a lock that nobody holds. Behind a guard, or two who do so at once would remove each other's new lock. */
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
  // A process of another container: nothing can be said but by its beat.
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
  let space: string | null = null;
  try {
    space = readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not Linux.
  }
  return { pid, started: startOf(pid), space };
}

/** The 22nd field of /proc/PID/stat, counted from behind the name, which may have spaces in it. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; only its parent has not noticed.
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function parse(text: string): Owner | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'pid' in value ? (value as Owner) : null;
  } catch {
    return null;
  }
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
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

function touch(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // Somebody removed the directory; the database says so.
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function inUse(what: string, text: string): string {
  const pid = parse(text)?.pid;
  return `Another process (pid ${pid}) already uses ${what}. Stop it first, or give another directory with --data.`;
}
