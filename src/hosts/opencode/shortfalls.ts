import { EVERYWHERE, NO_API_ERRORS, NO_COMPACTION, NO_REPORT, NO_TOKENS, type Shortfall } from '../shortfall';

/** What OpenCode lacks beside what its capabilities show. */
export const shortfalls: readonly Shortfall[] = [
  {
    guards: EVERYWHERE,
    text: 'In `opencode run` no stop is refused: the program ends with the turn.',
    isGrave: true,
  },
  {
    guards: ['requirements', 'workflow'],
    text: 'A tool that fails with an error is not told of afterwards.',
  },
  NO_COMPACTION,
  NO_REPORT,
  NO_API_ERRORS,
  NO_TOKENS,
];
