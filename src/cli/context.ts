import type { Chunks } from '../core/chunks';
import type { Caller } from './caller';
import type { Output } from './ui/output';

export interface Context {
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly chunks: Chunks;
  readonly out: Output;
  caller(): Caller;
}

/** 0 success, 1 the answer is no, 2 cannot run, 3 lock held; 129, 130 and 143: ended by a signal. */
export type ExitCode = 0 | 1 | 2 | 3 | 129 | 130 | 143;
