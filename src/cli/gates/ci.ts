import { verbGroup } from '../verb-group';

export const verb = verbGroup({
  name: 'holdpoint gates ci',
  summary: 'The checks on a build server.',
  verbs: {
    init: {
      summary: 'Writes a workflow for GitHub Actions, and a first ci.yml.',
      load: () => import('./ci-init'),
    },
    'list-jobs': {
      summary: 'Prints the jobs of the workflow as one line of JSON.',
      load: () => import('./ci-list-jobs'),
    },
  },
});
