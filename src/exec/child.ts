type Env = Readonly<Record<string, string | undefined>>;

/**
 * What becomes of one of a program's streams: nothing, an open file of ours, a pipe for both directions, or one
 * that it reads a text from.
 */
export type ChildStream = 'none' | 'pipe' | { readonly file: number } | { readonly text: string };

/** What to start. It becomes the leader of a group and a session of its own. */
export interface ChildOrder {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Env;
  /** The first three are its standard input, output and errors. */
  readonly streams: readonly ChildStream[];
}

/** Our end of a pipe. */
export interface ChildPipe {
  /** Begins to read; `end` comes once, in whatever way the pipe ends. */
  listen(take: (bytes: Uint8Array) => void, end: () => void): void;
  /** Whether what reads it may still be there. */
  write(text: string): boolean;
  /** Nobody waits for what may come. */
  unref(): void;
  close(): void;
}

export type ChildEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals };

export interface Child {
  readonly kind: 'started';
  readonly pid: number;
  /** Our ends, by the number of the stream. */
  readonly pipes: readonly (ChildPipe | undefined)[];
  readonly ended: Promise<ChildEnd>;
  /** Nobody waits for its end any more, nor for what it was to read. */
  letGo(): void;
  /** Somebody waits for its end again. */
  hold(): void;
}

export interface NotStartedChild {
  readonly kind: 'failed';
  /** What Node says about it. */
  readonly error: Promise<unknown>;
}

/** Throws nothing. */
export type StartProgram = (order: ChildOrder) => Child | NotStartedChild;
