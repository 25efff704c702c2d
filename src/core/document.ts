import type { Json } from './json';

/**
 * Where a document lives, without knowing the machine:
 * - `git`: the git common directory (`.holdpoint/` at the root where there is no git)
 * - `own`: our own directory inside it
 * - `project`: the root of the work tree
 * - `home`: the user's home
 * - `messages`: the message store (`.jwz` or `.zawinski`) nearest above the event's directory
 */
export type DocumentBase = 'git' | 'own' | 'project' | 'home' | 'messages';

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
  readonly format: 'json' | 'text' | 'topic';
  readonly keeping: Keeping;
  /** Which messages of the file are meant; only with format `topic`. */
  readonly topic?: TopicAsk;
}

/** One topic of a message file, read backwards until a message of the session, or of nobody, has been met. */
export interface TopicAsk {
  readonly name: string;
  readonly session: string;
  /** Whether what other sessions have to say is wanted where there is nothing of this one. */
  readonly others?: 'unwanted';
}

/** One message of a topic. Without an id it has not been written yet. */
export type TopicMessage = {
  readonly id?: string;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  readonly body: string;
};

/**
 * The value of a document of format `topic`: the newest messages, oldest first. A change to it returns the
 * same value with messages added at the end; they are appended to the file, and nothing in it is rewritten.
 */
export type Topic = {
  /** The directory that the file lies in. */
  readonly dir: string;
  /** Whether the file has a record of the topic. */
  readonly known: boolean;
  /** The id under which new messages are added, where it is known. */
  readonly id?: string;
  readonly messages: readonly TopicMessage[];
};

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
