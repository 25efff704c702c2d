import type { Verb } from '../verb';

/** Only its description lives here: the launcher takes the fast way before the command line is loaded. */
export const verb: Verb = {
  usage: 'holdpoint gates stop-hook',
  run() {
    throw new Error('the stop hook was called past its launcher');
  },
};
