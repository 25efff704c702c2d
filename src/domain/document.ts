import type { Json } from './json';

/**
 * Where a document lives, without knowing the machine:
 * - `git`: the git common directory (`.holdpoint/` at the root where there is no git)
 * - `own`: our own directory inside it
 * - `project`: the root of the work tree
 * - `home`: the user's home
 */
export type DocumentBase = 'git' | 'own' | 'project' | 'home';

/**
 * What losing a write means:
 * - `durable`: synced to disk; a decision may rest on it
 * - `counted`: renamed only; a refused stop rests on it
 * - `bookkeeping`: renamed only; no decision ever depends on it
 */
export type Keeping = 'durable' | 'counted' | 'bookkeeping';

export interface DocumentRef {
  readonly base: DocumentBase;
  /** Relative to the base, with forward slashes. */
  readonly path: string;
  readonly format: 'json' | 'text';
  readonly keeping: Keeping;
}

/** A document as it was found. Unreadable is a fact, not an error: nothing in it counts. */
export type Document =
  | { readonly kind: 'present'; readonly value: Json; readonly version: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly file: string; readonly why: string };

/**
 * A change to one document. `apply` is pure and idempotent, gets what is on disk at the moment
 * of writing (`undefined` when missing or unreadable), and returns what shall be there;
 * the same value again means nothing to write, `undefined` means the file shall go.
 */
export interface Change {
  readonly document: DocumentRef;
  /** A few words for the journal, such as `triggered commit_plan`. */
  readonly what: string;
  apply(current: Json | undefined): Json | undefined;
}

export function documentKey(ref: DocumentRef): string {
  return `${ref.base}:${ref.path}`;
}
