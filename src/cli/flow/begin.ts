import { parseArgs } from 'node:util';
import { succeed } from '../../core/failure';
import { begun } from '../../guards/workflow/moves';
import { NO_PROJECT } from '../messages';
import { refuse } from '../req/refuse';
import type { ExitCode, Verb } from '../verb';
import { requireActive } from './active';
import * as say from './messages';
import { openFlow } from './place';
import { runMove } from './run-move';

export const verb: Verb = {
  usage: 'holdpoint flow begin [--json]',
  run(args, context): ExitCode {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    const place = openFlow(context);
    if (place === undefined) return refuse(context, NO_PROJECT, 2);
    const call = { command: 'begin', about: '', json: values.json };
    return runMove(place, call, context, ({ state, standing }) => {
      const active = requireActive(standing);
      if (!active.ok) return active;
      const now = Date.now();
      const { phase } = active.value;
      const isNew = begun(state, phase, now) !== state;
      return succeed({
        what: `begun ${phase}`,
        apply: (current) => begun(current, phase, now),
        lines: say.begunLines(place.model, active.value, isNew),
      });
    });
  },
};
