/*
 * What is known about earlier commands at a point of a line. A history has one letter per command, in order
 * of execution. Several histories are alternatives, one of which is real; no history at all means that the
 * point is never reached.
 */

const SUCCEEDED = 's';
const FAILED = 'f';
/** Ran, and either succeeded or failed. */
const RAN = 'r';
/** Did not succeed; maybe it never ran. */
const IDLE = 'i';
const OPEN = '?';
/** Failed, although such a command hardly ever does; did not run for that reason; ran, unless for that reason. */
const BROKE = 'b';
const CUT = 'c';
const MEANT = 'm';

/** The possible histories at one point. */
export type Histories = readonly string[];

/** How a part of a line may end. */
export interface Outcome {
  readonly success: Histories;
  readonly failure: Histories;
}

const MOST_HISTORIES = 6;

/** The beginning of a line: nothing has run yet. */
export function initialHistories(): Histories {
  return [''];
}

/** A point that is never reached. */
export const NEVER: Histories = [];
export const UNREACHABLE: Outcome = { success: NEVER, failure: NEVER };

export function succeeded(histories: Histories, step: number): Histories {
  return histories.map((history) => history.padEnd(step, OPEN) + SUCCEEDED);
}

export function failed(histories: Histories, step: number, isLikely = true): Histories {
  return histories.map((history) => history.padEnd(step, OPEN) + (isLikely ? FAILED : BROKE));
}

/** Marks the steps from `first` up to `end` as not run, because of the last failure. */
export function skipped(histories: Histories, first: number, end: number): Histories {
  if (end <= first) return histories;
  return histories.map((history) => {
    const isCut = history.lastIndexOf(BROKE) > history.lastIndexOf(FAILED);
    return history.padEnd(first, OPEN).padEnd(end, isCut ? CUT : IDLE);
  });
}

/** Whether a step has succeeded in every history; false if there is none. */
export function succeededEverywhere(histories: Histories, step: number): boolean {
  return histories.length > 0 && histories.every((history) => history[step] === SUCCEEDED);
}

/** Any of the alternatives; too many are reduced to what they have in common. */
export function either(...choices: readonly Histories[]): Histories {
  const all = [...new Set(choices.flat())];
  return all.length > MOST_HISTORIES ? shared(all) : all;
}

/** What all alternatives have in common, as one history. */
export function shared(histories: Histories): Histories {
  const [first, ...rest] = histories;
  return first === undefined ? NEVER : [rest.reduce(sharedHistory, first)];
}

/** Both parts ran, as in a pipeline, so what is known from either holds. */
export function bothRan(left: Histories, right: Histories): Histories {
  const [a] = shared(left);
  const [b] = shared(right);
  if (a === undefined || b === undefined) return NEVER;
  const length = Math.max(a.length, b.length);
  const known = (status: string, other: string) => (status === OPEN ? other : status);
  return [combined(a.padEnd(length, OPEN), b.padEnd(length, OPEN), known)];
}

/** The histories after a part, however it ended. */
export function historiesAfter(outcome: Outcome): Histories {
  return outcome.failure.length === 0 ? outcome.success : shared([...outcome.success, ...outcome.failure]);
}

export function anyOf(outcomes: readonly Outcome[]): Outcome {
  return {
    success: either(...outcomes.map((outcome) => outcome.success)),
    failure: either(...outcomes.map((outcome) => outcome.failure)),
  };
}

function sharedHistory(left: string, right: string): string {
  const length = Math.min(left.length, right.length);
  return combined(left.slice(0, length), right.slice(0, length), sharedStatus);
}

/** Combines two histories of equal length, letter by letter, from where they differ. */
function combined(left: string, right: string, combine: (left: string, right: string) => string): string {
  let from = 0;
  while (from < left.length && left.charCodeAt(from) === right.charCodeAt(from)) from++;
  let result = left.slice(0, from);
  for (; from < left.length; from++) result += combine(left.charAt(from), right.charAt(from));
  return result;
}

function sharedStatus(left: string, right: string): string {
  if (left === right) return left;
  const pair = left + right;
  if (/^[sfrb]{2}$/.test(pair)) return RAN;
  if (/^[fibc]{2}$/.test(pair)) return IDLE;
  return /^[sfrbcm]{2}$/.test(pair) ? MEANT : OPEN;
}

/**
 * A value that commands change: the directory, a variable, the branch of a repository. Each change belongs to
 * the step that makes it, and counts only if that step succeeded.
 */
export interface Timeline<T> {
  readonly initial: readonly T[];
  readonly changes: readonly Change<T>[];
}

interface Change<T> {
  readonly step: number;
  readonly to: readonly T[];
  /** How the step ends if it runs, where that is known beforehand; `unsure` if nothing speaks for success. */
  readonly ends: 'well' | 'badly' | 'unsure' | undefined;
  /** What `to` is if all commands before have succeeded too. */
  readonly likely: readonly T[] | undefined;
}

/** Beyond this many, the values of the oldest changes become possible initial values. */
const MOST_CHANGES = 64;

/** A timeline whose initial value is one of these. */
export function timeline<T>(...initial: readonly T[]): Timeline<T> {
  return { initial, changes: [] };
}

/** Adds a change to one of the values in `to`. */
export function changed<T>(
  line: Timeline<T>,
  step: number,
  to: readonly T[],
  ends?: Change<T>['ends'],
  likely?: readonly T[],
): Timeline<T> {
  const changes = [...line.changes, { step, to, ends, likely }];
  if (changes.length <= MOST_CHANGES) return { initial: line.initial, changes };
  const old = changes.splice(0, MOST_CHANGES / 2).flatMap((change) => change.to);
  return { initial: [...new Set([...line.initial, ...old])], changes };
}

/** Every value possible at a point; with `likely`, those possible if all commands that ran have succeeded. */
export function valuesAt<T>(line: Timeline<T>, histories: Histories, likely = false): readonly T[] {
  const values = new Set<T>();
  for (const history of histories) for (const value of valuesIn(line, history, likely)) values.add(value);
  return [...values];
}

/** Goes from the last change back to one that certainly happened. */
function valuesIn<T>({ initial, changes }: Timeline<T>, history: string, likely: boolean): readonly T[] {
  const values: T[] = [];
  for (const change of changes.toReversed()) {
    const happened = happens(change, history[change.step], likely);
    if (happened === 'no') continue;
    values.push(...((likely && change.likely) || change.to));
    if (happened === 'yes') return values;
  }
  return [...values, ...initial];
}

function happens(
  { ends }: Change<unknown>,
  status: string | undefined,
  likely: boolean,
): 'yes' | 'no' | 'perhaps' {
  const isNot = [FAILED, BROKE, IDLE, CUT].includes(status ?? '');
  if (isNot || (ends === 'badly' && (status === RAN || status === MEANT))) return 'no';
  const isExpected = (status === RAN && ends === 'well') || (likely && ends !== 'unsure');
  return status === SUCCEEDED || (isExpected && (status === RAN || status === MEANT)) ? 'yes' : 'perhaps';
}
