import { readdirSync, readFileSync } from 'node:fs';

const ENDED = ['Z', 'X'];

/**
 * Whether a process of the group has not ended yet, where the kernel says so in files. Signals cannot
 * tell: they reach those as well that have ended and that nobody has looked at, for as long as that takes.
 */
export function hasLivingMember(group: number): boolean | undefined {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.length === 0 ? undefined : pids.some((pid) => isLivingMember(pid, group));
  } catch {
    return undefined;
  }
}

function isLivingMember(pid: string, group: number): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', , ofGroup] = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return Number(ofGroup) === group && !ENDED.includes(state);
  } catch {
    return false;
  }
}
