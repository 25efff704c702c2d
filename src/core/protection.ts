import type { GuardName } from './guard';

/** Why rules do not hold, and how to fix that. `what` is worded the same in every view. */
export interface Reason {
  readonly what: string;
  readonly fix: string;
}

/** Each reason once. */
export function distinct(reasons: readonly Reason[]): Reason[] {
  return [...new Map(reasons.map((one) => [one.what, one])).values()];
}

/** Whether agents are held in a project, and why not if they are not, or not by every rule. */
export interface Protection {
  readonly state: 'on' | 'on in part' | 'paused' | 'off';
  readonly reasons: readonly Reason[];
  /** Nothing holds because every rule is in shadow mode; the reason says so. */
  readonly onlyRecords?: true;
  /** The guards that would hold something now. */
  readonly holding: readonly GuardName[];
}

/** The one statement shown at a session's start, by `status`, the status line and `doctor`. */
export function statementOf({ state, reasons, onlyRecords }: Omit<Protection, 'holding'>): string {
  const why = reasons.flatMap(({ what }) => (what === '' ? [] : [what])).join('; ');
  if (why === '' || onlyRecords) return why || state;
  return `${state}${state === 'paused' ? ' ' : ': '}${why}`;
}

export function fixesOf({ reasons }: Protection): string[] {
  return [...new Set(reasons.flatMap(({ fix }) => (fix === '' ? [] : [fix])))];
}

/** The same for the start of a session; `on` lists what is on. */
export function startNote(protection: Protection, on: readonly string[]): string {
  const statement = `Holdpoint is ${statementOf(protection)}`;
  const list = on.join(', ');
  switch (protection.state) {
    case 'on':
      return list === '' ? `${statement}.` : `${statement}: ${list}.`;
    case 'on in part':
      return `${statement}.${list === '' ? '' : ` On: ${list}.`}`;
    case 'paused':
    case 'off':
      return [statement, ...fixesOf(protection)].join('. ').concat('.');
  }
}
