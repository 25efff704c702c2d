import type { Mode } from './moments';

/** A place in a config file, counted from one as editors do. */
export interface ConfigPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Expected trouble, as data. Closed: a new kind of trouble is a new member here,
 * and the compiler names every place that has to speak of it.
 */
export type Failure =
  | { readonly code: 'input.empty' }
  | { readonly code: 'input.not-json'; readonly detail: string }
  | { readonly code: 'input.not-object'; readonly found: string }
  | { readonly code: 'input.no-event-name' }
  | { readonly code: 'input.no-session'; readonly event: string }
  | { readonly code: 'input.no-directory'; readonly event: string }
  | { readonly code: 'input.no-tool'; readonly event: string }
  | { readonly code: 'input.too-large'; readonly bytes: number; readonly limit: number }
  | { readonly code: 'input.unreadable'; readonly detail: string }
  | { readonly code: 'output.invalid'; readonly detail: string }
  | { readonly code: 'config.unreadable'; readonly detail: string }
  | { readonly code: 'guard.threw'; readonly guard: string; readonly detail: string }
  | { readonly code: 'guard.missing'; readonly guard: string; readonly detail: string }
  /** `isPast`: of an earlier event, and this one has made up for it. */
  | {
      readonly code: 'effect.failed';
      readonly guard: string;
      readonly detail: string;
      readonly isPast?: true;
    }
  | {
      readonly code: 'rule.failed';
      readonly rule: string;
      /** What the rule does where it works. */
      readonly mode: Mode;
      /** `file:line:column`, as far as it is known. */
      readonly place: string;
      readonly detail: string;
    }
  | { readonly code: 'deadline.passed'; readonly ms: number }
  | { readonly code: 'state.unreadable'; readonly file: string; readonly detail: string }
  | { readonly code: 'state.set-aside'; readonly file: string }
  | { readonly code: 'state.outside'; readonly file: string; readonly target: string }
  | { readonly code: 'state.write-failed'; readonly file: string; readonly detail: string }
  | { readonly code: 'lock.timeout'; readonly file: string; readonly holder: string; readonly ms: number }
  | { readonly code: 'lock.lost'; readonly file: string }
  | { readonly code: 'git.unreadable'; readonly file: string; readonly detail: string }
  | { readonly code: 'recording.stopped'; readonly file: string; readonly detail: string }
  | { readonly code: 'loop.odd-state'; readonly detail: string }
  | { readonly code: 'bug'; readonly detail: string };

export type FailureCode = Failure['code'];

export type Result<T, E = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: E };

export function succeed<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function fail<E>(failure: E): { readonly ok: false; readonly failure: E } {
  return { ok: false, failure };
}

/** The one line of an unknown error that is fit for people: never a stack, nor the text that was no JSON. */
export function detailOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split('\n', 1)[0] ?? '';
  if (error instanceof SyntaxError) return line.replace(/, (?:\.\.\.)?".*/, '');
  // What a lock says of its holder, and how a file is called until it is whole, was made up for the moment.
  return line.replace(/(?<=symlink )'.*' -> |\.\d+\.[0-9a-z]+\.tmp(?=')/g, '');
}

/** The system's name for an error, such as `ENOENT`; empty when it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
