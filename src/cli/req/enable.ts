import type { Verb } from '../verb';
import { switchRequirements } from './switch';

export const verb: Verb = {
  usage: 'req enable [NAME] [--json]',
  run: (args, context) => switchRequirements(true, args, context),
};
