import type { ExecutionState } from '../execution-state';
import type { CurrentLogs } from './log-files';

/** Which run this is: its number in file names, and which attempt of how many. */
export interface Attempt {
  readonly number: number;
  readonly attempt: number;
  readonly most: number;
}

/**
 * The attempts are counted in the state, where only runs that executed gates are; a state of the older
 * program has no count, so there the files tell. The number is one that no file has.
 */
export function nextAttempt(
  state: ExecutionState | undefined,
  logs: CurrentLogs,
  maxRetries: number,
): Attempt {
  const before = state === undefined ? 0 : (state.run ?? logs.highestOfGates);
  return { number: Math.max(before, logs.highest) + 1, attempt: before + 1, most: maxRetries + 1 };
}

export function isBeyondLimit({ attempt, most }: Attempt): boolean {
  return attempt > most;
}

export function isLast({ attempt, most }: Attempt): boolean {
  return attempt === most;
}

/**
 * Whether a session that has used up its attempts is over: the user has spoken since, and what is to be
 * checked is no longer what it was. Within the same turn only `clean` ends it.
 */
export function mayStartAnew(
  state: ExecutionState,
  now: { readonly turn?: string | undefined; readonly tree: string; readonly commit: string },
): boolean {
  if (now.turn === undefined || now.turn === state.turn) return false;
  return now.tree !== state.working_tree_ref || now.commit !== state.commit;
}
