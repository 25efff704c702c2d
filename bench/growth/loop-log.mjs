import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loops } from '../answers.mjs';
import { stop } from '../events.mjs';
import { startLoop } from '../scenes/loop.mjs';
import { counted, rowsBySize } from './sizes.mjs';

/** Starts a loop, and writes its state so often as if it had gone on for so many iterations. */
function startLong(scene, iterations) {
  startLoop(scene);
  const log = join(scene.place.root, '.git/holdpoint/loop.jsonl');
  const [record, state] = readFileSync(log, 'utf8').trimEnd().split('\n');
  const states = Array.from({ length: iterations }, () => state);
  writeFileSync(log, `${[record, ...states].join('\n')}\n`);
}

/** Every stop that is held adds a message to the log of the loop. */
export const loopLog = rowsBySize([10, 2000], (iterations) => ({
  name: `growth: loop, ${counted(iterations, 'iteration')}`,
  place: (stage) => stage.repository(`loop-log-${iterations}`),
  before: (scene) => startLong(scene, iterations),
  event: stop,
  expects: loops,
}));
