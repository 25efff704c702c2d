import type { Shortfall } from '../shortfall';

/** What OpenCode lacks beside what its capabilities show. */
export const shortfalls: readonly Shortfall[] = [
  {
    guards: ['requirements', 'workflow', 'gates', 'loop'],
    text: 'In `opencode run` no stop is refused: the program ends with the turn',
  },
  { guards: ['requirements', 'workflow'], text: 'A tool that fails with an error is not told of afterwards' },
  { guards: ['loop'], text: 'Tokens are not counted: a loop’s bound on tokens does not hold' },
];
