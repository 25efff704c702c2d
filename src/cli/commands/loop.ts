import { withRefusals } from '../ui/refusal';
import { verbGroup } from '../verb-group';

const group = verbGroup({
  name: 'holdpoint loop',
  summary: 'Keeps an agent at its task until it says that the work is complete, or a bound is reached.',
  verbs: {
    start: {
      summary: 'Starts a loop for a session, with a task and its bounds.',
      load: () => import('../loop/start'),
    },
    status: {
      summary: 'Shows the loops of this project: iteration, bounds, what ends them.',
      load: async () => ({ verb: (await import('../loop/status')).status }),
    },
    log: {
      summary: 'Shows what became of the loops, the newest last.',
      load: async () => ({ verb: (await import('../loop/status')).log }),
    },
    pause: {
      summary: 'Lets turns end without counting, until the loop is resumed.',
      load: async () => ({ verb: (await import('../loop/control')).pause }),
    },
    resume: {
      summary: 'Goes on with a loop that is paused, went stale, or belongs to a session that has ended.',
      load: async () => ({ verb: (await import('../loop/control')).resume }),
    },
    cancel: {
      summary: 'Ends a loop; with --all, every loop of this project.',
      load: async () => ({ verb: (await import('../loop/control')).cancel }),
    },
  },
});

export const verb = withRefusals(group);
