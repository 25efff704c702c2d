import { parseArgs } from 'node:util';
import { fail, succeed } from '../../core/failure';
import { suspended } from '../../guards/workflow/moves';
import { NO_PROJECT } from '../messages';
import { refuse } from '../req/refuse';
import type { ExitCode, Verb } from '../verb';
import { requireOpen } from './active';
import * as say from './messages';
import { peopleOnly } from './people-only';
import { openFlow } from './place';
import { runMove } from './run-move';

export const verb: Verb = {
  usage: 'holdpoint flow suspend [--json]',
  run(args, context): ExitCode {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    const place = openFlow(context);
    if (place === undefined) return refuse(context, NO_PROJECT, 2);
    const denied = peopleOnly('suspend', context);
    if (denied !== undefined) return refuse(context, denied, 1);
    const call = { command: 'suspend', about: '', json: values.json };
    return runMove(place, call, context, ({ standing }) => {
      const open = requireOpen(standing);
      if (!open.ok) return open;
      if (open.value.workflow.suspended) return fail(say.ALREADY_SUSPENDED);
      const now = Date.now();
      return succeed({
        what: 'suspended the workflow',
        apply: (state) => suspended(state, now),
        lines: say.suspendedLines(open.value),
      });
    });
  },
};
