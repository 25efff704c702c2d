import type { GuardName } from './selection';

/** Why rules do not hold, and what to do about it. `what` is worded the same in every view. */
export interface Reason {
  readonly what: string;
  readonly fix: string;
}

/** Whether agents are held in a project, and where they are not or not by every rule: why. */
export interface Protection {
  readonly state: 'on' | 'on in part' | 'paused' | 'off';
  readonly reasons: readonly Reason[];
  /** The guards that would hold something now. */
  readonly holding: readonly GuardName[];
}

/** The one statement that a session's start, `status`, the status line and `doctor` all make. */
export function statementOf({ state, reasons }: Pick<Protection, 'state' | 'reasons'>): string {
  const why = reasons.flatMap(({ what }) => (what === '' ? [] : [what])).join('; ');
  if (why === '') return state;
  return `${state}${state === 'paused' ? ' ' : ': '}${why}`;
}

/** What to do, for a person. */
export function fixesOf({ reasons }: Protection): string[] {
  return [...new Set(reasons.flatMap(({ fix }) => (fix === '' ? [] : [fix])))];
}

/** The same for the start of a session, with what is on. */
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
