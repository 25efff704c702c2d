import type { Verb } from '../verb';

/** A command of the older program that has no counterpart; whoever calls it is told so. */
export function notPart(name: string): Verb {
  return {
    usage: `req ${name} (not part of Holdpoint)`,
    run(_args, { out }) {
      out.error(`req ${name} is not part of Holdpoint, and nothing was done. 'req --help' shows what is.`);
      return 2;
    },
  };
}
