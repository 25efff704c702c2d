import { isJsonObject, type Json, type JsonObject, listIn } from '../../core/json';
import { stampOf, timeIn } from './state';

export interface FrameAsk {
  /** Unlike any other frame's; the first frame's is also the run's. */
  readonly id: string;
  readonly mode: 'loop' | 'issue' | 'grind';
  readonly max: number;
  readonly issue?: string;
  readonly worktree?: string;
  readonly branch?: string;
  readonly promptFile?: string;
  readonly includePrompt: boolean;
  readonly verify?: string;
  readonly seconds?: number;
  readonly tokens?: number;
}

/** A frame as `loop start` writes it. Only a frame with our mark as its origin is ended for making no progress. */
export function newFrame(ask: FrameAsk, now: number): JsonObject {
  const { seconds, tokens } = ask;
  const bounded = seconds !== undefined || tokens !== undefined;
  return {
    id: ask.id,
    mode: ask.mode,
    iter: 1,
    max: ask.max,
    started_at: stampOf(now),
    issue_id: ask.issue,
    worktree_path: ask.worktree,
    branch: ask.branch,
    prompt_file: ask.promptFile,
    include_prompt: ask.includePrompt || undefined,
    verify: ask.verify,
    on_child_done: ask.mode === 'grind' ? 'resume' : undefined,
    budget: bounded ? { seconds, tokens } : undefined,
    origin: 'holdpoint',
  };
}

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

/** The same run with one loop more inside it, which comes to its end first. */
export function pushedState(envelope: JsonObject, frame: JsonObject, now: number): JsonObject {
  return { ...envelope, updated_at: stampOf(now), stack: [...listIn(envelope, 'stack'), frame] };
}

/** The same run, of which the last loop goes on at once when one inside it ends. */
export function resumingState(envelope: JsonObject): JsonObject {
  const stack = listIn(envelope, 'stack');
  const outer = stack.at(-1);
  return isJsonObject(outer)
    ? { ...envelope, stack: stack.with(-1, { ...outer, on_child_done: 'resume' }) }
    : envelope;
}

/** The run ended by a person, or gone over to another session. */
export function abortedState(
  envelope: JsonObject,
  reason: 'USER_CANCELLED' | 'RESUMED_ELSEWHERE',
  now: number,
): JsonObject {
  const { paused: _, archived_stack: __, ...rest } = envelope;
  return { schema: 1, ...rest, event: 'ABORT', reason, updated_at: stampOf(now), stack: [] };
}

/** The run paused: turns end, and nothing is counted. */
export function pausedState(envelope: JsonObject, reason: string, now: number): JsonObject {
  const stamp = stampOf(now);
  return { ...envelope, updated_at: stamp, paused: { at: stamp, reason } };
}

/**
 * The run continued by a session, from a pause or from the stack that was kept when it ended. The time
 * in between is not charged, and the progress check starts over.
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
