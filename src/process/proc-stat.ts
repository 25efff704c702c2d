import { readFileSync } from 'node:fs';

/** What the kernel says of a process, where it says so in files. */
export interface ProcStat {
  /** The program's name, cut to 15 bytes. */
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly start: string;
}

/** `undefined` for a process that is not there, and on systems without `/proc`. */
export function readProcStat(pid: number): ProcStat | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The name stands in parentheses and may hold any character, so fields are counted from the last one. */
export function parseProcStat(line: string): ProcStat | undefined {
  const end = line.lastIndexOf(')');
  const fields = line.slice(end + 2).split(' ');
  const state = fields[0];
  const start = fields[19];
  if (end < 0 || state === undefined || start === undefined) return undefined;
  return { name: line.slice(line.indexOf('(') + 1, end), state, parent: Number(fields[1]), start };
}
