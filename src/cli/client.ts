import { readdirSync, readlinkSync } from 'node:fs';
import { attempt } from '../core/failure';
import type { ClientFacts } from '../core/guard';
import { ancestry, argumentsOf } from '../exec/ancestry';
import { callerOf } from './caller';

/**
 * What is known about the client that called the hook. Loaded only when a person may be about to answer. Without
 * `/proc`, only the chain of parent processes tells who called us.
 */
export function clientFacts(pid: number, home: string, cwd: string): ClientFacts {
  const isKnown = linkOf('self', 0) !== undefined;
  return {
    args: argumentsOf(pid),
    isAttended: callerOf({ env: { HOME: home }, cwd }, pid).actor !== 'agent',
    isSender: isKnown ? isOtherEnd(pid) : ancestry(process.ppid).some((one) => one.pid === pid),
  };
}

function linkOf(pid: number | 'self', fd: number | string): string | undefined {
  return attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
}

/** A client creates a hook's pipes one after the other, stdin first, and each takes one or two inode numbers. */
const MOST_BETWEEN = 4;

/**
 * Whether the client holds the other end of our pipes. In a command that an agent runs, stdin was created after
 * stdout or does not belong to the client: it is a file, or a pipe from another command.
 */
function isOtherEnd(pid: number): boolean {
  const [input, output] = [0, 1].map((fd) => /^(pipe|socket):\[(\d+)\]$/.exec(linkOf('self', fd) ?? ''));
  const [, kind, number] = output ?? [];
  const between = Number(number) - Number(input?.[2]);
  if (kind === undefined || input?.[1] !== kind || !(between > 0 && between <= MOST_BETWEEN)) return false;
  // Both ends of a pipe have the same inode; the ends of a socket pair have consecutive ones.
  const ends = (kind === 'pipe' ? [0] : [-1, 1]).map((step) => `${kind}:[${Number(number) + step}]`);
  const open = attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return open.some((fd) => ends.includes(linkOf(pid, fd) ?? ''));
}
