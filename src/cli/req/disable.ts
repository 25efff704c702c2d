import type { Verb } from '../verb';
import { switchRequirements } from './switch';

export const verb: Verb = {
  usage: 'req disable [NAME] [--json]',
  run: (args, context) => switchRequirements(false, args, context),
};
