import { isSilent } from '../answers.mjs';
import { BASE, EMPTY } from '../summary.mjs';

const anywhere = (stage) => stage.bare('node-alone');

/** In every round, as a mistake in these figures would be in all ratios. */
const times = 4;

/** What everything is held against: node that does nothing, and node that loads a file with nothing in it. */
export const nodeAlone = [
  { name: BASE, times, place: anywhere, command: () => [process.execPath, '-e', '0'], expects: isSilent },
  {
    name: EMPTY,
    times,
    place: anywhere,
    command: ({ stage }) => [process.execPath, stage.write('empty.cjs', '')],
    expects: isSilent,
  },
];
