/*
 * What is known about earlier commands at some point of a line. A history is a string with one letter for each
 * command, in the order of execution. Several histories are alternatives, of which one is the real one; no
 * history at all means that the point is never reached.
 */

const SUCCEEDED = 's';
const FAILED = 'f';
/** It ran, with success or without. */
const RAN = 'r';
/** It has had no success; maybe it never ran. */
const IDLE = 'i';
const OPEN = '?';

/** The possible histories at one point. */
export type Histories = readonly string[];

/** How a part of a line may end. */
export interface Outcome {
  readonly success: Histories;
  readonly failure: Histories;
}

const MOST_HISTORIES = 6;

/** The beginning of a line: nothing has run yet. */
export const START: Histories = [''];
/** A point that is never reached. */
export const NEVER: Histories = [];
export const UNREACHABLE: Outcome = { success: NEVER, failure: NEVER };

/** The histories after a step that succeeded. */
export function succeeded(histories: Histories, step: number): Histories {
  return histories.map((history) => history.padEnd(step, OPEN) + SUCCEEDED);
}

/** The histories after a step that failed. */
export function failed(histories: Histories, step: number): Histories {
  return histories.map((history) => history.padEnd(step, OPEN) + FAILED);
}

/** Marks the steps from `first` up to `end` as not run. */
export function skipped(histories: Histories, first: number, end: number): Histories {
  if (end <= first) return histories;
  return histories.map((history) => history.padEnd(first, OPEN).padEnd(end, IDLE));
}

/** Whether a step has succeeded in every history, of which there must be one. */
export function succeededEverywhere(histories: Histories, step: number): boolean {
  return histories.length > 0 && histories.every((history) => history[step] === SUCCEEDED);
}

/** One or the other; too many alternatives are reduced to what they share. */
export function either(...choices: readonly Histories[]): Histories {
  const all = [...new Set(choices.flat())];
  return all.length > MOST_HISTORIES ? shared(all) : all;
}

/** What all the alternatives have in common, as one history. */
export function shared(histories: Histories): Histories {
  const [first, ...rest] = histories;
  return first === undefined ? NEVER : [rest.reduce(sharedHistory, first)];
}

/** Both have happened side by side, so what is known from either holds. */
export function both(left: Histories, right: Histories): Histories {
  const [a] = shared(left);
  const [b] = shared(right);
  if (a === undefined || b === undefined) return NEVER;
  const length = Math.max(a.length, b.length);
  const other = b.padEnd(length, OPEN);
  return [a.padEnd(length, OPEN).replace(/\?/g, (_, step: number) => other[step] ?? OPEN)];
}

/** The point after a part, however it ended. */
export function afterwards(outcome: Outcome): Histories {
  return outcome.failure.length === 0 ? outcome.success : shared([...outcome.success, ...outcome.failure]);
}

/** One of several outcomes. */
export function anyOf(outcomes: readonly Outcome[]): Outcome {
  return {
    success: either(...outcomes.map((outcome) => outcome.success)),
    failure: either(...outcomes.map((outcome) => outcome.failure)),
  };
}

function sharedHistory(left: string, right: string): string {
  if (left === right) return left;
  const length = Math.min(left.length, right.length);
  // Long histories mostly differ at their end only, and whole blocks are compared quickly.
  let same = 0;
  for (let block = length; block >= 1; block = Math.floor(block / 2)) {
    while (same + block <= length && left.startsWith(right.slice(same, same + block), same)) same += block;
  }
  const rest = left.slice(same, length);
  return (
    left.slice(0, same) + rest.replace(/./g, (status, at) => sharedStatus(status, right[same + at] ?? OPEN))
  );
}

function sharedStatus(left: string, right: string): string {
  if (left === right) return left;
  const pair = left + right;
  if (/^[sfr]{2}$/.test(pair)) return RAN;
  return /^[fi]{2}$/.test(pair) ? IDLE : OPEN;
}

/**
 * A value that commands change: the directory, a variable, the branch of a repository. Every change belongs to
 * the step that makes it, and counts only where that step succeeded.
 */
export interface Timeline<T> {
  readonly initial: readonly T[];
  readonly changes: readonly Change<T>[];
}

interface Change<T> {
  readonly step: number;
  readonly to: readonly T[];
  /** How the step ends wherever it runs, if that is known beforehand. */
  readonly ends: 'well' | 'badly' | undefined;
}

/** A timeline that begins with one of these values. */
export function timeline<T>(...initial: readonly T[]): Timeline<T> {
  return { initial, changes: [] };
}

/** The timeline with a change to one of the values in `to`. */
export function changed<T>(
  line: Timeline<T>,
  step: number,
  to: readonly T[],
  ends?: Change<T>['ends'],
): Timeline<T> {
  return { initial: line.initial, changes: [...line.changes, { step, to, ends }] };
}

/** Every value it may have at a point; with `likely`, those it has where all commands that ran have succeeded. */
export function valuesAt<T>(line: Timeline<T>, histories: Histories, likely = false): readonly T[] {
  const values = new Set<T>();
  for (const history of histories) for (const value of valuesIn(line, history, likely)) values.add(value);
  return [...values];
}

/** From the last change back to one that surely happened. */
function valuesIn<T>({ initial, changes }: Timeline<T>, history: string, likely: boolean): readonly T[] {
  const values: T[] = [];
  for (let at = changes.length - 1; at >= 0; at--) {
    const { step, to, ends } = changes[at] ?? { step: 0, to: [], ends: undefined };
    const status = history[step];
    if (status === FAILED || status === IDLE || (status === RAN && ends === 'badly')) continue;
    values.push(...to);
    if (status === SUCCEEDED || (status === RAN && (likely || ends === 'well'))) return values;
  }
  return [...values, ...initial];
}
