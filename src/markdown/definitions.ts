import { TITLE, targetEnd } from './link-parts';
import { matchAt } from './match-at';

/** Where the text of a paragraph begins, after the link reference definitions at its front. */
export function afterDefinitions(text: string): number {
  let at = 0;
  for (;;) {
    const target = matchAt(LABEL, text, at);
    const rest = target > 0 ? targetEnd(text, target) : target;
    const end = rest > target ? matchAt(REST, text, rest) : 0;
    if (end === 0) return at;
    at = end;
  }
}

const LABEL = /\[(?=[^\]]*[^ \n\]])(?:[^[\]\\]|\\.){1,999}\]:[ \n]*/sy;
/** A title that does not end its line is none, and then the target has to. */
const REST = new RegExp(String.raw`${TITLE} *(?:\n|$)`, 'sy');
