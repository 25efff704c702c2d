import { readFileSync } from 'node:fs';

/** What the kernel says of a process, where it says so in files. */
export interface ProcStat {
  /** The program's name, cut to 15 bytes. */
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly start: string;
}

/** The place of the start behind the name. */
const START_AT = 19;

/** `undefined` for a process that is not there, and on systems without `/proc`. */
export function readProcStat(pid: number): ProcStat | undefined {
  const line = procStatLine(pid);
  return line === undefined ? undefined : parseProcStat(line);
}

export function procStatLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
}

/** When the process of such a line began. Most who ask want to know nothing else. */
export function startIn(line: string): string | undefined {
  const end = line.lastIndexOf(')');
  return end < 0 ? undefined : line.slice(end + 2).split(' ')[START_AT];
}

/** The name stands in parentheses and may hold any character, so fields are counted from the last one. */
export function parseProcStat(line: string): ProcStat | undefined {
  const end = line.lastIndexOf(')');
  const fields = line.slice(end + 2).split(' ');
  const state = fields[0];
  const start = fields[START_AT];
  if (end < 0 || state === undefined || start === undefined) return undefined;
  return { name: line.slice(line.indexOf('(') + 1, end), state, parent: Number(fields[1]), start };
}
