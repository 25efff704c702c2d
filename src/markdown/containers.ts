import { skipSpaces } from './lines';
import { matchAt } from './match-at';

/** An open quote or list item. An item is the columns that its content is indented by, a quote has none. */
type Container = number;
const QUOTE: Container = 0;

/** How far into a line its containers reach. */
export interface Prefix {
  /** Where the content begins: the column that its indentation is counted from. */
  readonly at: number;
  /** Where its first character is; the length of the line if there is none. */
  readonly first: number;
}

/**
 * The quotes and list items that are open. An item that a line is blank in is never looked at for itself,
 * and everything else costs the line a character, so that depth does not multiply with length.
 */
export interface Containers {
  readonly open: Container[];
  /** Where in `open` the quotes are. */
  readonly quotes: number[];
  /** The depth of an item that has nothing yet but its marker: a blank line ends it. */
  hollow: number;
}

/** How many of the open containers this line continues, and where its own content begins after them. */
export function matchContainers(containers: Containers, wide: string): Prefix & { readonly depth: number } {
  const { open, quotes, hollow } = containers;
  containers.hollow = 0;
  let here: Prefix = prefixAt(wide, 0);
  let depth = 0;
  let passed = 0;
  while (depth < open.length) {
    const offset = open[depth] ?? QUOTE;
    if (offset !== QUOTE && here.first >= wide.length) {
      depth = quotes[passed] ?? open.length;
      if (depth === hollow) return { at: here.at, first: here.first, depth: depth - 1 };
      continue;
    }
    const next = offset === QUOTE ? insideQuote(wide, here) : insideItem(here, offset);
    if (next === undefined) break;
    if (offset === QUOTE) passed += 1;
    here = next;
    depth += 1;
  }
  return { at: here.at, first: here.first, depth };
}

/** Ends every container below this depth. */
export function cutContainers({ open, quotes }: Containers, depth: number): void {
  open.length = depth;
  while ((quotes.at(-1) ?? -1) >= depth) quotes.pop();
}

/** Opens the container whose marker, of this width, is the first thing after this prefix. */
export function openContainer(
  containers: Containers,
  wide: string,
  { at, first }: Prefix,
  width: number,
): Prefix {
  const { open, quotes } = containers;
  const quote = insideQuote(wide, { at, first });
  if (quote !== undefined) {
    quotes.push(open.length);
    open.push(QUOTE);
    return quote;
  }
  const after = first + width;
  const content = skipSpaces(wide, after);
  const blank = content >= wide.length;
  const start = blank || content - after > 4 ? after + 1 : content;
  open.push(start - at);
  if (blank) containers.hollow = open.length;
  return { at: start, first: content };
}

function prefixAt(wide: string, at: number): Prefix {
  return { at, first: skipSpaces(wide, at) };
}

/** Behind the mark of a quote and the one space that goes with it, if the mark is here. */
function insideQuote(wide: string, { at, first }: Prefix): Prefix | undefined {
  if (first - at > 3 || wide[first] !== '>') return undefined;
  return prefixAt(wide, first + (wide[first + 1] === ' ' ? 2 : 1));
}

function insideItem({ at, first }: Prefix, offset: number): Prefix | undefined {
  return first - at < offset ? undefined : { at: at + offset, first };
}

/** The width of the list marker at `first`, or 0. In a paragraph only some markers begin a list. */
export function listMarker(wide: string, first: number, inParagraph: boolean): number {
  const marker = inParagraph ? /(?:[-+*]|1[.)])(?= +[^ ])/y : /(?:[-+*]|\d{1,9}[.)])(?= |$)/y;
  const end = matchAt(marker, wide, first);
  return end > 0 ? end - first : 0;
}
