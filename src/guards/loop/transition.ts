import type { JsonObject } from '../../core/json';
import type { LoopStop } from './at-stop';
import { isExhausted } from './bounds';
import { charged, spentIn } from './budgets';
import { type Frame, isOurs } from './frame';
import { pausedState } from './new-state';
import { ENDED_AFTER, type Progress } from './progress';
import type { Heard } from './signals';
import {
  advanced,
  type Circumstances,
  corrupted,
  ended,
  finished,
  stateWith,
  type Transition,
} from './stack';
import { freshnessOf, ttlOf } from './staleness';
import { type EndReason, type LoopState, phaseOf } from './state';
import { markOf, type Words } from './words';

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
  const { config, life, snapshot, state, top } = stop;
  const { now } = snapshot;
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
  const { event, snapshot, state } = stop;
  const { now, transcript } = snapshot;
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
  const stack = charged(state.stack, transcript?.tokens);
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

function circumstancesOf({ config, snapshot }: LoopStop): Circumstances {
  return { defaultMax: config.maxIterations, now: snapshot.now };
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
function underCap({ snapshot, state }: LoopStop, top: Frame, step: Transition): Transition {
  const { now, refusedStops, stopLimit } = snapshot;
  if (step.goOn === undefined || refusedStops.inRow < stopLimit) return step;
  if (step.to !== 'ACTIVE') {
    const { goOn: _, ...passed } = step;
    return { ...passed, capped: true };
  }
  return { ...(isOurs(top) ? archived(state, 'NO_PROGRESS', now) : { to: 'ACTIVE' }), capped: true };
}
