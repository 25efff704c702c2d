import { parseArgs } from 'node:util';
import type { Verb } from '../verb';

export const verb: Verb = {
  usage: 'holdpoint version [--json]',
  run(args, { out }) {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    if (values.json) out.json({ version: __VERSION__ });
    else out.line(__VERSION__);
    return 0;
  },
};
