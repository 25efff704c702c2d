import type { Shortfall } from '../shortfall';

export const shortfalls: readonly Shortfall[] = [
  {
    guards: ['requirements', 'workflow', 'gates', 'loop'],
    text: 'In a folder that it does not trust Gemini CLI runs none of the project’s hooks.',
  },
  {
    guards: ['requirements', 'workflow'],
    text: 'Whether a shell command failed is told only in its text, and that it went well not at all: a test run counts only by what its output shows.',
  },
  {
    guards: ['requirements', 'workflow', 'loop'],
    text: 'The agent’s shell carries no session: in a project with a config it is found by the host’s process above the shell, else commands need --session.',
  },
  {
    guards: ['requirements'],
    text: 'Subagents are not told from the main agent, and a call before and after it ran have different ids.',
  },
  { guards: ['workflow'], text: 'In headless mode a question ends the run; the call is not made.' },
  { guards: ['requirements'], text: 'That the conversation was compacted is not seen.' },
  { guards: ['loop'], text: 'A turn that ends by an error of the API is not seen.' },
  { guards: ['gates'], text: 'The status and message for scripts are not printed at the end of a turn.' },
  {
    guards: ['loop'],
    text: 'All words since the prompt are heard, not only the last message; those of a refused stop are heard once.',
  },
  { guards: ['loop'], text: 'Tokens are not counted: a loop’s bound on tokens does not hold.' },
];
