import type { CancelSignal } from './cancel-signal';

/** What to run. There is never a shell in between: `args` reach the program as they are. */
export interface RunSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; a mark by which we know our own again is added, and what hosts took for our sake given back. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Without it, standard input is at its end from the start. */
  readonly input?: string;
  readonly timeoutMs: number;
  /** How much of each of the two streams is kept; the middle of the rest goes. */
  readonly maxBytesInMemory: number;
  /** Both streams as they come, appended. What lies in the middle of too much is left out. */
  readonly log?: { readonly file: string; readonly maxBytes: number };
  /** Called for each line of either stream while the program runs. */
  onLine?(line: string): void;
  readonly signal?: CancelSignal;
}

export type WhyNotStarted =
  | 'not-found'
  | 'not-executable'
  | 'bad-cwd'
  | 'bad-arguments'
  | 'bad-log'
  | 'no-resources'
  | 'unknown';

/** How a program came to its end. */
export type RunEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'not-started'; readonly why: WhyNotStarted; readonly detail: string };

/** `cut`: the middle is missing. `broken`: writing failed on the way. */
export type LogState = 'none' | 'whole' | 'cut' | 'broken';

/** What a program said until then. */
export interface RunOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Whether anything of the two texts was left out. */
  readonly cut: boolean;
  readonly log: LogState;
}

export type RunResult = RunEnd & RunOutput & { readonly durationMs: number };
