import { fromMarkdown } from 'mdast-util-from-markdown';

/** In characters. The parser takes about a second for this many; no message that ends a loop is nearly as long. */
const LONGEST_TEXT = 100_000;
/** Quotes and list items inside each other on one line; the parser takes minutes for some thousands of them. */
const DEEPLY_NESTED = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])){50}/m;
/** HTML that starts a block of which nothing is shown as text. */
const HIDDEN_BLOCK = /^\s*(?:<!|<\?|<(?:pre|script|style|textarea)(?:[\s>]|$))/i;
/** Code, comments and the like in a block of HTML that is otherwise markup around text. */
const HIDDEN_PART =
  /<!(?=--).*?(?:-->|$)|<(pre|script|style|textarea)(?=[\s>]).*?(?:<\/\1|$)|<\?.*?(?:\?>|$)|<![a-z[][^>]*/gis;
const LINE_END = /\r\n?|\n/;

/**
 * The lines of a Markdown text that count, without spaces and tabs at their ends; blank ones are left out. A line
 * does not count if it is, or shares with other lines, code, a comment, or HTML that is not shown as text. Of a
 * text that is too long or too deeply nested to be read none counts.
 */
export function linesOutsideCode(text: string): readonly string[] {
  if (text.length > LONGEST_TEXT || DEEPLY_NESTED.test(text)) return [];
  const hidden = new Set<number>();
  hideLines(fromMarkdown(text), hidden);
  return text
    .replace(/^\uFEFF/, '')
    .split(LINE_END)
    .map((line) => line.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((line, index) => line !== '' && !hidden.has(index + 1));
}

type Root = ReturnType<typeof fromMarkdown>;
type Parent = Root | Extract<Root['children'][number], { children: unknown }>;
type Child = Parent['children'][number];

/** Adds the numbers of all lines, counted from one, that do not count. */
function hideLines(parent: Parent, hidden: Set<number>): void {
  const isBlock = ['root', 'blockquote', 'listItem'].includes(parent.type);
  for (const node of parent.children) {
    for (const [first, last] of hiddenIn(node, isBlock)) {
      for (let line = first; line <= last; line += 1) hidden.add(line);
    }
    if ('children' in node) hideLines(node, hidden);
  }
}

/** The runs of lines, first and last, that a node hides. */
function hiddenIn(node: Child, isBlock: boolean): (readonly [number, number])[] {
  const first = node.position?.start.line ?? 0;
  const last = node.position?.end.line ?? 0;
  if (node.type === 'code') return [[first, last]];
  if (node.type !== 'inlineCode' && node.type !== 'html') return [];
  if (!isBlock) return first < last ? [[first, last]] : [];
  if (HIDDEN_BLOCK.test(node.value)) return [[first, last]];
  const { value } = node;
  const lineAt = (offset: number): number => first + value.slice(0, offset).split(LINE_END).length - 1;
  return [...value.matchAll(HIDDEN_PART)]
    .map((part) => [lineAt(part.index), lineAt(part.index + part[0].length)] as const)
    .filter(([start, end]) => start < end);
}
