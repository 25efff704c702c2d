import type { Shortfall } from '../shortfall';

export const shortfalls: readonly Shortfall[] = [
  {
    guards: ['requirements', 'workflow', 'gates', 'loop'],
    text: 'Codex skips hooks that nobody has trusted in /hooks, without a word; `holdpoint doctor` tells.',
  },
  {
    guards: ['requirements', 'workflow'],
    text: 'Whether a shell command failed is not told: a pass is used up, and a test run counts, only by what its output shows.',
  },
  {
    guards: ['requirements'],
    text: 'The use of a skill or of plan mode is no tool call and is not seen; `req satisfy` takes its place.',
  },
  {
    guards: ['workflow'],
    text: 'Delegations are seen only as `spawn_agent`, and a patch to the workflow’s own files is refused without a look at its text.',
  },
  { guards: ['gates'], text: 'The status and message for scripts are not printed at the end of a turn.' },
  { guards: ['loop'], text: 'A turn that ends by an error of the API is not seen.' },
  { guards: ['loop'], text: 'Tokens are not counted: a loop’s bound on tokens does not hold.' },
];
