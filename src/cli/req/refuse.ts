import type { Context, ExitCode } from '../verb';

/** Says why not, and ends the command with that code. */
export function refuse({ out }: Context, why: string, code: ExitCode): ExitCode {
  out.error(why);
  return code;
}
