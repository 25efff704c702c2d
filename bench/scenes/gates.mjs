import { reports } from '../answers.mjs';
import { stop } from '../events.mjs';
import { gatedProject } from './gated-project.mjs';

const resting = (stage) => gatedProject(stage, 'gates-resting', { interval: 600, cache: true });
const working = (stage) => gatedProject(stage, 'gates-working', { interval: 0, cache: false });
const unchanged = (stage) => gatedProject(stage, 'gates-unchanged', { interval: 0, cache: true });

/** Gates at the end of a turn, through the hook: while they rest, when one has to run, and when it has passed before. */
export const gates = [
  {
    name: 'gates: stop in the interval',
    place: resting,
    event: stop,
    expects: reports('interval_not_elapsed'),
  },
  { name: 'gates: stop, one check runs', place: working, event: stop, expects: reports('passed') },
  { name: 'gates: stop, nothing has changed', place: unchanged, event: stop, expects: reports('passed') },
];
