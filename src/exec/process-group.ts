import { hasLivingMember } from './processes';

/** How long a group that was asked to end may take to clean up. */
const GRACE_MS = 500;
const FIRST_CHECK_MS = 4;

/** SIGTERM, then SIGKILL. A process that left the group for a session of its own is out of reach. */
export async function endGroup(group: number): Promise<void> {
  if (!signalGroup(group, 'SIGTERM')) return;
  const deadline = steadyMs() + GRACE_MS;
  for (let wait = FIRST_CHECK_MS; steadyMs() < deadline; wait *= 2) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, deadline - steadyMs())));
    if (!signalGroup(group, 0) || hasLivingMember(group) === false) break;
  }
  // Even if none was seen: a process that was forked while we looked would be left.
  signalGroup(group, 'SIGKILL');
}

/** Sends a signal to a whole group; false if there is no such group. */
export function signalGroup(group: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    // A group that we may not signal exists all the same.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Milliseconds of a clock that never goes back. Loading `performance` would take longer than most checks. */
export function steadyMs(): number {
  return process.uptime() * 1000;
}

/** Longer timers would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits for something that may never come, but at most this long; `undefined` if it did not come. */
export async function waitAtMost<T>(ms: number, awaited: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, MAX_TIMER_MS), undefined);
  });
  const first = await Promise.race([awaited, late]);
  clearTimeout(timer);
  return first;
}

/** The signals that end us, and the exit code by which a shell knows them. */
const EXIT_CODES: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

const runs = new Set<() => void>();
let received: NodeJS.Signals | undefined;

/** Whether a signal has come that ends us: then nothing new is started. */
export function isInterrupted(): boolean {
  return received !== undefined;
}

/**
 * While anything runs, a signal that would end us ends that first: `interrupt` is called, and we exit once every run
 * has left. A second signal does not wait; then the guardian ends what is left.
 */
export function enlist(interrupt: () => void): () => void {
  if (runs.size === 0) for (const signal of Object.keys(EXIT_CODES)) process.on(signal, onSignal);
  runs.add(interrupt);
  return () => {
    runs.delete(interrupt);
    if (runs.size > 0) return;
    const signal = received;
    // Whoever awaits the last run may still clean up.
    if (signal !== undefined) setImmediate(() => process.exit(EXIT_CODES[signal]));
    else for (const name of Object.keys(EXIT_CODES)) process.off(name, onSignal);
  };
}

function onSignal(signal: NodeJS.Signals): void {
  if (received !== undefined) process.exit(EXIT_CODES[signal]);
  received = signal;
  for (const interrupt of runs) interrupt();
}
