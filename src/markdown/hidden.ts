import { endOfHtml, searched } from './html-tags';
import { runEnd } from './lines';
import { mayHideMarks } from './links';

/** A part of a text that a reader does not see as text, or sees as code. */
export type Hidden = readonly [start: number, end: number];

/** The code spans and the pieces of HTML in a paragraph's text, from `start` on. */
export function hiddenInParagraph(text: string, start: number): readonly Hidden[] {
  if (!/[`<]/.test(text)) return [];
  return mayHideMarks(text) ? widest(text) : spans(text, start);
}

/** The comments and the code in a block of HTML that is markup around text. */
export function hiddenInHtml(text: string): readonly Hidden[] {
  return Array.from(text.matchAll(hidingHtml()), (each) => [each.index, each.index + each[0].length]);
}

/**
 * What stands in a link's target is neither code nor HTML, and which brackets are links depends on the whole
 * document. Where there may be one, everything is hidden that any reading could hide.
 */
function widest(text: string): readonly Hidden[] {
  // HTML that may go on in the next line has no end here.
  const from = [text.indexOf('`'), text.search(/<(?!\/?[a-z][a-z\d-]*>)[a-z/!?]/i)];
  const to = [text.lastIndexOf('`'), text.lastIndexOf('>')];
  return from
    .flatMap((start, index) => (start < 0 ? [] : [[start, (to[index] ?? 0) + 1] as const]))
    .sort(([one], [other]) => one - other);
}

function spans(text: string, start: number): readonly Hidden[] {
  const found: Hidden[] = [];
  const html = searched(text);
  const lastRuns = new Map(Array.from(text.matchAll(/`+/g), (run) => [run[0].length, run.index]));
  let at = nextSpecial(text, start);
  while (at < text.length) {
    const mark = text[at];
    const run = mark === '`' ? runEnd(text, at) - at : 1;
    let end = mark === '<' ? endOfHtml(html, at) : 0;
    if (mark === '`' && (lastRuns.get(run) ?? 0) > at) end = codeSpanEnd(text, at + run, run);
    if (end > 0) found.push([at, end]);
    // After a backslash any character is itself; passing over one that needs none does no harm.
    at = nextSpecial(text, end || at + (mark === '\\' ? 2 : run));
  }
  return found;
}

function nextSpecial(text: string, from: number): number {
  const special = /[\\`<]/g;
  special.lastIndex = from;
  return special.exec(text)?.index ?? text.length;
}

/** The caller knows that a run of this length follows. */
function codeSpanEnd(text: string, from: number, ticks: number): number {
  let at = from;
  for (;;) {
    at = text.indexOf('`', at);
    const end = runEnd(text, at);
    if (end - at === ticks) return end;
    at = end;
  }
}

function hidingHtml(): RegExp {
  return /<!(?=--).*?(?:-->|$)|<(pre|script|style|textarea)(?=[\s>]).*?(?:<\/\1|$)|<\?.*?(?:\?>|$)|<![a-z[][^>]*/gis;
}
