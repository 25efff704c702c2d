import type { Chunks } from '../core/chunks';
import type { Output } from './ui/output';

/** What a verb works with: the world outside, and the ways to speak. */
export interface Context {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly chunks: Chunks;
  readonly out: Output;
}

/** 0 fine, 1 the answer is no, 2 cannot run, 3 lock held, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 3 | 130;

/** One command, in a file of its own that is loaded only when it is called. */
export interface Verb {
  readonly usage: string;
  /** The commands below it; a verb that has some answers `--help` itself. */
  readonly commands?: VerbTable;
  run(args: readonly string[], context: Context): ExitCode | Promise<ExitCode>;
}

/** A verb before its file is loaded. */
export interface VerbEntry {
  readonly summary: string;
  load(): Promise<{ readonly verb: Verb }>;
}

export type VerbTable = Readonly<Record<string, VerbEntry>>;
