import { Script } from 'node:vm';
import { type Failure, fail, type Result, succeed } from './failure';

/**
 * Runs a piece of work and ends it when the deadline passes, even in the middle of a regular
 * expression that never comes back: no timer could fire there, but V8's own watchdog can.
 * Nothing inside runs after that, not even `finally`, so callers release what they hold.
 */
export function withinDeadline<T>(ms: number, work: () => T): Result<T> {
  const slot = globalThis as { holdpointWork?: () => void };
  let value: Result<T> = fail<Failure>({ code: 'deadline.passed', ms });
  slot.holdpointWork = () => {
    value = succeed(work());
  };
  try {
    new Script('holdpointWork()').runInThisContext({ timeout: ms });
  } catch (error) {
    if (!isTimeout(error)) throw error;
  } finally {
    delete slot.holdpointWork;
  }
  return value;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
