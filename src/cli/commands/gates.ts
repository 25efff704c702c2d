import { withRefusals } from '../ui/refusal';
import { verbGroup } from '../verb-group';
import { VERBS } from '../verbs';
import { version } from './help';

const group = verbGroup({
  name: 'holdpoint gates',
  summary: VERBS['gates']?.summary ?? '',
  unknown: (name) => `error: unknown command '${name}'.`,
  verbs: {
    run: {
      summary: 'Runs the gates that the changes concern: checks and reviews.',
      load: async () => ({ verb: (await import('../gates/run')).runVerb('run') }),
    },
    check: {
      summary: 'The same, checks alone.',
      load: async () => ({ verb: (await import('../gates/run')).runVerb('check') }),
    },
    review: {
      summary: 'The same, reviews alone.',
      load: async () => ({ verb: (await import('../gates/run')).runVerb('review') }),
    },
    detect: {
      summary: 'Says what has changed and which gates would run. Runs none.',
      load: async () => ({ verb: (await import('../gates/run')).detect }),
    },
    list: {
      summary: 'Lists the gates and the entry points.',
      load: async () => ({ verb: (await import('../gates/inspect')).list }),
    },
    health: {
      summary: 'Looks at the config files and at the reviewers.',
      load: async () => ({ verb: (await import('../gates/inspect')).health }),
    },
    validate: {
      summary: 'Says whether the config is valid, and where it is not.',
      load: async () => ({ verb: (await import('../gates/inspect')).validate }),
    },
    clean: {
      summary: 'Archives the logs and forgets the session: the next run is a first one.',
      load: async () => ({ verb: (await import('../gates/inspect')).clean }),
    },
    init: {
      summary: 'Writes a first config: on a terminal it asks, elsewhere flags decide.',
      load: () => import('../gates/init'),
    },
    ci: {
      summary: 'The checks on a build server: init, list-jobs.',
      load: () => import('../gates/ci'),
    },
    'stop-hook': {
      summary: 'Decides the end of a turn: JSON on standard input, one line of JSON out.',
      load: () => import('../gates/stop-hook'),
    },
  },
});

export const verb = withRefusals({
  ...group,
  run: (args, context) =>
    args[0] === '--version' ? version.run(args.slice(1), context) : group.run(args, context),
});
