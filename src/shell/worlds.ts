/*
 * What is known of earlier commands at some point of a line. Facts are a text with one letter
 * a command: immutable, quick to compare and to copy. Several facts side by side are worlds,
 * of which one is the real one; no world at all means that the point is never reached.
 */

const SUCCEEDED = 's';
const FAILED = 'f';
/** It ran, with success or without. */
const RAN = 'r';
/** It has had no success; maybe it never ran. */
const IDLE = 'i';
const OPEN = '?';

export type Worlds = readonly string[];

/** How a part of a line may end. */
export interface Outcome {
  readonly success: Worlds;
  readonly failure: Worlds;
}

export type Effectiveness = 'took effect' | 'had none' | 'open';

const MOST_WORLDS = 6;

export const START: Worlds = [''];
export const NEVER: Worlds = [];

export function succeeded(worlds: Worlds, step: number): Worlds {
  return worlds.map((facts) => facts.padEnd(step, OPEN) + SUCCEEDED);
}

export function failed(worlds: Worlds, step: number): Worlds {
  return worlds.map((facts) => facts.padEnd(step, OPEN) + FAILED);
}

/** Says of the steps from `first` up to `end` that they were passed by. */
export function passedBy(worlds: Worlds, first: number, end: number): Worlds {
  if (end <= first) return worlds;
  return worlds.map((facts) => facts.padEnd(first, OPEN).padEnd(end, IDLE));
}

export function effectIn(facts: string, step: number): Effectiveness {
  const status = facts[step];
  if (status === SUCCEEDED) return 'took effect';
  return status === FAILED || status === IDLE ? 'had none' : 'open';
}

export function ranEverywhere(worlds: Worlds, step: number): boolean {
  return worlds.every((facts) => facts[step] === SUCCEEDED || facts[step] === FAILED || facts[step] === RAN);
}

export function succeededEverywhere(worlds: Worlds, step: number): boolean {
  return worlds.length > 0 && worlds.every((facts) => facts[step] === SUCCEEDED);
}

/** One or the other; too many possibilities are drawn together into what they share. */
export function either(...choices: readonly Worlds[]): Worlds {
  const all = [...new Set(choices.flat())];
  return all.length > MOST_WORLDS ? together(all) : all;
}

/** What all the worlds share, as one. */
export function together(worlds: Worlds): Worlds {
  const [first, ...rest] = worlds;
  return first === undefined ? NEVER : [rest.reduce(sharedFacts, first)];
}

/** Both have happened side by side, so the facts of both hold. */
export function both(left: Worlds, right: Worlds): Worlds {
  const [a] = together(left);
  const [b] = together(right);
  if (a === undefined || b === undefined) return NEVER;
  const length = Math.max(a.length, b.length);
  let facts = '';
  for (let step = 0; step < length; step++) {
    const one = a[step] ?? OPEN;
    facts += one === OPEN ? (b[step] ?? OPEN) : one;
  }
  return [facts];
}

/** The point after a part, however it ended. */
export function afterwards(outcome: Outcome): Worlds {
  if (outcome.failure.length === 0) return outcome.success;
  return together([...outcome.success, ...outcome.failure]);
}

function sharedFacts(left: string, right: string): string {
  if (left === right) return left;
  const length = Math.min(left.length, right.length);
  let facts = '';
  for (let step = 0; step < length; step++) facts += sharedStatus(left[step] ?? OPEN, right[step] ?? OPEN);
  return facts;
}

function sharedStatus(left: string, right: string): string {
  if (left === right) return left;
  const pair = left + right;
  if (pair.includes(OPEN)) return OPEN;
  if (!pair.includes(IDLE)) return RAN;
  return pair.includes(FAILED) ? IDLE : OPEN;
}
