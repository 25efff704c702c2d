import type { Outcome } from './judge-event';

/** What a server has done so far. */
export interface Tally {
  answered: number;
  /** How many events were left to a process of their own, by reason. */
  readonly left: Record<string, number>;
  /** When the last event came that was meant for us, in milliseconds since the epoch. */
  lastAt: number;
  /** How long each of the last answers took, in milliseconds; written round and round. */
  readonly took: Float64Array;
}

const REMEMBERED = 1000;

export function newTally(now: number): Tally {
  return { answered: 0, left: {}, lastAt: now, took: new Float64Array(REMEMBERED) };
}

export function countOutcome(tally: Tally, outcome: Outcome, now: number, took: number): void {
  if (!isForAnother(outcome)) tally.lastAt = now;
  if ('left' in outcome) tally.left[outcome.left] = (tally.left[outcome.left] ?? 0) + 1;
  else tally.took[tally.answered++ % REMEMBERED] = took;
}

/** The time of which half of the last answers took less. */
export function medianTook({ answered, took }: Tally): number {
  const known = took.slice(0, Math.min(answered, REMEMBERED)).sort();
  return Math.round((known[known.length >> 1] ?? 0) * 1000) / 1000;
}

/** Whether a client has come that would run another program than we do. */
export function isForAnother(outcome: Outcome): boolean {
  return 'left' in outcome && outcome.left === 'installation';
}
