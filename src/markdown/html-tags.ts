import { matchAt } from './match-at';

/**
 * Finds where HTML that begins with `<` ends, in one text. It remembers what it has looked for in vain,
 * so that a text full of beginnings without ends is not read again for each of them.
 */
export class HtmlTags {
  readonly #text: string;
  readonly #missing = new Set<string>();
  readonly #deadEnds = new Set<number>();

  constructor(text: string) {
    this.#text = text;
  }

  /** The end of the tag, comment, instruction, declaration, CDATA section or autolink at `at`; 0 if there is none. */
  endOf(at: number): number {
    const text = this.#text;
    if (text.startsWith('<!--', at)) return this.#after('-->', at + 2);
    if (text.startsWith('<?', at)) return this.#after('?>', at + 2);
    if (text.startsWith('<![CDATA[', at)) return this.#after(']]>', at + 9);
    if (matchAt(/<![a-z]/iy, text, at) > 0) return this.#after('>', at);
    return autolinkEnd(text, at) || this.endOfTag(at);
  }

  /** The end of the opening or closing tag at `at`; 0 if there is none. */
  endOfTag(at: number): number {
    const text = this.#text;
    let end = matchAt(/<[a-z][a-z\d-]*/iy, text, at);
    while (end > 0 && !this.#deadEnds.has(end)) {
      const close = matchAt(/[ \n]*\/?>/y, text, end);
      if (close > 0) return close;
      this.#deadEnds.add(end);
      end = matchAt(/[ \n]+[a-z_:][\w.:-]*(?:[ \n]*=[ \n]*(?:["']|[^ \n"'=<>`]+))?/iy, text, end);
      const quote = text[end - 1];
      if (quote === '"' || quote === "'") end = this.#after(quote, end);
    }
    return matchAt(/<\/[a-z][a-z\d-]*[ \n]*>/iy, text, at);
  }

  #after(mark: string, from: number): number {
    if (this.#missing.has(mark)) return 0;
    const found = this.#text.indexOf(mark, from);
    if (found < 0) this.#missing.add(mark);
    return found < 0 ? 0 : found + mark.length;
  }
}

function autolinkEnd(text: string, at: number): number {
  const email =
    /<[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*>/iy;
  return matchAt(/<[a-z][a-z\d.+-]{1,31}:[^\0- \x7f<>]*>/iy, text, at) || matchAt(email, text, at);
}
