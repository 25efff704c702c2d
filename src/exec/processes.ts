import { readdirSync, readFileSync } from 'node:fs';
import { attempt, errorCode } from '../core/failure';
import type { HostProcess } from '../core/guard';

/** The parsed fields of Linux's `/proc/PID/stat`. */
export type ProcStat = NonNullable<ReturnType<typeof parseProcStat>>;

/** `undefined` for a process that does not exist, and on systems without `/proc`. */
export function readProcStat(pid: number | string): ProcStat | undefined {
  return attempt(() => parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8')));
}

/** The process name may contain anything, even ")", so fields are counted from the last parenthesis. */
export function parseProcStat(line: string) {
  const end = line.lastIndexOf(')');
  const fields = line.slice(end + 2).split(' ');
  const [state, parent, group, session, terminal] = fields;
  const start = fields[19];
  if (end < 0 || state === undefined || start === undefined) return undefined;
  // The kernel truncates the name to 15 bytes.
  const name = line.slice(line.indexOf('(') + 1, end);
  return {
    name,
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    terminal: Number(terminal),
    start,
  };
}

/** A zombie has ended, though its parent has not reaped it yet. */
function hasEnded({ state }: ProcStat): boolean {
  return state === 'Z' || state === 'X';
}

/** Whether a process is running. With `start`, only a process with that start time counts, since pids are reused. */
export function processState(pid: number, start?: string): 'alive' | 'dead' {
  if (!canSignal(pid)) return 'dead';
  const stat = readProcStat(pid);
  if (stat === undefined) return 'alive';
  return hasEnded(stat) || (start !== undefined && start !== stat.start) ? 'dead' : 'alive';
}

/** Rejects pids of zero or below, which `kill` would take for a process group. */
function canSignal(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** The kernel's start time of a process; only good for comparing. */
export function processStart(pid: number): string | undefined {
  return readProcStat(pid)?.start;
}

/** Length of a clock tick: 1/100 s on every Linux that Node runs on. */
const TICK_MS = 10;

/** Start time of a process in milliseconds since the epoch, rounded up, never too early. `exec` does not change it. */
export function processStartTime(pid: number): number | undefined {
  const ticks = Number(readProcStat(pid)?.start);
  const up = attempt(() => readFileSync('/proc/uptime', 'utf8').split(' ', 1)[0]);
  // `Date.now()` is read last: a delay after reading the uptime may only make the result later.
  const began = Date.now() - Number(up) * 1000 + (ticks + 1) * TICK_MS;
  return Number.isFinite(began) ? began : undefined;
}

/**
 * Whether any process of the group is alive; `undefined` without `/proc`. Zombies count as dead, unlike with signals.
 */
export function hasLivingMember(group: number): boolean | undefined {
  const pids = attempt(() => readdirSync('/proc'))?.filter((name) => /^\d+$/.test(name)) ?? [];
  if (pids.length === 0) return undefined;
  return pids.some((pid) => {
    const stat = readProcStat(pid);
    return stat?.group === group && !hasEnded(stat);
  });
}

/** Shells and wrappers that may run between a host and its hook. */
const WRAPPERS = ['sh', 'dash', 'bash', 'zsh', 'fish', 'ksh', 'busybox', 'env', 'timeout'];
const MAX_WRAPPERS = 8;

/** The process of the calling session: `CLAUDE_PID`, else the first ancestor that is not a wrapper, else our parent. */
export function findHostProcess(env: NodeJS.Dict<string>, ppid: number): HostProcess {
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
  for (let step = 0; step < MAX_WRAPPERS; step++) {
    const stat = readProcStat(pid);
    if (stat === undefined) return undefined;
    if (!WRAPPERS.includes(stat.name)) return pid;
    pid = stat.parent;
  }
  return undefined;
}
