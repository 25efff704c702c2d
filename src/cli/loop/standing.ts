import type { Json } from '../../core/json';
import type { LoopConfig } from '../../guards/loop/config';
import { type Frame, frameOf, freshnessOf, isLive, type LoopState, ttlOf } from '../../guards/loop/state';

/** What a state amounts to now. */
export type Standing = 'active' | 'paused' | 'stale' | 'ended';

export interface Clock {
  readonly now: number;
  readonly heartbeat?: number;
}

export function standingOf(state: LoopState, { now, heartbeat }: Clock, config: LoopConfig): Standing {
  if (!isLive(state)) return 'ended';
  if (state.paused !== undefined) return 'paused';
  const ttl = ttlOf(topOf(state.stack, config), config);
  const fresh = freshnessOf(state, ttl, now, heartbeat);
  return fresh.kind === 'fresh' ? 'active' : 'stale';
}

/** The current loop of a stack; `undefined` where its counts are none. */
function topOf(stack: readonly Json[], { maxIterations }: LoopConfig): Frame | undefined {
  return frameOf(stack.at(-1), maxIterations);
}

/** The stack that was kept when a run ended before it was done. */
function archivedStack({ envelope }: LoopState): readonly Json[] {
  const archived = envelope['archived_stack'];
  return Array.isArray(archived) ? archived : [];
}

/** Whether `loop resume` could go on with it. */
export function isResumable(state: LoopState, standing: Standing): boolean {
  return (
    standing === 'paused' || standing === 'stale' || (standing === 'ended' && archivedStack(state).length > 0)
  );
}
