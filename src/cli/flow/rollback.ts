import { rolledBack } from '../../guards/workflow/moves';
import type { Verb } from '../verb';
import { goBack } from './go-back';

export const verb: Verb = {
  usage: 'holdpoint flow rollback PHASE [--json]',
  run: (args, context) =>
    goBack(
      args,
      {
        command: 'rollback',
        apply: (state, { index }, phases, now) => rolledBack(state, phases, index, now),
      },
      context,
    ),
};
