import { readdirSync, readFileSync } from 'node:fs';
import type { HostProcess } from '../core/guard';
import { attempt } from './attempt';

/** What Linux tells about a process in `/proc/PID/stat`. */
export type ProcStat = NonNullable<ReturnType<typeof parseProcStat>>;

/** `undefined` for a process that does not exist, and on systems without `/proc`. */
export function readProcStat(pid: number | string): ProcStat | undefined {
  return attempt(() => parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8')));
}

/** The name is in parentheses and may hold any character, so fields are counted from the last one. */
export function parseProcStat(line: string) {
  const end = line.lastIndexOf(')');
  const fields = line.slice(end + 2).split(' ');
  const [state, parent, group, session, terminal] = fields;
  const start = fields[19];
  if (end < 0 || state === undefined || start === undefined) return undefined;
  // Cut to 15 bytes by the kernel.
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

/** A zombie has ended, though its parent has not collected it yet. */
function hasEnded({ state }: ProcStat): boolean {
  return state === 'Z' || state === 'X';
}

/** Whether a process runs. With `start`, only the process that began then counts: pids are reused. */
export function processState(pid: number, start?: string): 'alive' | 'dead' {
  if (!canSignal(pid)) return 'dead';
  const stat = readProcStat(pid);
  if (stat === undefined) return 'alive';
  return hasEnded(stat) || (start !== undefined && start !== stat.start) ? 'dead' : 'alive';
}

/** A pid of zero or below would mean a whole process group. */
function canSignal(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** When a process began, in the kernel's own terms; only good for comparing. */
export function processStart(pid: number): string | undefined {
  return readProcStat(pid)?.start;
}

/** The kernel counts in hundredths of a second, everywhere that Node runs. */
const TICK_MS = 10;

/** In milliseconds since the epoch, never too early. A shell that replaced itself is still the same process. */
export function beganAt(pid: number): number | undefined {
  const ticks = Number(readProcStat(pid)?.start);
  const up = attempt(() => readFileSync('/proc/uptime', 'utf8').split(' ', 1)[0]);
  // The clock comes last: time that passes in between must not make the beginning earlier.
  const began = Date.now() - Number(up) * 1000 + (ticks + 1) * TICK_MS;
  return Number.isFinite(began) ? began : undefined;
}

/** Whether a process of the group still runs; `undefined` without `/proc`. Signals cannot tell: zombies get them too. */
export function hasLivingMember(group: number): boolean | undefined {
  const pids = attempt(() => readdirSync('/proc'))?.filter((name) => /^\d+$/.test(name)) ?? [];
  if (pids.length === 0) return undefined;
  return pids.some((pid) => {
    const stat = readProcStat(pid);
    return stat?.group === group && !hasEnded(stat);
  });
}

/** Programs that only stand between a host and its hook. */
const GO_BETWEENS = ['sh', 'dash', 'bash', 'zsh', 'fish', 'ksh', 'busybox', 'env', 'timeout'];
const MAX_GO_BETWEENS = 8;

/** The process of the calling session: the one in `CLAUDE_PID`, the first ancestor that is no shell, or our parent. */
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
  for (let step = 0; step < MAX_GO_BETWEENS; step++) {
    const stat = readProcStat(pid);
    if (stat === undefined) return undefined;
    if (!GO_BETWEENS.includes(stat.name)) return pid;
    pid = stat.parent;
  }
  return undefined;
}
