import { Script } from 'node:vm';

/** Thrown where the work took longer than allowed. */
export class DeadlinePassed extends Error {
  readonly failure = { code: 'deadline.passed', ms: WATCHDOG_MS } as const;
}

export type Watchdog = <T>(work: () => T) => T;

const WATCHDOG_MS = 5000;

/**
 * Ends work that takes too long, even in the middle of a regular expression that never comes back: no timer could
 * fire there, but V8's own watchdog can. Nothing inside runs after that, not even `finally`, so locks are released
 * outside. What follows an `await` inside is not watched. The time is for all calls together.
 */
export function newWatchdog(leftMs = WATCHDOG_MS): Watchdog {
  let left = leftMs;
  return <T>(work: () => T): T => {
    const slot = globalThis as { holdpointWork?: () => T };
    const begun = Date.now();
    slot.holdpointWork = work;
    try {
      return new Script('holdpointWork()').runInThisContext({ timeout: Math.max(1, left) }) as T;
    } catch (error) {
      const isTimeout =
        error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
      throw isTimeout ? new DeadlinePassed() : error;
    } finally {
      delete slot.holdpointWork;
      left -= Date.now() - begun;
    }
  };
}
