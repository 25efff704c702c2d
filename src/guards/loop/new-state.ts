import { isJsonObject, type Json, type JsonObject, listIn } from '../../core/json';
import { type Ending, stampOf, timeIn } from './state';

export function startedState(frame: JsonObject, sessionId: string, now: number): JsonObject {
  const stamp = stampOf(now);
  return {
    schema: 1,
    event: 'STATE',
    run_id: frame['id'],
    session_id: sessionId,
    started_at: stamp,
    updated_at: stamp,
    stack: [frame],
  };
}

/** The same run with a nested loop, which has to end first. */
export function pushedState(envelope: JsonObject, frame: JsonObject, now: number): JsonObject {
  return { ...envelope, updated_at: stampOf(now), stack: [...listIn(envelope, 'stack'), frame] };
}

/** The same run, whose current loop continues at once when a loop nested in it ends. */
export function resumingState(envelope: JsonObject): JsonObject {
  const stack = listIn(envelope, 'stack');
  const outer = stack.at(-1);
  return isJsonObject(outer)
    ? { ...envelope, stack: stack.with(-1, { ...outer, on_child_done: 'resume' }) }
    : envelope;
}

/** The run after its end. Its id, session and reason stay readable. */
export function endedState(
  envelope: JsonObject,
  event: 'DONE' | 'ABORT',
  reason: Ending | 'RESUMED_ELSEWHERE',
  now: number,
): JsonObject {
  const { last_signal: _, paused: __, archived_stack: ___, ...rest } = envelope;
  return { schema: 1, ...rest, event, reason, updated_at: stampOf(now), stack: [] };
}

/** The paused run: turns may end, and no iteration is counted. */
export function pausedState(envelope: JsonObject, reason: string, now: number): JsonObject {
  const stamp = stampOf(now);
  return { ...envelope, updated_at: stamp, paused: { at: stamp, reason } };
}

/**
 * The run resumed by a session, from a pause or from the stack that was archived when it ended. The time in between
 * is not charged, and the progress check starts over.
 */
export function resumedState(envelope: JsonObject, sessionId: string, now: number): JsonObject {
  const { paused, reason: _, archived_stack: __, ...rest } = envelope;
  const away = Math.max(0, now - (timeIn(paused, 'at') ?? timeIn(envelope, 'updated_at') ?? now));
  const stack = listIn(envelope, 'stack');
  return {
    schema: 1,
    ...rest,
    event: 'STATE',
    session_id: sessionId,
    updated_at: stampOf(now),
    stack: (stack.length > 0 ? stack : listIn(envelope, 'archived_stack')).map((frame) =>
      refreshed(frame, away),
    ),
  };
}

function refreshed(frame: Json, away: number): Json {
  if (!isJsonObject(frame)) return frame;
  const { progress: _, ...rest } = frame;
  const began = timeIn(frame, 'started_at');
  return began === undefined ? rest : { ...rest, started_at: stampOf(began + away) };
}
