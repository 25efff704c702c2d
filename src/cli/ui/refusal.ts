import type { ExitCode, Verb } from '../verb';

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

/** A command, or a group of them, that may throw refusals. */
export function withRefusals(verb: Verb): Verb {
  return {
    ...verb,
    async run(args, context) {
      try {
        return await verb.run(args, context);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        context.out.error(error.message);
        return error.code;
      }
    },
  };
}
