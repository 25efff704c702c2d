import type { Shortfall } from '../shortfall';

/** What Claude Code lacks beside what its capabilities show. */
export const shortfalls: readonly Shortfall[] = [
  {
    guards: ['requirements', 'workflow', 'gates', 'loop'],
    text: 'Started in a directory below the project’s root, Claude Code does not load the project’s hooks',
  },
  {
    guards: ['requirements', 'workflow', 'gates', 'loop'],
    text: 'A hook that runs out of time lets the call through, unless it was installed with `--fail-closed`',
  },
  {
    guards: ['gates', 'loop'],
    text: 'The host ends a turn after 8 refused stops in a row without tool use',
  },
];
