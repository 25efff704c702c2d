import type { Json, JsonObject } from '../../domain/json';
import { isExhausted } from './bounds';
import { charged, spentIn } from './budgets';
import { type Frame, frameOf, isOurs } from './frame';
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
import { type Clock, freshnessOf } from './staleness';
import { type EndReason, type LoopState, phaseOf } from './state';

/** All that the next step of a loop depends on. */
export interface StopFacts {
  readonly clock: Clock;
  readonly defaultMax: number;
  /** What the agent said; a signal in it is new, and nothing speaks against it. */
  readonly heard: Heard;
  /** What to remember of a text with a signal, so that nobody acts on it a second time. */
  readonly consumed?: JsonObject | undefined;
  /** Whether the text may still be the one of an earlier stop. */
  readonly mayRepeat: boolean;
  readonly tokens?: { readonly used: number; readonly until: number } | undefined;
  /** Absent where standing still is nobody's business. */
  readonly progress?: Progress | undefined;
  /** The host would end the turn by itself if this stop were refused. */
  readonly capReached: boolean;
}

/** One step of a loop at the end of a turn. A stop is refused only by a transition that says how to go on. */
export function transition(state: LoopState | undefined, facts: StopFacts): Transition {
  const phase = phaseOf(state);
  if (state === undefined || phase === 'IDLE') return { to: 'IDLE' };
  if (phase === 'ABORTED') {
    return { to: 'ABORTED', next: stateWith(state.envelope, facts.clock.now, { stack: [] }) };
  }
  if (state.disabled || state.paused !== undefined) return { to: 'ACTIVE' };
  const top = frameOf(state.stack.at(-1), facts.defaultMax);
  const freshness = freshnessOf(state, top, facts.clock);
  if (freshness.kind === 'stale') return outlived(state, freshness.why, facts);
  if (top === undefined) return corrupted(state, facts.clock.now);
  return underCap(state, top, step(state, top, facts), facts);
}

function step(state: LoopState, top: Frame, facts: StopFacts): Transition {
  const { heard, consumed, clock, progress } = facts;
  if (heard.signal !== undefined) {
    const how = { by: 'signal', reason: heard.signal, ...(consumed && { consumed }) } as const;
    return finished(state, state.stack, how, circumstancesOf(facts));
  }
  if (heard.pause !== undefined) {
    return { to: 'ACTIVE', next: pausedState(state.envelope, heard.pause, clock.now) };
  }
  if (isExhausted(top)) {
    const how = { by: 'bound', reason: 'MAX_ITERATIONS' } as const;
    return finished(state, state.stack, how, circumstancesOf(facts));
  }
  const stack = charged(state.stack, facts.tokens);
  const spent = spentIn(state.envelope, stack, clock.now);
  if (spent !== undefined) {
    const left = stack.slice(0, spent.index + 1);
    return finished(state, left, { by: 'bound', reason: spent.reason }, circumstancesOf(facts));
  }
  if (progress !== undefined && progress.streak >= ENDED_AFTER) return archived(state, 'NO_PROGRESS', facts);
  const { mode, iter, max } = top;
  const last = stack.at(-1) as JsonObject;
  const raw = progress === undefined ? last : { ...last, progress };
  return iterated(state, stack.slice(0, -1), advanced({ raw, mode, iter, max }), facts);
}

function circumstancesOf({ defaultMax, clock }: StopFacts): Circumstances {
  return { defaultMax, now: clock.now };
}

function iterated(state: LoopState, outer: readonly Json[], goOn: Frame, facts: StopFacts): Transition {
  const fields = { event: 'STATE', stack: [...outer, goOn.raw] };
  const envelope = envelopeFor(state, facts.mayRepeat);
  return { to: 'ACTIVE', goOn, next: stateWith(envelope, facts.clock.now, fields) };
}

/** What was acted on is remembered for as long as it may be met again, behind everything else. */
function envelopeFor({ envelope }: LoopState, mayRepeat: boolean): JsonObject {
  if (envelope['last_signal'] === undefined) return envelope;
  const { last_signal: last, ...rest } = envelope;
  return mayRepeat ? { ...rest, last_signal: last } : rest;
}

/** Too old to be continued. A session that says of its own loop that it is complete is believed all the same. */
function outlived(state: LoopState, why: string, facts: StopFacts): Transition {
  const { signal } = facts.heard;
  if (signal === undefined || state.sessionId === undefined) {
    return { ...archived(state, 'STALE', facts), warning: `it was ended as stale: ${why}` };
  }
  const next = ended(state, facts.clock.now, 'DONE', signal);
  const outer = state.stack.slice(0, -1);
  return {
    to: 'COMPLETING',
    reason: signal,
    next: outer.length > 0 ? { ...next, archived_stack: outer } : next,
  };
}

/** An end that can be taken back: the frames are kept for who resumes them. */
function archived(state: LoopState, reason: EndReason, { clock }: StopFacts): Transition {
  const next = { ...ended(state, clock.now, 'DONE', reason), archived_stack: state.stack };
  return { to: 'STUCK', reason, next };
}

/** At the host's cap nothing is refused any more. What was finished stays finished. */
function underCap(state: LoopState, top: Frame, step: Transition, facts: StopFacts): Transition {
  if (!facts.capReached || step.goOn === undefined) return step;
  if (step.to !== 'ACTIVE') {
    const { goOn: _, ...passed } = step;
    return { ...passed, capped: true };
  }
  return { ...(isOurs(top) ? archived(state, 'NO_PROGRESS', facts) : { to: 'ACTIVE' }), capped: true };
}
