import {
  EVERYWHERE,
  IDS_DIFFER,
  NO_API_ERRORS,
  NO_REPORT,
  NO_TOKENS,
  OPEN_IN_TIME,
  type Shortfall,
} from '../shortfall';

/** What Copilot CLI lacks beside what its capabilities show. */
export const shortfalls: readonly Shortfall[] = [
  {
    guards: EVERYWHERE,
    text: 'In a folder that it does not trust Copilot CLI runs none of the project’s hooks.',
  },
  OPEN_IN_TIME,
  IDS_DIFFER,
  { guards: ['workflow'], text: 'In headless mode a question is a denial.' },
  {
    guards: ['loop', 'gates'],
    text: 'The host ends a turn after 8 refused stops, whatever the agent did in between.',
  },
  NO_REPORT,
  NO_API_ERRORS,
  NO_TOKENS,
];
