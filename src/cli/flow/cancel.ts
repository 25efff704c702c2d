import { parseArgs } from 'node:util';
import { succeed } from '../../core/failure';
import { cancelled } from '../../guards/workflow/moves';
import { NO_PROJECT } from '../messages';
import { refuse } from '../req/refuse';
import type { ExitCode, Verb } from '../verb';
import { requireOpen } from './active';
import * as say from './messages';
import { peopleOnly } from './people-only';
import { openFlow } from './place';
import { runMove } from './run-move';

export const verb: Verb = {
  usage: 'holdpoint flow cancel --reason TEXT [--json]',
  run(args, context): ExitCode {
    const { values } = parseArgs({
      args: [...args],
      options: { reason: { type: 'string', short: 'r' }, json: { type: 'boolean', default: false } },
    });
    const place = openFlow(context);
    if (place === undefined) return refuse(context, NO_PROJECT, 2);
    const reason = values.reason?.trim() ?? '';
    if (reason === '' && place.model.discipline.requireCancellationReason)
      return refuse(context, say.NO_REASON, 2);
    const denied = peopleOnly('cancel', context);
    if (denied !== undefined) return refuse(context, denied, 1);
    const call = { command: 'cancel', about: reason, json: values.json };
    return runMove(place, call, context, ({ state, standing }) => {
      const open = requireOpen(standing);
      if (!open.ok) return open;
      const now = Date.now();
      return succeed({
        what: 'cancelled the workflow',
        apply: (current) => cancelled(current, reason, now),
        lines: [...say.cancelledLines(open.value), ...say.waitingLines(state)],
      });
    });
  },
};
