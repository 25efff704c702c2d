import {
  type Containers,
  cutContainers,
  listMarker,
  matchContainers,
  openContainer,
  type Prefix,
} from './containers';
import { closesFence, type Fence, openFence } from './fences';
import { openHtmlBlock } from './html-blocks';
import { matchAt } from './match-at';
import { hasText, hiddenLinesIn, type TextBlock } from './text-block';
import { isThematicBreak, ruleStart } from './thematic-break';

/** What the innermost container has open. */
type Leaf =
  | { readonly kind: 'none' }
  | { readonly kind: 'indented' }
  | { readonly kind: 'fence'; readonly fence: Fence }
  | { readonly kind: 'raw'; readonly end: RegExp }
  | { readonly kind: 'text'; readonly block: TextBlock };

const NONE: Leaf = { kind: 'none' };

/** How far a document has been read. */
interface Reading {
  readonly hidden: Set<number>;
  readonly astray: boolean;
  readonly containers: Containers;
  leaf: Leaf;
  line: number;
  wide: string;
  /** Whether the line continues every container that was open. */
  inside: boolean;
  rule: number;
}

/**
 * The numbers of the lines of a document that are code or not shown: as CommonMark has it or, if `astray`,
 * as micromark does. That takes the rest of a line with a marker, and the line after indented code, for the inside
 * of a paragraph, and a lone tag on a lazy line for a block.
 */
export function hiddenLines(document: readonly string[], astray: boolean): ReadonlySet<number> {
  const containers: Containers = { open: [], quotes: [], hollow: 0 };
  const hidden = new Set<number>();
  const reading = { hidden, astray, containers, leaf: NONE, line: -1, wide: '', inside: true, rule: 0 };
  for (const wide of document) readLine(reading, wide);
  replaceLeaf(reading, NONE);
  return hidden;
}

function readLine(reading: Reading, wide: string): void {
  const { containers } = reading;
  const prefix = matchContainers(containers, wide);
  const { depth } = prefix;
  reading.line += 1;
  reading.wide = wide;
  reading.inside = depth === containers.open.length;
  if (reading.inside && continueLeaf(reading, prefix)) return;
  reading.rule = ruleStart(wide);
  const content = openContainers(reading, prefix, depth);
  const leaf = leafAt(reading, content);
  if (leaf === undefined) return;
  if (content === prefix && !staysLazily(reading, leaf, content.first)) cutContainers(containers, depth);
  replaceLeaf(reading, leaf);
}

function paragraphOf({ leaf }: Reading): TextBlock | undefined {
  return leaf.kind === 'text' && leaf.block.isParagraph ? leaf.block : undefined;
}

/** Gives the line to an open leaf that takes it before anything can begin on it; false if there is none such. */
function continueLeaf(reading: Reading, { at, first }: Prefix): boolean {
  const { leaf, wide } = reading;
  const blank = first >= wide.length;
  if (leaf.kind === 'none' || paragraphOf(reading) !== undefined) return false;
  if (leaf.kind === 'indented') return blank;
  if (leaf.kind === 'text') {
    if (blank) replaceLeaf(reading, NONE);
    else leaf.block.parts.push(wide.slice(first));
    return true;
  }
  reading.hidden.add(reading.line);
  const ends =
    leaf.kind === 'raw'
      ? leaf.end.test(wide.slice(at))
      : first - at < 4 && closesFence(leaf.fence, wide, first);
  if (ends) reading.leaf = NONE;
  return true;
}

/** Opens the quotes and list items that begin on this line, below the `depth` that it continues. */
function openContainers(reading: Reading, prefix: Prefix, depth: number): Prefix {
  const { astray, containers, inside, rule, wide } = reading;
  const interrupts = inside && (paragraphOf(reading) !== undefined || reading.leaf.kind === 'indented');
  let here = prefix;
  while (here.first - here.at < 4 && !isThematicBreak(wide, here.first, rule)) {
    const inParagraph = astray ? interrupts : inside && paragraphOf(reading) !== undefined;
    const marker = wide[here.first] === '>' ? 1 : listMarker(wide, here.first, inParagraph);
    if (marker === 0) break;
    if (here === prefix) cutContainers(containers, depth);
    replaceLeaf(reading, NONE);
    here = openContainer(containers, wide, here, marker);
  }
  return here;
}

/** The leaf that this line begins; nothing if it goes to the open paragraph, in its place or lazily. */
function leafAt(reading: Reading, { at, first }: Prefix): Leaf | undefined {
  const { wide } = reading;
  if (first >= wide.length) return NONE;
  const leaf = first - at < 4 ? startAt(reading, first) : undefined;
  if (leaf !== undefined) return leaf;
  const paragraph = paragraphOf(reading);
  paragraph?.parts.push(wide.slice(first));
  if (paragraph !== undefined) return undefined;
  if (first - at < 4) return textFrom(reading, true, first);
  reading.hidden.add(reading.line);
  return { kind: 'indented' };
}

/** A leaf that can begin here even where a paragraph is open. */
function startAt(reading: Reading, first: number): Leaf | undefined {
  const { astray, inside, rule, wide } = reading;
  const paragraph = paragraphOf(reading);
  if (matchAt(/#{1,6}(?: |$)/y, wide, first) > 0 || isThematicBreak(wide, first, rule)) return NONE;
  const isUnderline = inside && matchAt(/(?:=+|-+) *$/y, wide, first) > 0;
  if (isUnderline && paragraph !== undefined && hasText(paragraph)) return NONE;
  const fence = openFence(wide, first);
  const html = openHtmlBlock(wide, first, paragraph !== undefined && (inside || !astray));
  if (html === 'markup') return textFrom(reading, false, first);
  if (html !== undefined || fence !== undefined) reading.hidden.add(reading.line);
  if (fence !== undefined) return { kind: 'fence', fence };
  if (html === undefined) return undefined;
  return html.test(wide.slice(first)) ? NONE : { kind: 'raw', end: html };
}

function staysLazily(reading: Reading, leaf: Leaf, first: number): boolean {
  const lazily = reading.astray && paragraphOf(reading) !== undefined && leaf.kind === 'text';
  return lazily && openHtmlBlock(reading.wide, first, true) === undefined;
}

function textFrom({ line, wide }: Reading, isParagraph: boolean, first: number): Leaf {
  return { kind: 'text', block: { isParagraph, firstLine: line, parts: [wide.slice(first)] } };
}

function replaceLeaf(reading: Reading, leaf: Leaf): void {
  if (reading.leaf.kind === 'text') {
    for (const line of hiddenLinesIn(reading.leaf.block)) reading.hidden.add(line);
  }
  reading.leaf = leaf;
}
