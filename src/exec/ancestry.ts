import { readFileSync } from 'node:fs';
import { attempt } from '../core/failure';
import { type ProcStat, readProcStat } from './processes';

/** More than any real process tree is deep; guards against a cycle in `/proc`. */
const MAX_ANCESTORS = 128;

/** What we know of a process; `terminal` is zero if it has none. */
export type ProcessFacts = Pick<ProcStat, 'name' | 'parent' | 'terminal' | 'start'> & {
  readonly pid: number;
  /** The pid of the session leader, where known. */
  readonly session?: number;
};

/** A process, its parent, its grandparent and so on, as far as they can be read. */
export function ancestry(pid: number): ProcessFacts[] {
  const found: ProcessFacts[] = [];
  const known = readProcStat(pid) === undefined ? processTable() : undefined;
  for (let at = pid; at > 0 && found.length < MAX_ANCESTORS; ) {
    const facts = known === undefined ? readProcStat(at) : known.get(at);
    if (facts === undefined) break;
    found.push({ ...facts, pid: at });
    at = facts.parent;
  }
  return found;
}

/** All processes according to `ps`, for systems without `/proc`; empty if `ps` fails. */
function processTable(): Map<number, Omit<ProcessFacts, 'pid'>> {
  // Loading `child_process` takes several milliseconds, and most machines have `/proc`.
  const { spawnSync }: typeof import('node:child_process') = require('node:child_process');
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid=,tty=,lstart=,comm='], { encoding: 'utf8' });
  const rows = (stdout ?? '').matchAll(/^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.{24})\s+(.*)$/gm);
  return new Map(
    Array.from(rows, ([, pid, parent, tty = '', began = '', name = '']) => {
      const start = String(Date.parse(began));
      return [Number(pid), { name, parent: Number(parent), terminal: /^\?+$/.test(tty) ? 0 : 1, start }];
    }),
  );
}

/** The paths at which something is mounted, as this process sees them. */
export function mountPoints(): string[] {
  const lines = (attempt(() => readFileSync('/proc/self/mountinfo', 'utf8')) ?? '').split('\n');
  const octal = /\\([0-7]{3})/g;
  return lines.map((line) =>
    (line.split(' ')[4] ?? '').replace(octal, (_, code) => String.fromCharCode(Number.parseInt(code, 8))),
  );
}

/** The environment that a process was started with; empty if it cannot be read (only our own user's can). */
export function environmentOf(pid: number): Readonly<Record<string, string>> {
  const entries = wordsAt(`/proc/${pid}/environ`);
  return Object.fromEntries(
    entries.flatMap((entry) => (entry.includes('=') ? [entry.split(/=(.*)/s, 2) as [string, string]] : [])),
  );
}

/** The command-line arguments of a process; empty if they cannot be read. */
export function argumentsOf(pid: number): string[] {
  return wordsAt(`/proc/${pid}/cmdline`).slice(0, -1);
}

function wordsAt(file: string): string[] {
  return attempt(() => readFileSync(file, 'utf8').split('\0')) ?? [];
}
