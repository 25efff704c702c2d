import { matchAt } from './match-at';

/** Where the target of a link or definition ends that begins at `at`; `at` itself if there is none. */
export function targetEnd(text: string, at: number): number {
  if (text[at] === '<') return matchAt(/<(?:[^<>\n\\]|\\[^\n])*>/y, text, at) || at;
  let depth = 0;
  let end = at;
  while (depth >= 0 && depth <= DEEPEST) {
    const next = matchAt(/[()]|(?:[^\0- \x7f()\\]|\\[()\\]?)+/y, text, end);
    if (next === 0) break;
    if (text[end] === '(') depth += 1;
    if (text[end] === ')') depth -= 1;
    if (depth >= 0) end = next;
  }
  return depth > 0 ? at : end;
}

/** A title in quotes or parentheses, with what separates it from the target, or nothing; as source of a pattern. */
export const TITLE = String.raw`(?:[ \n]+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?`;

/** How deep parentheses may be nested. It also bounds how often the same text is read for links in links. */
const DEEPEST = 32;
