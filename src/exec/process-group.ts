import { errorCode } from '../core/failure';
import { hasLivingMember, monotonicMs } from './processes';

/** How long a group may take to clean up after SIGTERM. */
const GRACE_MS = 500;
const FIRST_CHECK_MS = 4;

/** Sends SIGTERM, then SIGKILL. A process that left the group for a session of its own is not reached. */
export async function endGroup(group: number): Promise<void> {
  if (!signalGroup(group, 'SIGTERM')) return;
  const deadline = monotonicMs() + GRACE_MS;
  for (let wait = FIRST_CHECK_MS; monotonicMs() < deadline; wait *= 2) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, deadline - monotonicMs())));
    if (!signalGroup(group, 0) || hasLivingMember(group) === false) break;
  }
  // Even if no living process was seen: one may have been forked while we looked.
  signalGroup(group, 'SIGKILL');
}

/** Sends a signal to a whole process group; false if the group does not exist. */
export function signalGroup(group: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    // EPERM means that the group exists, though we may not signal it.
    return errorCode(error) === 'EPERM';
  }
}

/** Node fires longer timers at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits at most this long for a promise that may never settle; `undefined` on timeout. */
export async function waitAtMost<T>(ms: number, awaited: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, MAX_TIMER_MS), undefined);
  });
  const first = await Promise.race([awaited, late]);
  clearTimeout(timer);
  return first;
}

/** The signals that end us, with the exit codes a shell gives for them. */
const EXIT_CODES: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

const runs = new Set<() => void>();
let received: NodeJS.Signals | undefined;

/** Whether we received a signal that ends us; then nothing new is started. */
export function isInterrupted(): boolean {
  return received !== undefined;
}

/**
 * Registers a run, so that a signal that would end us first calls its `interrupt`; we exit once every run has been
 * unregistered by the returned function. A second signal exits at once; the guardian then kills what is left.
 *
 * A signal that somebody else listens to does not end us: the server answers what it can, and leaves the rest to its
 * clients.
 */
export function registerRun(interrupt: () => void): () => void {
  if (runs.size === 0)
    for (const signal of Object.keys(EXIT_CODES))
      if (process.listenerCount(signal) === 0) process.on(signal, onSignal);
  runs.add(interrupt);
  return () => {
    runs.delete(interrupt);
    if (runs.size > 0) return;
    const signal = received;
    // The caller that awaits the last run may still clean up.
    if (signal !== undefined) setImmediate(() => process.exit(EXIT_CODES[signal]));
    else for (const name of Object.keys(EXIT_CODES)) process.off(name, onSignal);
  };
}

function onSignal(signal: NodeJS.Signals): void {
  if (received !== undefined) process.exit(EXIT_CODES[signal]);
  received = signal;
  for (const interrupt of runs) interrupt();
}
