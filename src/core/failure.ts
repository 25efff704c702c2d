import { readFileSync, statSync } from 'node:fs';
import { Script } from 'node:vm';
import type { Mode } from './effect-kinds';

/**
 * Expected failures, as data. The union is closed: the compiler names every place that must handle a new
 * member.
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
  | { readonly code: 'config.unreadable'; readonly detail: string }
  | { readonly code: 'guard.threw'; readonly guard: string; readonly detail: string }
  | { readonly code: 'guard.missing'; readonly guard: string; readonly detail: string }
  /** `isPast`: it happened at an earlier event, and this one has made up for it. */
  | {
      readonly code: 'effect.failed';
      readonly guard: string;
      readonly detail: string;
      readonly isPast?: true;
    }
  | {
      readonly code: 'rule.failed';
      readonly rule: string;
      /** What the rule does when it works. */
      readonly mode: Mode;
      /** `file:line:column`, as far as known. */
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

/** One line about an unknown error, fit for people: no stack, and no text that failed to parse as JSON. */
export function detailOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split('\n', 1)[0] ?? '';
  if (error instanceof SyntaxError) return line.replace(/, (?:\.\.\.)?".*/, '');
  // Drops the holder in a lock's symlink and the suffix of temporary files, which mean nothing to people.
  return line.replace(/(?<=symlink )'.*' -> |\.\d+\.[0-9a-z]+\.tmp(?=')/g, '');
}

/** The system's error code, such as `ENOENT`; empty if it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The result of `read`, or `undefined` if it throws. For files and other things that may be missing. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * The text of a regular file; `undefined` if it is missing or unreadable. A pipe or a device in its place would block us
 * until the host gives up, and then allows the event.
 */
export function readText(file: string): string | undefined {
  return attempt(() => (statSync(file).isFile() ? readFileSync(file, 'utf8') : undefined));
}

export class DeadlinePassed extends Error {
  readonly failure = { code: 'deadline.passed', ms: WATCHDOG_MS } as const;
}

export type Watchdog = <T>(work: () => T) => T;

const WATCHDOG_MS = 5000;

let watchdogScript: Script | undefined;

/**
 * Ends work that takes too long, even inside a regular expression that never returns: no timer can fire
 * there, but V8's own watchdog can. Nothing inside runs after that, not even `finally`, so locks must be
 * released outside. Code after an `await` is not watched, and all calls share one time limit.
 */
export function newWatchdog(leftMs = WATCHDOG_MS): Watchdog {
  let left = leftMs;
  return <T>(work: () => T): T => {
    const slot = globalThis as { holdpointWork?: () => T };
    const begun = Date.now();
    slot.holdpointWork = work;
    try {
      watchdogScript ??= new Script('holdpointWork()');
      return watchdogScript.runInThisContext({ timeout: Math.max(1, left) }) as T;
    } catch (error) {
      throw errorCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? new DeadlinePassed() : error;
    } finally {
      delete slot.holdpointWork;
      left -= Date.now() - begun;
    }
  };
}
