import type { GatesConfig } from '../config';
import type { GateResult } from '../run-result';
import type { Summary } from './summary';

export type Env = Readonly<Record<string, string | undefined>>;

/** Which part of the gates is wanted, and against what. */
export interface Selection {
  readonly gate?: string;
  readonly base?: string;
  readonly commit?: string;
  readonly uncommitted?: boolean;
  /** False: what has passed on the same files runs again. */
  readonly cache: boolean;
}

/** Everything a run needs to know. */
export interface RunRequest {
  /** The project's root, absolute. */
  readonly root: string;
  readonly config: GatesConfig;
  /** What is wrong with the config; if anything is, nothing runs. */
  readonly problems: readonly string[];
  readonly env: Env;
  readonly mode: 'run' | 'check' | 'review';
  readonly select: Selection;
  /** Milliseconds since the epoch after which the run must have ended. */
  readonly deadline?: number;
  /** The user's turn, where it is known: after the retry limit, another one may start anew. */
  readonly turn?: string;
  /** The words of the command, for the debug log. */
  readonly command: string;
  /** Whether a run that is going on already is told as `lock_exists`, as the hook does it. */
  readonly looksFirst?: boolean;
  readonly reporter: Reporter;
}

/** Is told what happens while it happens. Must not throw. */
export type Reporter = (event: RunEvent) => void;

export type RunEvent =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'warning'; readonly text: string }
  | { readonly kind: 'started'; readonly id: string }
  | { readonly kind: 'line'; readonly id: string; readonly line: string }
  | { readonly kind: 'finished'; readonly result: GateResult }
  | { readonly kind: 'summary'; readonly summary: Summary };
