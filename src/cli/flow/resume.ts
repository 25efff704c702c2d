import { parseArgs } from 'node:util';
import { fail, succeed } from '../../core/failure';
import { resumed } from '../../guards/workflow/moves';
import { NO_PROJECT } from '../messages';
import { refuse } from '../req/refuse';
import type { ExitCode, Verb } from '../verb';
import { requireOpen } from './active';
import * as say from './messages';
import { openFlow } from './place';
import { runMove } from './run-move';

export const verb: Verb = {
  usage: 'holdpoint flow resume [--json]',
  run(args, context): ExitCode {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    const place = openFlow(context);
    if (place === undefined) return refuse(context, NO_PROJECT, 2);
    const call = { command: 'resume', about: '', json: values.json };
    return runMove(place, call, context, ({ standing }) => {
      const open = requireOpen(standing);
      if (!open.ok) return open;
      if (!open.value.workflow.suspended) return fail(say.NOT_SUSPENDED);
      return succeed({
        what: 'resumed the workflow',
        apply: resumed,
        lines: say.resumedLines(open.value, place.head),
      });
    });
  },
};
