import type { Context, ExitCode } from '../verb';

/** Whoever calls a command of the older program that has no counterpart is told so. */
export function notPart(name: string, { out }: Context): ExitCode {
  out.error(`req ${name} is not part of Holdpoint, and nothing was done. 'req --help' shows what is.`);
  return 2;
}
