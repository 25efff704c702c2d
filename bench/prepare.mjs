// Makes rows ready to be run. A row has a `name`, a `place` (a function that makes it; rows with the same
// function share it), `expects` (what a fit answer is) and, if it is an event, `event`: its members for a
// session and a turn. `before` brings the row's own session into its state; `command` is what is run, the
// hook unless it says otherwise; `smallest` names the row that this one is held against; `times` is how often
// it is run in a round, once unless it says otherwise.
import { join } from 'node:path';
import { documentOf, sessionCalled } from './events.mjs';
import { MEMORY_RUNS } from './memory.mjs';

/** The first event compiles config and code, the next ones keep the code of every way to end. */
export const WARM_UPS = 6;

/** The rows with command, directory, home and an input for every turn; and why some could not be had. */
export function prepare(rows, stage, rounds) {
  const places = new Map();
  const notes = [];
  const placeOf = (make) => {
    if (!places.has(make)) places.set(make, make(stage));
    return places.get(make);
  };
  const ready = rows.flatMap((row, index) => {
    const place = placeOf(row.place);
    if (place.missing !== undefined) {
      if (!notes.includes(place.missing)) notes.push(place.missing);
      return [];
    }
    const session = sessionCalled(index + 1);
    row.before?.({ place, session, stage });
    return [
      {
        name: row.name,
        smallest: row.smallest,
        times: row.times ?? 1,
        expects: row.expects,
        home: place.home,
        cwd: place.root,
        command: row.command?.({ place, stage }) ?? [process.execPath, join(stage.dist, 'hook.cjs')],
        inputs: row.event === undefined ? [] : inputsOf(row, index, { place, session, stage, rounds }),
      },
    ];
  });
  return { ready, notes };
}

/** A document for every turn: one that was counted already would write nothing. */
function inputsOf(row, index, { place, session, stage, rounds }) {
  return Array.from({ length: WARM_UPS + rounds + MEMORY_RUNS }, (_, turn) => {
    const members = row.event({ place, session, turn });
    const document = documentOf({ place, session, turn }, members);
    return stage.write(`inputs/${index}-${turn}.json`, JSON.stringify(document));
  });
}
