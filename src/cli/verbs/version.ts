import type { Verb } from '../verb';

export const verb: Verb = {
  usage: 'holdpoint version [--json]',
  run(args, { out }) {
    if (args.includes('--json')) out.json({ version: __VERSION__ });
    else out.line(__VERSION__);
    return 0;
  },
};
