import type { ExitCode } from '../context';

/** Thrown to end a command with a message on standard error. */
export class Refusal extends Error {
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode = 1) {
    super(message);
    this.code = code;
  }
}

/** The refusal of a command that cannot run at all: it was called wrongly, or in the wrong place. */
export function cannotRun(message: string): Refusal {
  return new Refusal(message, 2);
}
