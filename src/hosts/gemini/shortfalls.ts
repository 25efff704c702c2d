import {
  EVERYWHERE,
  IDS_DIFFER,
  NO_API_ERRORS,
  NO_COMPACTION,
  NO_REPORT,
  NO_TOKENS,
  OPEN_IN_TIME,
  type Shortfall,
} from '../shortfall';

export const shortfalls: readonly Shortfall[] = [
  {
    guards: EVERYWHERE,
    text: 'In a folder that it does not trust Gemini CLI runs none of the project’s hooks.',
  },
  OPEN_IN_TIME,
  {
    guards: ['requirements', 'workflow'],
    text: 'Whether a shell command failed is told only in its text, and that it went well not at all: a test run counts only by what its output shows.',
  },
  {
    guards: ['requirements', 'workflow', 'loop'],
    text: 'The agent’s shell carries no session: in a project with a config it is found by the host’s process above the shell, else commands need --session.',
  },
  { guards: ['requirements'], text: 'Subagents are not told from the main agent.' },
  IDS_DIFFER,
  { guards: ['workflow'], text: 'In headless mode a question ends the run; the call is not made.' },
  {
    guards: ['workflow'],
    text: 'A delegation has no model of its own: the one that is chosen for it has no effect.',
  },
  NO_COMPACTION,
  NO_REPORT,
  NO_API_ERRORS,
  {
    guards: ['loop'],
    text: 'All words since the prompt are heard, not only the last message; those of a refused stop are heard once.',
  },
  NO_TOKENS,
];
