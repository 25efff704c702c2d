import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { GUARDIAN_SCRIPT, RUN_MARK } from './guardian-script';
import { signalGroup } from './process-group';

/** A program that is about to be started. */
export interface Announced {
  /** To be put into its environment. */
  readonly mark: string;
  /** Its group runs; what is returned is to be called once the group has ended. */
  begun(group: number): () => void;
  /** It could not be started. */
  failed(): void;
}

const watched = new Set<number>();
/** Our end of the guardian's input. */
let guardian: Socket | undefined;
let announced = 0;

/**
 * From now on, what is started is killed when this process ends without having let go of it, even by
 * SIGKILL. One small shell sees to that for all groups; it is started with the first and ends with us.
 */
export function announceGroup(): Announced {
  if (guardian === undefined) startGuardian();
  announced += 1;
  // The last sign keeps one mark from being the beginning of another.
  const mark = `${process.pid}.${Date.now().toString(36)}.${announced}.`;
  tell(`? ${mark}\n`);
  return {
    mark,
    begun: watchGroup,
    failed: () => tell('! -\n'),
  };
}

function watchGroup(group: number): () => void {
  watched.add(group);
  tell(`+ ${group}\n`);
  return () => {
    watched.delete(group);
    tell(`- ${group}\n`);
  };
}

function tell(lines: string): void {
  if (lines !== '') guardian?.write(lines);
}

/** What a shell is to do. Its arguments reach the script as `$1` and so on; whatever it complains of is lost. */
export interface ShellWork {
  readonly script: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An open file that takes what it prints. */
  readonly output: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Has a shell do something, and tells whether it came to its end. If there is no guardian yet, a fork of
 * that shell becomes one: to start a process is what costs most here.
 */
export function workThenGuard(work: ShellWork): Promise<boolean> {
  const { script, args, cwd, env, output, signal } = work;
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    try {
      const stays = guardian === undefined;
      const child = spawn('/bin/sh', ['-c', stays ? script + STAY : script, 'sh', ...args], {
        cwd,
        env: { ...env, [RUN_MARK]: undefined },
        // Node closes a child's standard input when it has ended, but leaves other pipes alone.
        stdio: ['ignore', output, 'ignore', stays ? 'pipe' : 'ignore'],
        detached: true,
      });
      const cancel = (): void => {
        if (child.pid !== undefined) signalGroup(child.pid, 'SIGTERM');
      };
      const end = (code: number | null): void => {
        signal?.removeEventListener('abort', cancel);
        resolve(code === 0);
      };
      signal?.addEventListener('abort', cancel);
      child.on('error', () => end(null));
      child.on('exit', end);
      if (stays) adopt(child.stdio[3] as Socket);
    } catch {
      resolve(false);
    }
  });
}

/** What stays must hold neither a mount nor a file of anybody's. */
const STAY = `
cd /
PATH=/usr/bin:/bin
{
${GUARDIAN_SCRIPT}
} <&3 >/dev/null &`;

/**
 * A session of its own keeps it out of what hits our group; its working directory holds no mount,
 * its closed streams hold up nobody who reads ours to their end.
 */
function startGuardian(): void {
  const child = spawn('/bin/sh', ['-c', GUARDIAN_SCRIPT], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.on('error', () => undefined);
  child.unref();
  adopt(child.stdin as Socket);
}

/** It need not be waited for, and where it is gone another one is started with the next program. */
function adopt(line: Socket): void {
  const gone = (): void => {
    if (guardian === line) guardian = undefined;
  };
  line.on('error', gone);
  line.on('close', gone);
  line.unref();
  guardian = line;
  tell([...watched].map((group) => `+ ${group}\n`).join(''));
}
