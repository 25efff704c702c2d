import { redone } from '../../guards/workflow/moves';
import type { Verb } from '../verb';
import { goBack } from './go-back';

export const verb: Verb = {
  usage: 'holdpoint flow redo [PHASE] [--json]',
  run: (args, context) =>
    goBack(
      args,
      { command: 'redo', apply: (state, { phase, index }, _, now) => redone(state, phase, index, now) },
      context,
    ),
};
