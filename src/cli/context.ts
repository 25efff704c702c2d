import type { Chunks } from '../core/guard';
import type { Caller } from './caller';
import { printAll, printError, printJson } from './ui/output';

export interface Context {
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly chunks: Chunks;
  /** Whether `--json` was given. */
  readonly json: boolean;
  caller(): Caller;
}

/** 0 success, 1 the answer is no, 2 cannot run, 3 lock held; 129, 130 and 143: ended by a signal. */
export type ExitCode = 0 | 1 | 2 | 3 | 129 | 130 | 143;

/** Thrown to end a command with a message on standard error, where control characters are escaped. */
export class Refusal extends Error {
  readonly code: ExitCode;
  /** Printed with `--json`. */
  readonly document: object;

  constructor(message: string, code: ExitCode = 1, document: object = { error: { message } }) {
    super(message);
    this.code = code;
    this.document = document;
  }
}

/** For a command that cannot run at all: wrong arguments, or the wrong place. */
export function cannotRun(message: string, document?: object): Refusal {
  return new Refusal(message, 2, document);
}

/** Does `work`. If it refuses, the command cannot run: its own words go before and after the reason. */
export function refusingWith<T>(before: string, work: () => T, after = ''): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw cannotRun(`${before}${error.message}${after}`);
  }
}

/** A command's options: flags, and texts that are absent if not given. */
export type Options<Switches extends string = never, Texts extends string = never> = Readonly<
  Record<Switches, boolean> & Partial<Record<Texts, string>>
>;

/** Prints a result as JSON, or as lines and problems for people. Always returns 0. */
export function report(
  { json }: Pick<Context, 'json'>,
  value: unknown,
  lines: readonly string[],
  problems: readonly string[] = [],
): ExitCode {
  if (json) printJson(value);
  else {
    printAll(lines);
    for (const problem of problems) printError(problem);
  }
  return 0;
}
