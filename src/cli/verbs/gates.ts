import type { Verb } from '../verb';

const MESSAGE = 'This version of Holdpoint has no gates yet; nothing was checked.';

/**
 * The name is taken already, because settings files call `agent-gauntlet stop-hook`. There an exit
 * code of 2 would refuse the stop, so that one answers in its own form and lets the turn end.
 */
export const verb: Verb = {
  usage: 'holdpoint gates …',
  run([first], { out }) {
    if (first === 'stop-hook') {
      out.json({ decision: 'approve', status: 'error', message: MESSAGE });
      return 0;
    }
    out.error(MESSAGE);
    return 2;
  },
};
