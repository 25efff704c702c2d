import type { Shortfall } from '../shortfall';

/** What Cursor lacks beside what its capabilities show. */
export const shortfalls: readonly Shortfall[] = [
  {
    guards: ['requirements', 'workflow', 'gates', 'loop'],
    text: 'Written after Cursor’s documents; not run against Cursor itself',
  },
  { guards: ['loop'], text: 'What the agent said last is not told, so its signals are not heard' },
  { guards: ['loop'], text: 'Tokens are not counted: a loop’s bound on tokens does not hold' },
  {
    guards: ['requirements', 'workflow', 'loop'],
    text: 'The agent’s shell does not know its session: where several are live, commands need --session',
  },
  { guards: ['gates', 'loop'], text: 'The host ends a turn after 5 refused stops' },
];
