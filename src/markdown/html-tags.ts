import { matchAt } from './match-at';

/**
 * A text in which ends of HTML are looked for. It remembers what was looked for in vain and from where on, so that a
 * text full of beginnings without ends is not read again for each of them.
 */
export interface Searched {
  readonly text: string;
  readonly missing: Map<string, number>;
  readonly deadEnds: Set<number>;
}

export function searched(text: string): Searched {
  return { text, missing: new Map(), deadEnds: new Set() };
}

/** The end of the tag, comment, instruction, declaration, CDATA section or autolink at `at`; 0 if there is none. */
export function endOfHtml(html: Searched, at: number): number {
  const { text } = html;
  if (text.startsWith('<!--', at)) return after(html, '-->', at + 2);
  if (text.startsWith('<?', at)) return after(html, '?>', at + 2);
  if (text.startsWith('<![CDATA[', at)) return after(html, ']]>', at + 9);
  if (matchAt(/<![a-z]/iy, text, at) > 0) return after(html, '>', at);
  return autolinkEnd(text, at) || endOfTag(html, at);
}

/** The end of the opening or closing tag at `at`; 0 if there is none. */
export function endOfTag(html: Searched, at: number): number {
  const { text, deadEnds } = html;
  let end = matchAt(/<[a-z][a-z\d-]*/iy, text, at);
  while (end > 0 && !deadEnds.has(end)) {
    const close = matchAt(/[ \n]*\/?>/y, text, end);
    if (close > 0) return close;
    deadEnds.add(end);
    end = matchAt(/[ \n]+[a-z_:][\w.:-]*(?:[ \n]*=[ \n]*(?:["']|[^ \n"'=<>`]+))?/iy, text, end);
    const quote = text[end - 1];
    if (quote === '"' || quote === "'") end = after(html, quote, end);
  }
  return matchAt(/<\/[a-z][a-z\d-]*[ \n]*>/iy, text, at);
}

function after({ text, missing }: Searched, mark: string, from: number): number {
  if (from >= (missing.get(mark) ?? Number.POSITIVE_INFINITY)) return 0;
  const found = text.indexOf(mark, from);
  if (found < 0) missing.set(mark, from);
  return found < 0 ? 0 : found + mark.length;
}

function autolinkEnd(text: string, at: number): number {
  const email =
    /<[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*>/iy;
  return matchAt(/<[a-z][a-z\d.+-]{1,31}:[^\0- \x7f<>]*>/iy, text, at) || matchAt(email, text, at);
}
