import { withRefusals } from '../ui/refusal';
import { verbGroup } from '../verb-group';

const group = verbGroup({
  name: 'holdpoint flow',
  summary: 'Workflows: phases in their order, and what each has to show before the next may begin.',
  verbs: {
    start: {
      summary: 'Starts a workflow, on a branch of its own.',
      load: () => import('../flow/start'),
    },
    begin: {
      summary: 'Begins the work on the current phase.',
      load: async () => ({ verb: (await import('../flow/moves')).begin }),
    },
    record: {
      summary: 'Records evidence that only the agent can give: constitution, elicitation.',
      load: async () => ({ verb: (await import('../flow/moves')).record }),
    },
    advance: {
      summary: 'Goes on to the next phase, or says what is missing and how to get it.',
      load: async () => ({ verb: (await import('../flow/gate')).advance }),
    },
    redo: {
      summary: 'Does a phase again; what later ones have shown is kept.',
      load: async () => ({ verb: (await import('../flow/moves')).redo }),
    },
    rollback: {
      summary: 'Goes back to a phase; it and all after it are to be done again.',
      load: async () => ({ verb: (await import('../flow/moves')).rollback }),
    },
    suspend: {
      summary: 'Lets the rules rest, until it is resumed. A person only.',
      load: async () => ({ verb: (await import('../flow/moves')).suspend }),
    },
    resume: {
      summary: 'Goes on with a suspended workflow.',
      load: async () => ({ verb: (await import('../flow/moves')).resume }),
    },
    cancel: {
      summary: 'Ends a workflow before it is finished, with a reason. A person only.',
      load: async () => ({ verb: (await import('../flow/moves')).cancel }),
    },
    approve: {
      summary: 'Opens the gate of the current phase. A person only.',
      load: async () => ({ verb: (await import('../flow/gate')).approve }),
    },
    status: {
      summary: 'Shows the phases, and what the current one still lacks.',
      load: () => import('../flow/status'),
    },
  },
});

export const verb = withRefusals(group);
