import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { pausedState } from './new-state';
import { ENDED_AFTER, type Heard, markOf, type Progress, type Words } from './signals';
import {
  type AbortReason,
  type EndReason,
  type Frame,
  frameOf,
  freshnessOf,
  isOurs,
  type LoopState,
  type Phase,
  parseTime,
  phaseOf,
  stampOf,
  ttlOf,
} from './state';
import type { LoopStop } from './stop';

/** What was found out at a stop, beside what is written. */
export interface Observed {
  readonly words: Words;
  /** What the agent said; a signal in it is new, and nothing speaks against it. */
  readonly heard: Heard;
  /** Absent where standing still is nobody's business. */
  readonly progress: Progress | undefined;
}

/** One step of a loop at the end of a turn. A stop is refused only by a transition that says how to go on. */
export function transition(stop: LoopStop, observed: Observed): Transition {
  const { config, life, state, top } = stop;
  const { now } = stop.ctx;
  const phase = phaseOf(state);
  if (phase === 'IDLE') return { to: 'IDLE' };
  if (phase === 'ABORTED') return { to: 'ABORTED', next: stateWith(state.envelope, now, { stack: [] }) };
  if (state.disabled || state.paused !== undefined) return { to: 'ACTIVE' };
  const freshness = freshnessOf(state, ttlOf(top, config), now, life?.heartbeat);
  if (freshness.kind === 'stale') return outlived(state, freshness.why, observed.heard, now);
  if (top === undefined) return corrupted(state, now);
  return underCap(stop, top, step(stop, top, observed));
}

function step(stop: LoopStop, top: Frame, { words, heard, progress }: Observed): Transition {
  const { event, state, transcript } = stop;
  const { now } = stop.ctx;
  if (heard.signal !== undefined) {
    const how = { by: 'signal', reason: heard.signal, consumed: markOf(words, event) } as const;
    return finished(state, state.stack, how, circumstancesOf(stop));
  }
  if (heard.pause !== undefined) {
    return { to: 'ACTIVE', next: pausedState(state.envelope, heard.pause, now) };
  }
  if (isExhausted(top)) {
    const how = { by: 'bound', reason: 'MAX_ITERATIONS' } as const;
    return finished(state, state.stack, how, circumstancesOf(stop));
  }
  const stack = charged(state.stack, transcript.tokens);
  const spent = spentIn(state.envelope, stack, now);
  if (spent !== undefined) {
    const left = stack.slice(0, spent.index + 1);
    return finished(state, left, { by: 'bound', reason: spent.reason }, circumstancesOf(stop));
  }
  if (progress !== undefined && progress.streak >= ENDED_AFTER) return archived(state, 'NO_PROGRESS', now);
  const last = stack.at(-1) as JsonObject;
  const goOn = advanced(top, progress === undefined ? last : { ...last, progress });
  const fields = { event: 'STATE', stack: stack.with(-1, goOn.raw) };
  const next = stateWith(envelopeFor(state, words.source !== 'event'), now, fields);
  return { to: 'ACTIVE', goOn, next };
}

function circumstancesOf({ config, ctx }: LoopStop): Circumstances {
  return { defaultMax: config.maxIterations, now: ctx.now };
}

/**
 * What was acted on is remembered for as long as it may be met again, which words of the event itself cannot be. It
 * stands behind everything else.
 */
function envelopeFor({ envelope }: LoopState, mayRepeat: boolean): JsonObject {
  if (envelope['last_signal'] === undefined) return envelope;
  const { last_signal: last, ...rest } = envelope;
  return mayRepeat ? { ...rest, last_signal: last } : rest;
}

/** Too old to be continued. A session that says of its own loop that it is complete is believed all the same. */
function outlived(state: LoopState, why: string, { signal }: Heard, now: number): Transition {
  if (signal === undefined || state.sessionId === undefined) {
    return { ...archived(state, 'STALE', now), warning: `it was ended as stale: ${why}` };
  }
  const next = ended(state, now, 'DONE', signal);
  const outer = state.stack.slice(0, -1);
  return {
    to: 'COMPLETING',
    reason: signal,
    next: outer.length > 0 ? { ...next, archived_stack: outer } : next,
  };
}

/** An end that can be taken back: the frames are kept for who resumes them. */
function archived(state: LoopState, reason: EndReason, now: number): Transition {
  return { to: 'STUCK', reason, next: { ...ended(state, now, 'DONE', reason), archived_stack: state.stack } };
}

/** Where the host would end the turn by itself nothing is refused any more. What was finished stays finished. */
function underCap({ ctx, state }: LoopStop, top: Frame, step: Transition): Transition {
  const { now, refusedStops, stopLimit } = ctx;
  if (step.goOn === undefined || refusedStops.inRow < stopLimit) return step;
  if (step.to !== 'ACTIVE') {
    const { goOn: _, ...passed } = step;
    return { ...passed, capped: true };
  }
  return { ...(isOurs(top) ? archived(state, 'NO_PROGRESS', now) : { to: 'ACTIVE' }), capped: true };
}

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

/** No loop is meant to run longer than this, whatever its state says. */
const MOST_ITERATIONS = 1_000_000;

/** `max` is the number of all runs, the first one included. Zero is no way to say unlimited. */
export function isExhausted({ iter, max }: Frame): boolean {
  return iter >= Math.min(max, MOST_ITERATIONS);
}

/** An offset from which nothing counts and only the end is told. */
const BEHIND_THE_END = Number.MAX_SAFE_INTEGER;

/** A bound other than iterations that a frame has reached. */
export interface Spent {
  /** The frame's place in the stack: with an outer one all that is on top of it ends too. */
  readonly index: number;
  readonly reason: Extract<EndReason, 'MAX_MINUTES' | 'MAX_TOKENS'>;
}

/** The outermost frame that has used up its time or its tokens. */
export function spentIn(envelope: JsonObject, stack: readonly Json[], now: number): Spent | undefined {
  for (const [index, frame] of stack.entries()) {
    if (!hasBudget(frame)) continue;
    const { seconds, tokens } = budgetOf(frame);
    const begun = startOf(frame) ?? startOf(envelope);
    if (seconds !== undefined && begun !== undefined && now - begun >= seconds * 1000) {
      return { index, reason: 'MAX_MINUTES' };
    }
    if (tokens !== undefined && usedBy(frame).tokens >= tokens) return { index, reason: 'MAX_TOKENS' };
  }
  return undefined;
}

/** From which byte of the transcript tokens are to be counted; `undefined` when no frame asks. */
export function tokensWanted(stack: readonly Json[]): number | undefined {
  const bounded = stack.filter(hasBudget);
  const counting = bounded.filter((frame) => budgetOf(frame).tokens !== undefined);
  if (counting.length === 0) return undefined;
  const offsets = counting.flatMap((frame) => usedBy(frame).offset ?? []);
  return offsets.length === 0 ? BEHIND_THE_END : Math.min(...offsets);
}

/**
 * The frames with what was used since the last stop. A frame that is looked at for the first time only
 * learns where the transcript ends: what stands before it belongs to nobody's budget.
 */
export function charged(
  stack: readonly Json[],
  tokens: { readonly used: number; readonly until: number } | undefined,
): readonly Json[] {
  if (tokens === undefined || tokens.until === BEHIND_THE_END) return stack;
  return stack.map((frame) => {
    if (!isJsonObject(frame) || budgetOf(frame).tokens === undefined) return frame;
    const before = usedBy(frame);
    const spent = before.tokens + (before.offset === undefined ? 0 : tokens.used);
    const used = isJsonObject(frame['used']) ? frame['used'] : {};
    return { ...frame, used: { ...used, tokens: spent, transcript_offset: tokens.until } };
  });
}

function hasBudget(frame: Json): boolean {
  return isJsonObject(frame) && frame['budget'] !== undefined;
}

function budgetOf(frame: Json): { seconds: number | undefined; tokens: number | undefined } {
  const budget = isJsonObject(frame) ? frame['budget'] : undefined;
  const limit = (key: string): number | undefined => {
    const value = isJsonObject(budget) ? budget[key] : undefined;
    return typeof value === 'number' && value > 0 ? value : undefined;
  };
  return { seconds: limit('seconds'), tokens: limit('tokens') };
}

function usedBy(frame: Json): { tokens: number; offset: number | undefined } {
  const used = isJsonObject(frame) ? frame['used'] : undefined;
  if (!isJsonObject(used)) return { tokens: 0, offset: undefined };
  const { tokens, transcript_offset: offset } = used as Record<string, Json | undefined>;
  return {
    tokens: typeof tokens === 'number' ? tokens : 0,
    offset: typeof offset === 'number' ? offset : undefined,
  };
}

function startOf(holder: Json): number | undefined {
  const value = isJsonObject(holder) ? holder['started_at'] : undefined;
  return typeof value === 'string' ? parseTime(value) : undefined;
}
