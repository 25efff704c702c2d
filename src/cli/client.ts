import { readdirSync, readlinkSync } from 'node:fs';
import type { ClientFacts } from '../core/guard';
import { ancestry, argumentsOf } from '../exec/ancestry';
import { attempt } from '../exec/attempt';
import { callerOf } from './caller';

/**
 * What can be told of the client that a hook was called by. Loaded only where a person may be about to answer. Without
 * `/proc` only the line of processes tells who called us.
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

/** A client makes the pipes of a hook one after the other, standard input first, each of one or two numbers. */
const MOST_BETWEEN = 4;

/**
 * Whether the client holds the other end of our pipes. What an agent's own command is given on standard input was made
 * after its standard output, or is none of the client's: a file, or a pipe to another command.
 */
function isOtherEnd(pid: number): boolean {
  const [input, output] = [0, 1].map((fd) => /^(pipe|socket):\[(\d+)\]$/.exec(linkOf('self', fd) ?? ''));
  const [, kind, number] = output ?? [];
  const between = Number(number) - Number(input?.[2]);
  if (kind === undefined || input?.[1] !== kind || !(between > 0 && between <= MOST_BETWEEN)) return false;
  // Both ends of a pipe have the same number; those of a pair of sockets follow each other.
  const ends = (kind === 'pipe' ? [0] : [-1, 1]).map((step) => `${kind}:[${Number(number) + step}]`);
  const open = attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return open.some((fd) => ends.includes(linkOf(pid, fd) ?? ''));
}
