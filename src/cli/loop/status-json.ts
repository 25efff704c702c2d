import type { JsonObject } from '../../core/json';
import type { Loop } from './loops';
import type { Standing } from './standing';

/** A state in the shape that scripts read; what it does not say is null. */
export function stateJson(envelope: JsonObject, standing: Standing): JsonObject {
  const { event, reason, run_id, session_id, updated_at, stack, paused } = envelope as Record<string, never>;
  return {
    active: standing === 'active',
    event: event ?? null,
    reason: reason ?? null,
    run_id: run_id ?? null,
    session_id: session_id ?? null,
    updated_at: updated_at ?? null,
    stack: stack ?? [],
    ...(standing === 'paused' && { paused: paused ?? true }),
    ...(standing === 'stale' && { stale: true }),
  };
}

/** The same for a loop, or for none at all. */
export function loopJson(loop: Loop | undefined): JsonObject {
  return loop === undefined ? stateJson({}, 'ended') : stateJson(loop.state.envelope, loop.standing);
}
