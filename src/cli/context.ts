import type { Chunks } from '../core/chunks';
import type { Caller } from './caller';
import type { Output } from './ui/output';

/** What a command works with: the world outside, and the ways to speak. */
export interface Context {
  /** The words that were typed behind the program's name. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly chunks: Chunks;
  readonly out: Output;
  /** Who runs the command. */
  caller(): Caller;
}

/** 0 fine, 1 the answer is no, 2 cannot run, 3 lock held; 129, 130 and 143 ended by a signal. */
export type ExitCode = 0 | 1 | 2 | 3 | 129 | 130 | 143;
