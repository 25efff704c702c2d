import { Script } from 'node:vm';
import { errorCode } from './failure';

export class DeadlinePassed extends Error {
  readonly failure = { code: 'deadline.passed', ms: WATCHDOG_MS } as const;
}

export type Watchdog = <T>(work: () => T) => T;

const WATCHDOG_MS = 5000;

let watchdogScript: Script | undefined;

/**
 * Ends work that takes too long, even inside a regular expression that never returns: no timer can fire
 * there, but V8's own watchdog can. Nothing inside runs after that, not even `finally`, so locks must be
 * released outside. Code after an `await` is not watched, and all calls share one time limit.
 */
export function newWatchdog(leftMs = WATCHDOG_MS): Watchdog {
  let left = leftMs;
  return <T>(work: () => T): T => {
    const slot = globalThis as { holdpointWork?: () => T };
    const begun = Date.now();
    slot.holdpointWork = work;
    try {
      watchdogScript ??= new Script('holdpointWork()');
      return watchdogScript.runInThisContext({ timeout: Math.max(1, left) }) as T;
    } catch (error) {
      throw errorCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? new DeadlinePassed() : error;
    } finally {
      delete slot.holdpointWork;
      left -= Date.now() - begun;
    }
  };
}
