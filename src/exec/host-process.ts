import type { HostProcess } from '../core/snapshot';
import { processStart, processState } from './alive';
import { readProcStat } from './proc-stat';

/** Programs that only stand between a host and its hook. */
const GO_BETWEENS = ['sh', 'dash', 'bash', 'zsh', 'fish', 'ksh', 'busybox', 'env', 'timeout'];
const MOST_STEPS = 8;
/** More than any real line of processes; a loop in what the kernel says must not become one of ours. */
const MOST_ANCESTORS = 128;

/**
 * The process of the session that called us: the one the host names in `CLAUDE_PID`, else the first
 * ancestor that is no shell, else our parent.
 */
export function findHostProcess(
  env: Readonly<Record<string, string | undefined>>,
  ppid: number,
): HostProcess {
  const pid = namedPid(env['CLAUDE_PID']) ?? firstHost(ppid) ?? ppid;
  const start = processStart(pid);
  return start === undefined ? { pid } : { pid, start };
}

function namedPid(text: string | undefined): number | undefined {
  const pid = /^[1-9]\d*$/.test(text ?? '') ? Number(text) : 0;
  return processState(pid) === 'alive' ? pid : undefined;
}

function firstHost(ppid: number): number | undefined {
  let pid = ppid;
  for (let step = 0; step < MOST_STEPS; step++) {
    const stat = readProcStat(pid);
    if (stat === undefined) return undefined;
    if (!GO_BETWEENS.includes(stat.name)) return pid;
    pid = stat.parent;
  }
  return undefined;
}

/** A process, its parent, that one's parent and so on, as far up as can be read; without `/proc` only itself. */
export function ancestorsFrom(pid: number): number[] {
  const line: number[] = [];
  for (let at = pid; at > 0 && line.length < MOST_ANCESTORS; at = readProcStat(at)?.parent ?? 0)
    line.push(at);
  return line;
}
