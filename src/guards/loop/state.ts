import { isJsonObject, type Json, type JsonObject } from '../../core/json';

/** Where a loop can be. What is on disk is one of IDLE, ACTIVE and ABORTED; the others are passed through. */
export type Phase = 'IDLE' | 'ACTIVE' | 'COMPLETING' | 'STUCK' | 'ABORTED';

/** Why a loop, or a frame of it, came to its end. */
export type EndReason =
  | 'COMPLETE'
  | 'MAX_ITERATIONS'
  | 'STUCK'
  | 'NO_MORE_ISSUES'
  | 'MAX_ISSUES'
  | 'STALE'
  | 'NO_PROGRESS'
  | 'MAX_MINUTES'
  | 'MAX_TOKENS';

export type AbortReason = 'USER_CANCELLED' | 'CORRUPT';

/** A state as it was written, with what it means. Fields that nobody knows stay in the envelope. */
export interface LoopState {
  readonly envelope: JsonObject;
  readonly event: 'STATE' | 'DONE' | 'ABORT' | 'unknown';
  /** The last one is the current loop. */
  readonly stack: readonly Json[];
  /** Absent for a state that any session of the project drives. */
  readonly sessionId?: string | undefined;
  /** Why it rests, where it does. */
  readonly paused?: string | undefined;
  readonly disabled: boolean;
}

/** What the stored state is before anything happens. */
export function phaseOf(state: LoopState | undefined): 'IDLE' | 'ACTIVE' | 'ABORTED' {
  if (state === undefined || state.stack.length === 0) return 'IDLE';
  if (state.event === 'ABORT') return 'ABORTED';
  return state.event === 'STATE' ? 'ACTIVE' : 'IDLE';
}

/** Whether somebody waits for this loop to go on: it is active, or only rests. */
export function isLive(state: LoopState | undefined): state is LoopState {
  return phaseOf(state) === 'ACTIVE';
}

/** A pause may have been written as a mere flag, a reason, or an object with one. */
export function pauseIn(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (typeof value === 'string') return value;
  const reason = isJsonObject(value) ? value['reason'] : undefined;
  return typeof reason === 'string' ? reason : '';
}
