import { unknownReqVerb } from '../req/messages';
import type { Verb, VerbTable } from '../verb';

const REQ_VERBS: VerbTable = {
  satisfy: {
    summary: 'Records that requirements are satisfied.',
    load: () => import('../req/satisfy'),
  },
  approve: {
    summary: 'The same, for who thinks of it as an approval.',
    load: () => import('../req/satisfy'),
  },
};

export const verb: Verb = {
  usage:
    'req satisfy NAME… [--session ID] [--branch [B]] [--ttl SECONDS] [--metadata JSON] [--force] [--json]',
  async run([name = '', ...rest], context) {
    const entry = Object.hasOwn(REQ_VERBS, name) ? REQ_VERBS[name] : undefined;
    if (entry === undefined) {
      context.out.error(unknownReqVerb(name, Object.keys(REQ_VERBS)));
      return 2;
    }
    return (await entry.load()).verb.run(rest, context);
  },
};
