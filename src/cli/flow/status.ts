import { parseArgs } from 'node:util';
import { standingOf } from '../../guards/workflow/gate';
import { NO_PROJECT } from '../messages';
import { refuse } from '../req/refuse';
import type { ExitCode, Verb } from '../verb';
import { openFlow, readState } from './place';
import { flowJson, standingJson } from './status-json';
import { statusLines } from './status-text';
import { treeNow } from './tree';

export const verb: Verb = {
  usage: 'holdpoint flow status [--json]',
  async run(args, context): Promise<ExitCode> {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    const { out } = context;
    const place = openFlow(context);
    if (place === undefined) return refuse(context, NO_PROJECT, 2);
    for (const problem of place.model.problems) out.error(problem);
    const state = readState(place);
    if (!state.ok) {
      if (values.json) out.json({ ...flowJson(place.model, {}), trouble: state.failure });
      return refuse(context, state.failure, 1);
    }
    const { tree } = await treeNow(place, state.value, context);
    const standing = standingOf(place.model, state.value, tree);
    if (values.json) out.json(standingJson(standing, state.value));
    else for (const line of statusLines(place, state.value, standing, out)) out.line(line);
    return 0;
  },
};
