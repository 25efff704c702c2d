import { afterDefinitions } from './definitions';
import { type Hidden, hiddenInHtml, hiddenInParagraph } from './hidden';

/** Lines that are read as one text: a paragraph, or a block of HTML that is markup around text. */
export class TextBlock {
  readonly isParagraph: boolean;
  readonly #firstLine: number;
  readonly #parts: string[] = [];

  constructor(isParagraph: boolean, firstLine: number) {
    this.isParagraph = isParagraph;
    this.#firstLine = firstLine;
  }

  add(content: string): void {
    this.#parts.push(content);
  }

  /** Whether it is a paragraph with more in it than definitions of links. */
  hasText(): boolean {
    const text = this.#parts.join('\n');
    return this.isParagraph && afterDefinitions(text) < text.length;
  }

  /** The numbers of the lines that share a hidden part with another line. */
  hiddenLines(): readonly number[] {
    const text = this.#parts.join('\n');
    const hidden = this.isParagraph ? hiddenInParagraph(text, afterDefinitions(text)) : hiddenInHtml(text);
    return this.#linesAcross(hidden);
  }

  /** `hidden` is in the order of starts, so each search goes on where the last one ended. */
  #linesAcross(hidden: readonly Hidden[]): readonly number[] {
    const ends = this.#ends();
    const found: number[] = [];
    let first = 0;
    for (const [start, end] of hidden) {
      while ((ends[first] ?? start) < start) first += 1;
      let last = first;
      while ((ends[last] ?? end) < end) last += 1;
      for (let line = first; first < last && line <= last; line += 1) found.push(this.#firstLine + line);
    }
    return found;
  }

  #ends(): readonly number[] {
    let end = -1;
    return this.#parts.map((part) => {
      end += part.length + 1;
      return end;
    });
  }
}
