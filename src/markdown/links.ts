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
    const target = matchAt(/\]\([ \n]*/y, text, index);
    const end =
      target > 0
        ? matchAt(restOfLink(), text, targetEnd(text, target))
        : matchAt(/\[(?:[^[\]\\]|\\.){1,999}\]/sy, text, index + 1);
    if (/[`<]/.test(text.slice(index, end))) return true;
  }
  return false;
}

let ending: RegExp | undefined;

function restOfLink(): RegExp {
  ending ??= new RegExp(String.raw`${TITLE}[ \n]*\)`, 'sy');
  return ending;
}
