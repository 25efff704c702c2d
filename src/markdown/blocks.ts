import { Containers, listMarker, type Prefix } from './containers';
import { closesFence, type Fence, openFence } from './fences';
import { openHtmlBlock } from './html-blocks';
import { matchAt } from './match-at';
import { TextBlock } from './text-block';
import { isThematicBreak, ruleStart } from './thematic-break';

/** What the innermost container has open. */
type Leaf =
  | { readonly kind: 'none' }
  | { readonly kind: 'indented' }
  | { readonly kind: 'fence'; readonly fence: Fence }
  | { readonly kind: 'raw'; readonly end: RegExp }
  | { readonly kind: 'text'; readonly block: TextBlock };

const NONE: Leaf = { kind: 'none' };

/**
 * Reads a document line by line and notes the lines that are code or not shown: as CommonMark has it or, if `astray`,
 * as micromark does. That takes the rest of a line with a marker, and the line after indented code, for the inside
 * of a paragraph, and a lone tag on a lazy line for a block.
 */
export class Blocks {
  readonly #hidden = new Set<number>();
  readonly #astray: boolean;
  readonly #containers = new Containers();
  #leaf: Leaf = NONE;
  #line = -1;
  #wide = '';
  /** Whether the line continues every container that was open. */
  #inside = true;
  #rule = 0;

  constructor(astray: boolean) {
    this.#astray = astray;
  }

  /** The numbers of the lines that are hidden in a document of these lines. */
  hiddenLines(document: readonly string[]): ReadonlySet<number> {
    for (const wide of document) this.#read(wide);
    this.#replaceLeaf(NONE);
    return this.#hidden;
  }

  #read(wide: string): void {
    const prefix = this.#containers.match(wide);
    const { depth } = prefix;
    this.#line += 1;
    this.#wide = wide;
    this.#inside = depth === this.#containers.depth;
    if (this.#inside && this.#continueLeaf(prefix)) return;
    this.#rule = ruleStart(wide);
    const content = this.#openContainers(prefix, depth);
    const leaf = this.#leafAt(content);
    if (leaf === undefined) return;
    if (content === prefix && !this.#staysLazily(leaf, content.first)) this.#containers.cut(depth);
    this.#replaceLeaf(leaf);
  }

  get #paragraph(): TextBlock | undefined {
    return this.#leaf.kind === 'text' && this.#leaf.block.isParagraph ? this.#leaf.block : undefined;
  }

  /** Gives the line to an open leaf that takes it before anything can begin on it; false if there is none such. */
  #continueLeaf({ at, first }: Prefix): boolean {
    const leaf = this.#leaf;
    const blank = first >= this.#wide.length;
    if (leaf.kind === 'none' || this.#paragraph !== undefined) return false;
    if (leaf.kind === 'indented') return blank;
    if (leaf.kind === 'text') {
      if (blank) this.#replaceLeaf(NONE);
      else leaf.block.add(this.#wide.slice(first));
      return true;
    }
    this.#hidden.add(this.#line);
    const ends =
      leaf.kind === 'raw'
        ? leaf.end.test(this.#wide.slice(at))
        : first - at < 4 && closesFence(leaf.fence, this.#wide, first);
    if (ends) this.#leaf = NONE;
    return true;
  }

  /** Opens the quotes and list items that begin on this line, below the `depth` that it continues. */
  #openContainers(prefix: Prefix, depth: number): Prefix {
    const wide = this.#wide;
    const interrupts = this.#inside && (this.#paragraph !== undefined || this.#leaf.kind === 'indented');
    let here = prefix;
    while (here.first - here.at < 4 && !isThematicBreak(wide, here.first, this.#rule)) {
      const inParagraph = this.#astray ? interrupts : this.#inside && this.#paragraph !== undefined;
      const marker = wide[here.first] === '>' ? 1 : listMarker(wide, here.first, inParagraph);
      if (marker === 0) break;
      if (here === prefix) this.#containers.cut(depth);
      this.#replaceLeaf(NONE);
      here = this.#containers.open(wide, here, marker);
    }
    return here;
  }

  /** The leaf that this line begins; nothing if it goes to the open paragraph, in its place or lazily. */
  #leafAt({ at, first }: Prefix): Leaf | undefined {
    if (first >= this.#wide.length) return NONE;
    const leaf = first - at < 4 ? this.#startAt(first) : undefined;
    if (leaf !== undefined) return leaf;
    const paragraph = this.#paragraph;
    paragraph?.add(this.#wide.slice(first));
    if (paragraph !== undefined) return undefined;
    if (first - at < 4) return this.#text(true, first);
    this.#hidden.add(this.#line);
    return { kind: 'indented' };
  }

  /** A leaf that can begin here even where a paragraph is open. */
  #startAt(first: number): Leaf | undefined {
    const wide = this.#wide;
    const paragraph = this.#paragraph;
    if (matchAt(/#{1,6}(?: |$)/y, wide, first) > 0 || isThematicBreak(wide, first, this.#rule)) return NONE;
    if (this.#inside && matchAt(/(?:=+|-+) *$/y, wide, first) > 0 && paragraph?.hasText()) return NONE;
    const fence = openFence(wide, first);
    const html = openHtmlBlock(wide, first, paragraph !== undefined && (this.#inside || !this.#astray));
    if (html === 'markup') return this.#text(false, first);
    if (html !== undefined || fence !== undefined) this.#hidden.add(this.#line);
    if (fence !== undefined) return { kind: 'fence', fence };
    if (html === undefined) return undefined;
    return html.test(wide.slice(first)) ? NONE : { kind: 'raw', end: html };
  }

  #staysLazily(leaf: Leaf, first: number): boolean {
    const lazily = this.#astray && this.#paragraph !== undefined && leaf.kind === 'text';
    return lazily && openHtmlBlock(this.#wide, first, true) === undefined;
  }

  #text(isParagraph: boolean, first: number): Leaf {
    const block = new TextBlock(isParagraph, this.#line);
    block.add(this.#wide.slice(first));
    return { kind: 'text', block };
  }

  #replaceLeaf(leaf: Leaf): void {
    if (this.#leaf.kind === 'text') for (const line of this.#leaf.block.hiddenLines()) this.#hidden.add(line);
    this.#leaf = leaf;
  }
}
