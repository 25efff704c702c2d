import { briefs, isSilent, loops } from '../answers.mjs';
import { after, brokenOff, edit, prompt, start, stop } from '../events.mjs';

const looping = (stage) => stage.repository('loop', { files: { 'a.ts': 'a\n' } });

/** A loop that no number of rounds brings to its end. */
export function startLoop({ place, session, stage }) {
  const task = ['--session', session, '--max', '1000000', 'Make the tests pass'];
  stage.product(place, 'holdpoint', 'loop', 'start', ...task);
}

/** A loop of the row's own session, in a repository without config in which loops of others go on too. */
export const loop = [
  { name: 'loop: stop held', place: looping, before: startLoop, event: stop, expects: loops },
  { name: "loop: stop beside another's", place: looping, event: stop, expects: isSilent },
  {
    name: 'loop: after an edit',
    place: looping,
    before: startLoop,
    event: after(edit, {}),
    expects: isSilent,
  },
  { name: 'loop: prompt', place: looping, before: startLoop, event: prompt, expects: isSilent },
  { name: 'loop: session starts', place: looping, before: startLoop, event: start, expects: briefs },
  { name: 'loop: turn broken off', place: looping, before: startLoop, event: brokenOff, expects: isSilent },
];
