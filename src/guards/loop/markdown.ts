import { fromMarkdown } from 'mdast-util-from-markdown';

/** In characters. The parser takes about a second for this many; a message that ends a loop is much shorter. */
const LONGEST_TEXT = 100_000;
/** Quotes and list items nested on one line; the parser takes minutes for some thousands of them. */
const DEEPLY_NESTED = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])){50}/m;
/** The start of an HTML block in which nothing is plain text. */
const HIDDEN_BLOCK = /^\s*(?:<!|<\?|<(?:pre|script|style|textarea)(?:[\s>]|$))/i;
/** Code, comments and the like in an HTML block that otherwise is markup around text. */
const HIDDEN_PART =
  /<!(?=--).*?(?:-->|$)|<(pre|script|style|textarea)(?=[\s>]).*?(?:<\/\1|$)|<\?.*?(?:\?>|$)|<![a-z[][^>]*/gis;
const LINE_END = /\r\n?|\n/;

/**
 * The trimmed lines of a Markdown text that count, without blank ones. Code, comments and HTML that is not shown as
 * text do not count, nor does a line that contains only a part of one. `undefined` if the text is too long or too
 * deeply nested to parse.
 */
export function linesOutsideCode(text: string): readonly string[] | undefined {
  if (text.length > LONGEST_TEXT || DEEPLY_NESTED.test(text)) return undefined;
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

/** Adds the numbers, counted from one, of all lines that do not count. */
function hideLines(parent: Parent, hidden: Set<number>): void {
  const isBlock = ['root', 'blockquote', 'listItem'].includes(parent.type);
  for (const node of parent.children) {
    for (const [first, last] of hiddenIn(node, isBlock)) {
      for (let line = first; line <= last; line += 1) hidden.add(line);
    }
    if ('children' in node) hideLines(node, hidden);
  }
}

/** Tells the lines of offsets in a node, which must be asked for in ascending order. */
function linesOf({ value, position }: Child & { value: string }): (offset: number) => number {
  let [line, from] = [position?.start.line ?? 0, 0];
  return (offset) => {
    line += value.slice(from, offset).split(LINE_END).length - 1;
    from = offset;
    return line;
  };
}

/** The ranges of lines, first and last, that a node hides. */
function hiddenIn(node: Child, isBlock: boolean): (readonly [number, number])[] {
  const first = node.position?.start.line ?? 0;
  const last = node.position?.end.line ?? 0;
  if (node.type === 'code') return [[first, last]];
  if (node.type !== 'inlineCode' && node.type !== 'html') return [];
  if (!isBlock) return first < last ? [[first, last]] : [];
  if (HIDDEN_BLOCK.test(node.value)) return [[first, last]];
  const lineAt = linesOf(node);
  return [...node.value.matchAll(HIDDEN_PART)]
    .map((part) => [lineAt(part.index), lineAt(part.index + part[0].length)] as const)
    .filter(([start, end]) => start < end);
}
