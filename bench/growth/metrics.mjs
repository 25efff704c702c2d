import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { briefs, isSilent } from '../answers.mjs';
import { edit, sessionCalled, start } from '../events.mjs';
import { projectWith, satisfyAll } from '../scenes/four-requirements.mjs';
import { counted, rowsBySize } from './sizes.mjs';

const SIZES = [1, 10_000];
const FIRST = 1_000_000;

/** A repository in which that many sessions have left their counts. */
function projectWithMetrics(size) {
  return (stage) => {
    const place = projectWith(stage, `metrics-${size}`);
    const dir = join(place.root, '.git/requirements/sessions');
    mkdirSync(dir, { recursive: true });
    for (let index = 0; index < size; index++) {
      const id = sessionCalled(FIRST + index);
      const metrics = {
        version: '1.0',
        session_id: id.slice(0, 8),
        full_session_id: id,
        project_dir: place.root,
        branch: 'feature/bench',
        started_at: 1_700_000_000,
        tools: { Edit: { count: 3, blocked_count: 1, files: ['a.ts'], commands: [] } },
        requirements: {},
      };
      writeFileSync(join(dir, `${id.slice(0, 8)}.json`), JSON.stringify(metrics));
    }
    return place;
  };
}

const PLACES = new Map(SIZES.map((size) => [size, projectWithMetrics(size)]));
const rowsNamed = (what, row) =>
  rowsBySize(SIZES, (size) => ({
    name: `growth: ${what}, ${counted(size, 'metrics file')}`,
    place: PLACES.get(size),
    ...row,
  }));

export const metrics = [
  ...rowsNamed('call', { before: satisfyAll, event: edit, expects: isSilent }),
  ...rowsNamed('session starts', { event: start, expects: briefs }),
];
