import { unknownReqVerb } from '../req/messages';
import type { Verb, VerbTable } from '../verb';

const REQ_VERBS: VerbTable = {
  satisfy: () => import('../req/satisfy'),
  approve: () => import('../req/satisfy'),
};

export const verb: Verb = {
  summary: 'Satisfies requirements: `req satisfy NAME…`, also installed as a command of its own.',
  usage:
    'req satisfy NAME… [--session ID] [--branch [B]] [--ttl SECONDS] [--metadata JSON] [--force] [--json]',
  async run([name = '', ...rest], context) {
    const load = Object.hasOwn(REQ_VERBS, name) ? REQ_VERBS[name] : undefined;
    if (load === undefined) {
      context.out.error(unknownReqVerb(name, Object.keys(REQ_VERBS)));
      return 2;
    }
    return (await load()).verb.run(rest, context);
  },
};
