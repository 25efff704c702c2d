import type { TranscriptFacts } from '../../core/guard';
import { isJsonObject, type Json, type JsonObject, numberIn, objectIn } from '../../core/json';
import { endedState, pausedState } from './new-state';
import { ENDED_AFTER, type LastMessage, type MessageSignals, markOf, type Progress } from './signals';
import {
  type Ending,
  type EndReason,
  type Frame,
  frameOf,
  freshnessOf,
  isOurs,
  type LoopState,
  type Phase,
  phaseOf,
  stampOf,
  timeIn,
  ttlOf,
} from './state';
import type { LoopStop } from './stop';

/** What was observed at a stop, besides the stored state. */
export interface Observed {
  readonly words: LastMessage;
  /** What the agent said; a signal in it is new, and the verify command did not refute it. */
  readonly heard: MessageSignals;
  /** Absent if progress is not checked. */
  readonly progress: Progress | undefined;
}

export interface Transition {
  readonly to: Phase;
  /** The state to write; absent if nothing changes. */
  readonly next?: JsonObject;
  /** The frame that continues, at its next iteration: the stop is held. If absent, the turn ends. */
  readonly goOn?: Frame;
  readonly reason?: Ending;
  /** What is wrong with the state, for people. */
  readonly warning?: string;
  /** The loop would have continued, but the host would have ended the turn by itself. */
  readonly capped?: boolean;
}

/** One step of a loop at the end of a turn. A stop is held only by a transition with `goOn`. */
export function transition(stop: LoopStop, observed: Observed): Transition {
  const { config, life, state, top } = stop;
  const { now } = stop.ctx;
  const phase = phaseOf(state);
  if (phase === 'IDLE') return { to: 'IDLE' };
  if (phase === 'ABORTED') return { to: 'ABORTED', next: stateWith(state.envelope, now, { stack: [] }) };
  if (state.disabled || state.paused !== undefined) return { to: 'ACTIVE' };
  const freshness = freshnessOf(state, ttlOf(top, config), now, life?.heartbeat);
  if (freshness.kind === 'stale') return staleEnd(state, freshness.why, observed.heard, now);
  if (top === undefined) return corrupted(state, now);
  return underCap(stop, top, step(stop, top, observed));
}

function step(stop: LoopStop, top: Frame, { words, heard: signals, progress }: Observed): Transition {
  const { event, state, transcript } = stop;
  const { now } = stop.ctx;
  if (signals.signal !== undefined) return finished(stop, state.stack, signals.signal, markOf(words, event));
  if (signals.pause !== undefined) {
    return { to: 'ACTIVE', next: pausedState(state.envelope, signals.pause, now) };
  }
  if (isExhausted(top)) return finished(stop, state.stack, 'MAX_ITERATIONS');
  const stack = chargeTokens(state.stack, transcript);
  const spent = spentIn(state.envelope, stack, now);
  if (spent !== undefined) return finished(stop, stack.slice(0, spent.index + 1), spent.reason);
  if (progress !== undefined && progress.streak >= ENDED_AFTER) return archived(state, 'NO_PROGRESS', now);
  const last = stack.at(-1) as JsonObject;
  const goOn = advanced(top, progress === undefined ? last : { ...last, progress });
  const fields = { event: 'STATE', stack: stack.with(-1, goOn.raw) };
  const next = stateWith(envelopeFor(state, words.source !== 'event'), now, fields);
  return { to: 'ACTIVE', goOn, next };
}

/**
 * The message that was acted on is remembered as long as it may be read again, which is impossible if the event
 * contained it. The key stays the last one.
 */
function envelopeFor({ envelope }: LoopState, mayRepeat: boolean): JsonObject {
  if (envelope['last_signal'] === undefined) return envelope;
  const { last_signal: last, ...rest } = envelope;
  return mayRepeat ? { ...rest, last_signal: last } : rest;
}

/** Ends a loop that is too old to continue. A signal of the session that owns it still counts. */
function staleEnd(state: LoopState, why: string, { signal }: MessageSignals, now: number): Transition {
  if (signal === undefined || state.sessionId === undefined) {
    return { ...archived(state, 'STALE', now), warning: `it ended as stale: ${why}` };
  }
  const outer = state.stack.slice(0, -1);
  const next = {
    ...endedState(state.envelope, 'DONE', signal, now),
    ...(outer.length > 0 && { archived_stack: outer }),
  };
  return { to: 'COMPLETING', reason: signal, next };
}

/** An end that can be undone: the frames are kept, for `loop resume`. */
function archived(state: LoopState, reason: EndReason, now: number): Transition {
  return {
    to: 'STUCK',
    reason,
    next: { ...endedState(state.envelope, 'DONE', reason, now), archived_stack: state.stack },
  };
}

/** Lets the turn end if the host would end it by itself. A frame that was finished stays finished. */
function underCap({ ctx, state }: LoopStop, top: Frame, step: Transition): Transition {
  const { now, refusedStops, stopLimit } = ctx;
  if (step.goOn === undefined || refusedStops.inRow < stopLimit) return step;
  if (step.to !== 'ACTIVE') {
    const { goOn: _, ...passed } = step;
    return { ...passed, capped: true };
  }
  return { ...(isOurs(top) ? archived(state, 'NO_PROGRESS', now) : { to: 'ACTIVE' }), capped: true };
}

/** Sets fields of the state. Everything else stays as it was, in the same order. */
function stateWith(envelope: JsonObject, now: number, fields: JsonObject): JsonObject {
  const schema = envelope['schema'] ?? 1;
  return { ...envelope, schema, ...fields, updated_at: stampOf(now) };
}

/** The frame at its next iteration, with the fields of `news`. A default `max` is written down. */
function advanced({ raw, mode, iter: last, max }: Frame, news: JsonObject = raw): Frame {
  const iter = last + 1;
  return { raw: { ...news, iter, max: news['max'] ?? max }, mode, iter, max };
}

/**
 * Removes the last frame, because of a signal (`mark` identifies its message) or a limit. The outer frame continues
 * at once if it says `resume`; otherwise a signal leaves it active for the next turn, and a limit ends the loop.
 */
function finished(
  stop: LoopStop,
  stack: readonly Json[],
  reason: EndReason,
  mark?: JsonObject,
  bySignal = mark !== undefined,
): Transition {
  const { state, config } = stop;
  const { now } = stop.ctx;
  const to = bySignal ? 'COMPLETING' : 'STUCK';
  const rest = stack.slice(0, -1);
  const outer = rest.at(-1);
  const resumes = isJsonObject(outer) && outer['on_child_done'] === 'resume';
  if (outer === undefined || !(bySignal || resumes)) {
    return { to, reason, next: endedState(state.envelope, 'DONE', reason, now) };
  }
  const armed = (frames: readonly Json[]): JsonObject =>
    stateWith(state.envelope, now, { event: 'STATE', stack: frames, ...(mark && { last_signal: mark }) });
  if (!resumes) return { to, reason, next: armed(rest) };
  const frame = frameOf(outer, config.maxIterations);
  if (frame === undefined) return corrupted(state, now);
  // Pass `mark` on: the signal was used, whichever frame continues.
  if (isExhausted(frame)) return finished(stop, rest, 'MAX_ITERATIONS', mark, false);
  const goOn = advanced(frame);
  return { to, reason, goOn, next: armed(rest.with(-1, goOn.raw)) };
}

/** A state whose counts are invalid cannot be continued. */
function corrupted(state: LoopState, now: number): Transition {
  return {
    to: 'ABORTED',
    reason: 'CORRUPT',
    next: endedState(state.envelope, 'ABORT', 'CORRUPT', now),
    warning: 'the iteration count of its current frame is not a whole number of 0 or more, so it was aborted',
  };
}

/** The limit for every loop, whatever its state says. */
const MOST_ITERATIONS = 1_000_000;

/** `max` counts all iterations, including the first. Zero does not mean unlimited. */
function isExhausted({ iter, max }: Frame): boolean {
  return iter >= Math.min(max, MOST_ITERATIONS);
}

/** The outermost frame that has used up its time or tokens: everything inside it ends too. */
function spentIn(envelope: JsonObject, stack: readonly Json[], now: number) {
  for (const [index, frame] of stack.entries()) {
    const [seconds, tokens] = [limitOf(frame, 'seconds'), limitOf(frame, 'tokens')];
    const begun = timeIn(frame, 'started_at') ?? timeIn(envelope, 'started_at') ?? Number.POSITIVE_INFINITY;
    if (seconds !== undefined && now - begun >= seconds * 1000)
      return { index, reason: 'MAX_MINUTES' as const };
    if (tokens !== undefined && tokensUsed(frame) >= tokens) return { index, reason: 'MAX_TOKENS' as const };
  }
  return undefined;
}

/** From where to count tokens in the transcript: since the last stop, and for a new frame since its start. */
export function tokensWanted({ envelope, stack }: Pick<LoopState, 'envelope' | 'stack'>, now: number) {
  const counting = stack.filter((frame) => limitOf(frame, 'tokens') !== undefined);
  const offsets = counting.flatMap((frame) => offsetOf(frame) ?? []);
  const starts = counting
    .filter((frame) => offsetOf(frame) === undefined)
    .map((frame) => timeIn(frame, 'started_at') ?? timeIn(envelope, 'started_at') ?? now);
  return {
    ...(offsets.length > 0 && { tokensFrom: Math.min(...offsets) }),
    ...(starts.length > 0 && { tokensSince: Math.min(...starts) }),
  };
}

/** Charges the frames with the tokens that were counted for them. */
export function chargeTokens(
  stack: readonly Json[],
  { tokens, newTokens }: TranscriptFacts,
): readonly Json[] {
  return stack.map((frame) => {
    const spent = offsetOf(frame) === undefined ? newTokens : tokens;
    if (spent === undefined || !isJsonObject(frame) || limitOf(frame, 'tokens') === undefined) return frame;
    const sum = tokensUsed(frame) + spent.used;
    return { ...frame, used: { ...objectIn(frame, 'used'), tokens: sum, transcript_offset: spent.until } };
  });
}

function limitOf(frame: Json, key: 'seconds' | 'tokens'): number | undefined {
  const limit = numberIn(objectIn(frame, 'budget'), key) ?? 0;
  return limit > 0 ? limit : undefined;
}

function tokensUsed(frame: Json): number {
  return numberIn(objectIn(frame, 'used'), 'tokens') ?? 0;
}

function offsetOf(frame: Json): number | undefined {
  return numberIn(objectIn(frame, 'used'), 'transcript_offset');
}
