import { TITLE, targetEnd } from './link-parts';
import { matchAt } from './match-at';

/** Where the text of a paragraph begins, after the link reference definitions at its front. */
export function afterDefinitions(text: string): number {
  let at = 0;
  for (;;) {
    const target = matchAt(/\[(?=[^\]]*[^ \n\]])(?:[^[\]\\]|\\.){1,999}\]:[ \n]*/sy, text, at);
    const rest = target > 0 ? targetEnd(text, target) : target;
    const end = rest > target ? matchAt(restOfLine(), text, rest) : 0;
    if (end === 0) return at;
    at = end;
  }
}

let ending: RegExp | undefined;

/** A title that does not end its line is none, and then the target has to. */
function restOfLine(): RegExp {
  ending ??= new RegExp(String.raw`${TITLE} *(?:\n|$)`, 'sy');
  return ending;
}
