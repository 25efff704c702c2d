import { join } from 'node:path';
import { denies } from '../answers.mjs';
import { edit } from '../events.mjs';
import { projectWith } from '../scenes/four-requirements.mjs';
import { write } from '../stage.mjs';
import { counted, rowsBySize } from './sizes.mjs';

const LINE = '{"id":"0123456789","at":"2026-01-01T00:00:00.000Z","event":"PreToolUse","decision":"deny"}\n';
/** Room for what the rounds add before the journal is put away. */
const LARGEST_BYTES = 3 * 1024 * 1024;

/** A repository with that many lines in its journal: the newest file nearly full, the rest in those put away. */
function projectWithJournal(size) {
  return (stage) => {
    const place = projectWith(stage, `journal-${size}`);
    const newest = Math.min(size, Math.floor(LARGEST_BYTES / LINE.length));
    const own = join(place.root, '.git/holdpoint');
    write(join(own, 'journal.jsonl'), LINE.repeat(newest));
    const older = Math.ceil((size - newest) / 3);
    if (older > 0)
      for (const number of [1, 2, 3]) write(join(own, `journal.${number}.jsonl`), LINE.repeat(older));
    return place;
  };
}

/** A denial is noted in the journal. */
export const journal = rowsBySize([1, 1_000_000], (size) => ({
  name: `growth: denial, ${counted(size, 'journal line')}`,
  place: projectWithJournal(size),
  event: edit,
  expects: denies,
}));
