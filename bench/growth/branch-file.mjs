import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSilent } from '../answers.mjs';
import { edit, sessionCalled } from '../events.mjs';
import { projectWith, satisfyAll } from '../scenes/four-requirements.mjs';
import { counted, rowsBySize } from './sizes.mjs';

const FIRST = 1_000_000;

/** The row's session has met everything, and so have as many others on the same branch. */
function satisfyBeside(others) {
  return (scene) => {
    satisfyAll(scene);
    const file = join(scene.place.root, '.git/requirements/feature-bench.json');
    const state = JSON.parse(readFileSync(file, 'utf8'));
    for (const { sessions } of Object.values(state.requirements)) {
      const [own] = Object.values(sessions);
      for (let count = 0; count < others; count++) {
        const session_id = sessionCalled(FIRST + count);
        sessions[session_id.slice(0, 8)] = { ...own, session_id };
      }
    }
    // Spaced as older programs wrote it.
    writeFileSync(file, `${JSON.stringify(state, null, 2)}\n`);
  };
}

export const branchFile = rowsBySize([1, 1000], (size) => ({
  name: `growth: call, ${counted(size, 'session')} in the branch file`,
  place: (stage) => projectWith(stage, `branch-${size}`),
  before: satisfyBeside(size - 1),
  event: edit,
  expects: isSilent,
}));
