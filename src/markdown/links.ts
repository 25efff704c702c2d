import { TITLE, targetEnd } from './link-parts';
import { matchAt } from './match-at';

/**
 * Whether something in the text could be the target or the label of a link and holds a mark of code or of HTML,
 * which then is none. Whether it is a link depends on brackets before it and on definitions anywhere.
 */
export function mayHideMarks(text: string): boolean {
  const opening = text.indexOf('[');
  for (const { index } of text.matchAll(/\][([]/g)) {
    if (opening < 0 || index < opening) continue;
    const target = matchAt(OPENING, text, index);
    const end = matchAt(target > 0 ? REST : LABEL, text, target > 0 ? targetEnd(text, target) : index + 1);
    if (/[`<]/.test(text.slice(index, end))) return true;
  }
  return false;
}

const LABEL = /\[(?:[^[\]\\]|\\.){1,999}\]/sy;
const OPENING = /\]\([ \n]*/y;
const REST = new RegExp(String.raw`${TITLE}[ \n]*\)`, 'sy');
