/** What the loop's section compiles to. Plain data: it goes through JSON into the compiled config. */
export type LoopConfig = {
  /** How many iterations a frame has that names no bound itself. */
  readonly maxIterations: number;
  /** The same for a frame of mode `grind` that `loop start` writes. */
  readonly grindMax: number;
  /** Bounds that `loop start` writes into its frames; absent means none. */
  readonly maxMinutes?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** Whether a loop of `loop start` that makes no progress is told so, and ended. */
  readonly stall: boolean;
  /** Whether the agent is told that a signal was in a place where it does not count. */
  readonly nearMiss: boolean;
  /** Whether `loop start` repeats the task at every iteration unless told otherwise. */
  readonly includePrompt: boolean;
  /** Seconds without a sign of life after which a loop is not continued. */
  readonly ttlSeconds: number;
  /** How a refused stop is told: by exit code 2 with the exact bytes, or as plain JSON with exit code 0. */
  readonly output: 'exit2' | 'exit0-json';
};

/** A project that says nothing of loops has these. */
export const LOOP_DEFAULTS: LoopConfig = {
  maxIterations: 10,
  grindMax: 100,
  stall: true,
  nearMiss: true,
  includePrompt: false,
  ttlSeconds: 7200,
  output: 'exit2',
};
