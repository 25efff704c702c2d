import { procStatLine, readProcStat, startIn } from './proc-stat';

/** States of a process that has ended, though its parent has not looked yet. */
const ENDED = ['Z', 'X'];

/**
 * Whether a process runs. With `start`, only the process that began then counts:
 * a number that the kernel has given to another since is dead.
 */
export function processState(pid: number, start?: string): 'alive' | 'dead' {
  if (!answersSignals(pid)) return 'dead';
  const stat = readProcStat(pid);
  if (stat === undefined) return 'alive';
  const ended = ENDED.includes(stat.state) || (start !== undefined && start !== stat.start);
  return ended ? 'dead' : 'alive';
}

/** When a process began, in the kernel's own terms; only fit to be compared. */
export function processStart(pid: number): string | undefined {
  const line = procStatLine(pid);
  return line === undefined ? undefined : startIn(line);
}

/** Zero and below would address whole groups of processes. */
function answersSignals(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
