import type { WorkflowInput } from '../schema';
import { AGENTS } from './agents';
import { PHASE_ALIASES, PHASES } from './phases';
import { OVERRIDES, REQUIREMENTS } from './requirements';
import { WORKFLOWS } from './workflows';

const ORCHESTRATED = { agent: 'sdlc-orchestrator', exempt: ['add', 'analyze'] };

/** The built-in workflows, written as a user writes a section. */
export const ISDLC: WorkflowInput = {
  workflows: WORKFLOWS,
  phases: PHASES,
  agents: AGENTS,
  phase_aliases: PHASE_ALIASES,
  requirements: REQUIREMENTS,
  overrides: OVERRIDES,
  setup_commands: [
    'discover',
    'constitution',
    'init',
    'setup',
    'configure',
    'configure-cloud',
    'new project',
    'project setup',
    'install',
    'status',
  ],
  must_delegate: {
    sdlc: ORCHESTRATED,
    isdlc: ORCHESTRATED,
    discover: { agent: 'discover-orchestrator' },
  },
};
