import { localTime } from '../../core/text';
import type { JournalTrouble } from '../../state/journal-check';
import { plural } from '../ui/output';

/** What was done to the journal, as a sentence. */
export function journalSentence(trouble: JournalTrouble): string {
  switch (trouble.kind) {
    case 'missing': {
      const { lines, after } = trouble;
      const where = after === '' ? 'at its beginning' : `after ${after}`;
      return `${plural(lines, 'line')} of the journal ${lines === 1 ? 'is' : 'are'} missing ${where}`;
    }
    case 'changed':
      return `line ${trouble.id} of the journal was changed, or is not Holdpoint's`;
    case 'cut':
      return `lines of the journal from before ${localTime(trouble.at)} are missing`;
  }
}
