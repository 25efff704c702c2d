import { parseArgs } from 'node:util';
import { printableSchema } from '../../core/compile-config';
import type { Verb } from '../verb';

export const verb: Verb = {
  usage: 'holdpoint schema [--json]\n\nIt is JSON with and without the flag.',
  run(args, { out }) {
    parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
    out.line(JSON.stringify(printableSchema(), null, 2));
    return 0;
  },
};
