import type { EventOf } from '../../core/event';
import { outcome, type Step } from '../../core/old-guard';
import type { Snapshot } from '../../core/snapshot';
import { NOTHING } from '../../core/verdict';
import { findLoop } from './find-loop';
import { keepState } from './keep';
import { lifeOf, silence } from './live';
import { pausedState } from './new-state';
import { isLive } from './state';

/**
 * The turn failed, so the agent stands still while its loop would still count as running. It is paused; one
 * that belongs to nobody only if this session was the one that drove it.
 */
export function atError(event: EventOf<'turn.error'>, snapshot: Snapshot): Step {
  const found = event.agent === undefined ? findLoop(event, snapshot) : { kind: 'none' as const };
  if (found.kind !== 'loop' || !isLive(found.state) || found.state.paused !== undefined)
    return outcome(NOTHING);
  const { state, place } = found;
  const isDriven = state.sessionId !== undefined || lifeOf(snapshot, event.sessionId) !== undefined;
  if (!isDriven) return outcome(NOTHING);
  const next = pausedState(state.envelope, event.error || 'error', snapshot.now);
  return outcome(NOTHING, [keepState(place, next, 'loop paused'), silence(event.sessionId)]);
}
