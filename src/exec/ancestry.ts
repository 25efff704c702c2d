import { readFileSync } from 'node:fs';
import { attempt } from './attempt';
import { type ProcStat, readProcStat } from './processes';

/** More than any real chain of processes has; a loop in `/proc` must not become one of ours. */
const MAX_ANCESTORS = 128;

/** A process as its relatives see it; `terminal` is zero where it has none. */
export type ProcessFacts = Pick<ProcStat, 'name' | 'parent' | 'terminal' | 'start'> & {
  readonly pid: number;
  /** The first process of its session, where that can be told. */
  readonly session?: number;
};

/** A process, its parent, its grandparent and so on, as far as can be read. */
export function ancestry(pid: number): ProcessFacts[] {
  const line: ProcessFacts[] = [];
  const known = readProcStat(pid) === undefined ? processTable() : undefined;
  for (let at = pid; at > 0 && line.length < MAX_ANCESTORS; ) {
    const facts = known === undefined ? readProcStat(at) : known.get(at);
    if (facts === undefined) break;
    line.push({ ...facts, pid: at });
    at = facts.parent;
  }
  return line;
}

/** All processes, where there is no `/proc`; empty where `ps` does not tell either. */
function processTable(): Map<number, Omit<ProcessFacts, 'pid'>> {
  // Loading it takes several milliseconds, and most machines have `/proc`.
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

/** The environment that a process of ours was started with; empty where it cannot be read. */
export function environmentOf(pid: number): Readonly<Record<string, string>> {
  const entries = wordsAt(`/proc/${pid}/environ`);
  return Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s, 2) as [string, string]));
}

/** The command line of a process, word by word; empty where it cannot be read. */
export function argumentsOf(pid: number): string[] {
  return wordsAt(`/proc/${pid}/cmdline`).slice(0, -1);
}

function wordsAt(file: string): string[] {
  return attempt(() => readFileSync(file, 'utf8').split('\0')) ?? [];
}
