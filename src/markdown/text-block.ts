import { afterDefinitions } from './definitions';
import { type Hidden, hiddenInHtml, hiddenInParagraph } from './hidden';

/** Lines that are read as one text: a paragraph, or a block of HTML that is markup around text. */
export interface TextBlock {
  readonly isParagraph: boolean;
  readonly firstLine: number;
  /** What its lines hold; the block grows by them. */
  readonly parts: string[];
}

/** Whether it is a paragraph with more in it than definitions of links. */
export function hasText({ isParagraph, parts }: TextBlock): boolean {
  const text = parts.join('\n');
  return isParagraph && afterDefinitions(text) < text.length;
}

/** The numbers of the lines that share a hidden part with another line. */
export function hiddenLinesIn(block: TextBlock): readonly number[] {
  const text = block.parts.join('\n');
  const hidden = block.isParagraph ? hiddenInParagraph(text, afterDefinitions(text)) : hiddenInHtml(text);
  return linesAcross(block, hidden);
}

/** `hidden` is in the order of starts, so each search goes on where the last one ended. */
function linesAcross({ firstLine, parts }: TextBlock, hidden: readonly Hidden[]): readonly number[] {
  const ends = endsOf(parts);
  const found: number[] = [];
  let first = 0;
  for (const [start, end] of hidden) {
    while ((ends[first] ?? start) < start) first += 1;
    let last = first;
    while ((ends[last] ?? end) < end) last += 1;
    for (let line = first; first < last && line <= last; line += 1) found.push(firstLine + line);
  }
  return found;
}

function endsOf(parts: readonly string[]): readonly number[] {
  let end = -1;
  return parts.map((part) => {
    end += part.length + 1;
    return end;
  });
}
