import { type ChildProcess, spawn } from 'node:child_process';
import { GUARDIAN_SCRIPT } from './guardian-script';

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
let guardian: ChildProcess | undefined;
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
  guardian?.stdin?.write(lines);
}

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
  const gone = (): void => {
    if (guardian === child) guardian = undefined;
  };
  child.on('error', gone);
  child.on('exit', gone);
  child.stdin?.on('error', gone);
  child.unref();
  if (child.stdin && 'unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  guardian = child;
  tell([...watched].map((group) => `+ ${group}\n`).join(''));
}
