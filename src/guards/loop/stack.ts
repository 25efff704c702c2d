import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { isExhausted } from './bounds';
import { type Frame, frameOf } from './frame';
import type { AbortReason, EndReason, LoopState, Phase } from './state';
import { stampOf } from './times';

/** What becomes of a loop at one stop. */
export interface Transition {
  readonly to: Phase;
  /** The state to write; absent where nothing changes. */
  readonly next?: JsonObject;
  /** The frame to go on with, counted already: the stop is refused. Absent: it passes. */
  readonly goOn?: Frame;
  readonly reason?: EndReason | AbortReason;
  /** What is odd about the state, for people. */
  readonly warning?: string;
  /** It would have gone on, but the host would have ended the turn by itself. */
  readonly capped?: boolean;
}

export interface Circumstances {
  readonly now: number;
  readonly defaultMax: number;
}

/** The state with the given fields set. What was read stays as it was and where it was. */
export function stateWith(envelope: JsonObject, now: number, fields: JsonObject): JsonObject {
  const schema = envelope['schema'] ?? 1;
  return { ...envelope, schema, ...fields, updated_at: stampOf(now) };
}

/** A loop that is over. Its run, its session and its reason stay readable. */
export function ended(
  state: LoopState,
  now: number,
  event: 'DONE' | 'ABORT',
  reason: EndReason | AbortReason,
): JsonObject {
  const { last_signal: _, paused: __, ...envelope } = state.envelope;
  return stateWith(envelope, now, { event, reason, stack: [] });
}

/** The frame at its next iteration, with what is new in it. A bound that was only assumed is written down. */
export function advanced({ raw, mode, iter: last, max }: Frame, news: JsonObject = raw): Frame {
  const iter = last + 1;
  return { raw: { ...news, iter, max: news['max'] ?? max }, mode, iter, max };
}

/**
 * Takes the last frame off. One around it goes on at once if it says `resume`; else a signal leaves it
 * armed for the next turn, and a bound ends the whole loop.
 */
export function finished(
  state: LoopState,
  stack: readonly Json[],
  how: { readonly by: 'signal' | 'bound'; readonly reason: EndReason; readonly consumed?: JsonObject },
  circumstances: Circumstances,
): Transition {
  const { now, defaultMax } = circumstances;
  const { by, reason } = how;
  const to = by === 'signal' ? 'COMPLETING' : 'STUCK';
  const rest = stack.slice(0, -1);
  const outer = rest.at(-1);
  const resumes = isJsonObject(outer) && outer['on_child_done'] === 'resume';
  if (outer === undefined || (by === 'bound' && !resumes)) {
    return { to, reason, next: ended(state, now, 'DONE', reason) };
  }
  const armed = (frames: readonly Json[]): JsonObject =>
    stateWith(state.envelope, now, {
      event: 'STATE',
      stack: frames,
      ...(how.consumed && { last_signal: how.consumed }),
    });
  if (!resumes) return { to, reason, next: armed(rest) };
  const frame = frameOf(outer, defaultMax);
  if (frame === undefined) return corrupted(state, now);
  if (isExhausted(frame))
    return finished(state, rest, { by: 'bound', reason: 'MAX_ITERATIONS' }, circumstances);
  const goOn = advanced(frame);
  return { to, reason, goOn, next: armed([...rest.slice(0, -1), goOn.raw]) };
}

/** A state whose counts are no counts: what it would lead to nobody could tell. */
export function corrupted(state: LoopState, now: number): Transition {
  return {
    to: 'ABORTED',
    reason: 'CORRUPT',
    next: ended(state, now, 'ABORT', 'CORRUPT'),
    warning: 'the count of its current frame is no whole number that is not negative, so it was aborted',
  };
}
