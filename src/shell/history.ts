/*
 * What is known about earlier commands at some point of a line. A history has one letter for each command, in the order
 * of execution. Several histories are alternatives, of which one is the real one; no history at all means that the
 * point is never reached.
 */

const SUCCEEDED = 's';
const FAILED = 'f';
/** It ran, with success or without. */
const RAN = 'r';
/** It has had no success; maybe it never ran. */
const IDLE = 'i';
const OPEN = '?';

/** How far apart the histories are that can be reached at once from a later one. */
const STRIDE = 256;

/**
 * A history is its last letter and the history before it. The same letters are the same object, so that long lines cost
 * little: equal beginnings are kept once, and found to be equal at once.
 */
class History {
  readonly #next: Record<string, History> = {};
  readonly #far: History | undefined;
  /** What this one and others have in common, where somebody has asked. */
  shared: Map<History, History> | undefined;

  readonly before: History | undefined;
  readonly status: string;
  readonly length: number;

  constructor(before: History | undefined, status: string) {
    this.before = before;
    this.status = status;
    this.length = before === undefined ? 0 : before.length + 1;
    this.#far = before === undefined || before.length % STRIDE === 0 ? before : before.#far;
  }

  with(status: string): History {
    const next = this.#next[status] ?? new History(this, status);
    this.#next[status] = next;
    return next;
  }

  /** With the same letter again and again, up to a length. */
  filled(length: number, status: string): History {
    let history: History = this;
    while (history.length < length) history = history.with(status);
    return history;
  }

  /** Its beginning. */
  first(length: number): History {
    let history: History = this;
    while (history.#far !== undefined && history.#far.length >= length) history = history.#far;
    while (history.before !== undefined && history.length > length) history = history.before;
    return history;
  }

  /** The status of a step. */
  at(step: number): string {
    return step < this.length ? this.first(step + 1).status : OPEN;
  }
}

/** The possible histories at one point. */
export type Histories = readonly History[];

/** How a part of a line may end. */
export interface Outcome {
  readonly success: Histories;
  readonly failure: Histories;
}

const MOST_HISTORIES = 6;

/** The beginning of a line: nothing has run yet. */
export function beginning(): Histories {
  return [new History(undefined, OPEN)];
}

/** A point that is never reached. */
export const NEVER: Histories = [];
export const UNREACHABLE: Outcome = { success: NEVER, failure: NEVER };

/** The histories after a step that succeeded. */
export function succeeded(histories: Histories, step: number): Histories {
  return histories.map((history) => history.filled(step, OPEN).with(SUCCEEDED));
}

/** The histories after a step that failed. */
export function failed(histories: Histories, step: number): Histories {
  return histories.map((history) => history.filled(step, OPEN).with(FAILED));
}

/** Marks the steps from `first` up to `end` as not run. */
export function skipped(histories: Histories, first: number, end: number): Histories {
  if (end <= first) return histories;
  return histories.map((history) => history.filled(first, OPEN).filled(end, IDLE));
}

/** Whether a step has succeeded in every history, of which there must be one. */
export function succeededEverywhere(histories: Histories, step: number): boolean {
  return histories.length > 0 && histories.every((history) => history.at(step) === SUCCEEDED);
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
  const known = (status: string, other: string) => (status === OPEN ? other : status);
  return [combined(a.filled(length, OPEN), b.filled(length, OPEN), known)];
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

function sharedHistory(left: History, right: History): History {
  const length = Math.min(left.length, right.length);
  return combined(left.first(length), right.first(length), sharedStatus, true);
}

/** Two histories of one length, letter by letter. From where they begin alike, there is nothing to do. */
function combined(
  left: History,
  right: History,
  combine: (left: string, right: string) => string,
  isKept = false,
): History {
  const pairs: [left: History, right: History][] = [];
  let [a, b] = [left, right];
  let result = a === b ? a : undefined;
  while (result === undefined) {
    pairs.push([a, b]);
    [a, b] = [a.before ?? a, b.before ?? b];
    result = a === b ? a : isKept ? a.shared?.get(b) : undefined;
  }
  for (const [one, other] of pairs.reverse()) {
    result = result.with(combine(one.status, other.status));
    if (!isKept || pairs.length < 2) continue;
    one.shared ??= new Map();
    one.shared.set(other, result);
  }
  return result;
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

/** Of more changes than these, the oldest are only remembered as something that may be. */
const MOST_CHANGES = 64;

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
  const changes = [...line.changes, { step, to, ends }];
  if (changes.length <= MOST_CHANGES) return { initial: line.initial, changes };
  const old = changes.splice(0, MOST_CHANGES / 2).flatMap((change) => change.to);
  return { initial: [...new Set([...line.initial, ...old])], changes };
}

/** Every value it may have at a point; with `likely`, those it has where all commands that ran have succeeded. */
export function valuesAt<T>(line: Timeline<T>, histories: Histories, likely = false): readonly T[] {
  const values = new Set<T>();
  for (const history of histories) for (const value of valuesIn(line, history, likely)) values.add(value);
  return [...values];
}

/** From the last change back to one that surely happened. */
function valuesIn<T>({ initial, changes }: Timeline<T>, history: History, likely: boolean): readonly T[] {
  const values: T[] = [];
  for (let at = changes.length - 1; at >= 0; at--) {
    const { step, to, ends } = changes[at] ?? { step: 0, to: [], ends: undefined };
    const status = history.at(step);
    if (status === FAILED || status === IDLE || (status === RAN && ends === 'badly')) continue;
    values.push(...to);
    if (status === SUCCEEDED || (status === RAN && (likely || ends === 'well'))) return values;
  }
  return [...values, ...initial];
}
