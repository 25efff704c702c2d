import { printableSchema } from '../../pipeline/compile-config';
import type { Verb } from '../verb';

export const verb: Verb = {
  usage: 'holdpoint schema',
  run(_args, { out }) {
    out.line(JSON.stringify(printableSchema(), null, 2));
    return 0;
  },
};
