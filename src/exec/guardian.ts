import type { CancelSignal } from './cancel-signal';
import type { Child, ChildPipe, StartProgram } from './child';
import { GUARDIAN_SCRIPT, RUN_MARK } from './guardian-script';
import { signalGroup } from './process-group';
import { startProgram } from './start-program';

/** A program that is about to be started. */
export interface Announced {
  /** To be put into its environment. */
  readonly mark: string;
  /** Its group runs; what is returned is to be called once the group has ended. */
  begun(group: number): () => void;
  /** It could not be started. */
  failed(): void;
}

interface Guardian {
  readonly child: Child;
  /** Our end of its input. */
  readonly line: ChildPipe;
}

const watched = new Set<number>();
let guardian: Guardian | undefined;
let announced = 0;
/** How many shells have not done yet what they were started for. */
let working = 0;

/**
 * From now on, what is started is killed when this process ends without having let go of it, even by
 * SIGKILL. One small shell sees to that for all groups; it is started with the first and ends with us.
 */
export function announceGroup(start: StartProgram): Announced {
  announced += 1;
  // The last sign keeps one mark from being the beginning of another.
  const mark = `${process.pid}.${Date.now().toString(36)}.${announced}.`;
  if (!tell(`? ${mark}\n`)) {
    startGuardian(start);
    tell(`? ${mark}\n`);
  }
  return {
    mark,
    begun: watchGroup,
    failed: () => void tell('! -\n'),
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

/** Whether there is a guardian that may hear it; one that is gone is forgotten. */
function tell(lines: string): boolean {
  if (guardian === undefined) return false;
  const hears = lines === '' || guardian.line.write(lines);
  if (!hears) guardian = undefined;
  return hears;
}

/** Sends the guardian home once nothing is left to watch, so that nothing of ours is there when we are gone. */
export async function dismissGuardian(): Promise<void> {
  if (guardian === undefined || watched.size + working > 0) return;
  const { child, line } = guardian;
  guardian = undefined;
  child.hold();
  signalGroup(child.pid, 'SIGKILL');
  line.close();
  await child.ended;
}

/** What a shell is to do. Its arguments reach the script as `$1` and so on; whatever it complains of is lost. */
export interface ShellWork {
  readonly script: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An open file that takes what it prints. */
  readonly output: number;
  readonly signal?: CancelSignal | undefined;
}

/**
 * Has a shell do something, and tells whether it came to its end. If there is no guardian yet, that shell becomes
 * one afterwards: to start a process is what costs most here.
 */
export async function workThenGuard(work: ShellWork, start: StartProgram = startProgram): Promise<boolean> {
  const { script, args, cwd, env, output, signal } = work;
  if (signal?.aborted) return false;
  const stays = guardian === undefined;
  const child = start({
    command: '/bin/sh',
    args: ['-c', stays ? script + STAY : script, 'sh', ...args],
    cwd,
    env: { ...env, [RUN_MARK]: undefined },
    streams: ['none', { file: output }, 'none', ...(stays ? ['pipe' as const] : [])],
  });
  if (child.kind === 'failed') return false;
  const cancel = (): void => void signalGroup(child.pid, 'SIGTERM');
  signal?.addEventListener('abort', cancel);
  working += 1;
  const done = stays ? await hasStayed(child) : await hasEndedWell(child);
  working -= 1;
  signal?.removeEventListener('abort', cancel);
  return done;
}

async function hasEndedWell({ ended }: Child): Promise<boolean> {
  const end = await ended;
  return end.kind === 'exited' && end.code === 0;
}

/** It says by a sign on its line that the work is done, and stays; or it ends. */
async function hasStayed(child: Child): Promise<boolean> {
  const line = child.pipes[LINE];
  if (line === undefined) return false;
  let stays = false;
  await new Promise<void>((resolve) => {
    adopt(child, line, () => {
      stays = true;
      resolve();
    });
    void child.ended.then(() => stays || resolve());
  });
  if (stays) letGo({ child, line });
  return stays;
}

/** The stream by which the shell that works hears of us later; Node closes a standard input together with its child. */
const LINE = 3;

/** What stays must hold neither a mount nor a file of anybody's. */
const STAY = `
trap '' HUP INT QUIT TERM
cd /
PATH=/usr/bin:/bin
echo >&${LINE}
exec <&${LINE} >/dev/null ${LINE}<&-
${GUARDIAN_SCRIPT}`;

/**
 * A session of its own keeps it out of what hits our group; its working directory holds no mount,
 * its closed streams hold up nobody who reads ours to their end.
 */
function startGuardian(start: StartProgram): void {
  const child = start({
    command: '/bin/sh',
    args: ['-c', GUARDIAN_SCRIPT],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    streams: ['pipe', 'none', 'none'],
  });
  const line = child.kind === 'started' ? child.pipes[0] : undefined;
  if (child.kind === 'failed' || line === undefined) return;
  adopt(child, line, () => undefined);
  letGo({ child, line });
}

/** It may be gone any time; then another one is started with the next program. */
function adopt(child: Child, line: ChildPipe, onSign: () => void): void {
  const adopted = { child, line };
  guardian = adopted;
  line.listen(onSign, () => {
    if (guardian === adopted) guardian = undefined;
  });
  tell([...watched].map((group) => `+ ${group}\n`).join(''));
}

/** It need not be waited for. */
function letGo({ child, line }: Guardian): void {
  child.letGo();
  line.unref();
}
