import type { Shortfall } from '../shortfall';

/** What Copilot CLI lacks beside what its capabilities show. */
export const shortfalls: readonly Shortfall[] = [
  {
    guards: ['requirements', 'workflow', 'gates', 'loop'],
    text: 'A hook that runs out of time lets the call through',
  },
  {
    guards: ['loop', 'gates'],
    text: 'The host ends a turn after 8 refused stops, whatever the agent did in between',
  },
  { guards: ['loop'], text: 'Tokens are not counted: a loop’s bound on tokens does not hold' },
];
