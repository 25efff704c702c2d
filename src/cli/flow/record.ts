import { verbGroup } from '../verb-group';

export const verb = verbGroup({
  name: 'holdpoint flow record',
  summary: 'Records evidence that only the agent can give. It is counted, and stands in the journal.',
  verbs: {
    constitution: {
      summary: 'The phase was checked against articles of the constitution.',
      load: () => import('./record-constitution'),
    },
    elicitation: {
      summary: 'The person who was asked has made their last choice.',
      load: () => import('./record-elicitation'),
    },
  },
});
