import type { ExitCode } from '../context';

/** Thrown to end a command with a message on standard error. */
export class Refusal extends Error {
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode = 1) {
    super(message);
    this.code = code;
  }
}

/** For a command that cannot run at all: wrong arguments, or the wrong place. */
export function cannotRun(message: string): Refusal {
  return new Refusal(message, 2);
}
