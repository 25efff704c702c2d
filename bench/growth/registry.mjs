import { join } from 'node:path';
import { briefs, denies, isSilent } from '../answers.mjs';
import { edit, sessionCalled, start } from '../events.mjs';
import { projectWith, satisfyAll } from '../scenes/four-requirements.mjs';
import { write } from '../stage.mjs';
import { counted, rowsBySize } from './sizes.mjs';

const SIZES = [1, 100, 10_000];
const FIRST = 1_000_000;
/** Sessions that nobody else has, one for each turn. */
const NEW = 2_000_000;

/** A project whose home has a registry with that many sessions, each of which is alive: its process is ours. */
function projectWithSessions(size) {
  return (stage) => {
    const place = projectWith(stage, `registry-${size}`);
    const seconds = Math.floor(Date.now() / 1000);
    const sessions = Object.fromEntries(
      Array.from({ length: size }, (_, index) => {
        const session_id = sessionCalled(FIRST + index);
        const times = { started_at: seconds - 600, last_active: seconds };
        const project_dir = `/home/dev/project-${index % 50}`;
        const entry = {
          pid: process.pid,
          ppid: process.pid,
          session_id,
          project_dir,
          branch: 'main',
          ...times,
        };
        return [session_id.slice(0, 8), entry];
      }),
    );
    write(join(place.home, '.claude/sessions.json'), JSON.stringify({ version: '1.0', sessions }, null, 2));
    return place;
  };
}

const PLACES = new Map(SIZES.map((size) => [size, projectWithSessions(size)]));
const rowsNamed = (what, row) =>
  rowsBySize(SIZES, (size) => ({
    name: `growth: ${what}, ${counted(size, 'live session')}`,
    place: PLACES.get(size),
    ...row,
  }));

/** The registry is shared by all projects; a session looks into it when it starts and once a minute. */
export const registry = [
  ...rowsNamed('call', { before: satisfyAll, event: edit, expects: isSilent }),
  ...rowsNamed("session's first call", {
    event: (scene) => ({ ...edit(scene), session_id: sessionCalled(NEW + scene.turn) }),
    expects: denies,
  }),
  ...rowsNamed('session starts', { event: start, expects: briefs }),
];
