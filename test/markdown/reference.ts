import { fromMarkdown } from 'mdast-util-from-markdown';

type Root = ReturnType<typeof fromMarkdown>;
type Parent = Root | Extract<Root['children'][number], { children: unknown }>;
type Child = Parent['children'][number];

/** The signals in a document that count by what a full parser makes of it, a line each, in their order. */
export function countedByReference(text: string, signals: readonly string[]): readonly string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n?|\n/);
  const nodes = everyNode(fromMarkdown(text));
  return lines.flatMap((raw, index) => {
    const line = raw.replace(/^[ \t]+|[ \t]+$/g, '');
    return signals.includes(line) && !nodes.some((node) => hides(node, index + 1)) ? [line] : [];
  });
}

interface Place {
  readonly node: Child;
  readonly isBlock: boolean;
}

/** Whether the node is code on this line, or HTML that goes beyond it and is not merely around it. */
function hides({ node, isBlock }: Place, line: number): boolean {
  const { start, end } = node.position!;
  if (start.line > line || end.line < line) return false;
  if (node.type === 'code' || node.type === 'inlineCode') return true;
  if (node.type !== 'html') return false;
  return isBlock ? isHiddenInBlock(node.value, line - start.line) : start.line < end.line;
}

function isHiddenInBlock(html: string, line: number): boolean {
  if (/^\s*(?:<!|<\?|<(?:pre|script|style|textarea)(?:[\s>]|$))/i.test(html)) return true;
  const before = html
    .split(/\r\n?|\n/)
    .slice(0, line)
    .join('\n');
  return /<!--|<\?|<![a-z[]|<(?:pre|script|style|textarea)[\s>]/i.test(`${before.replace(CLOSED, '-')}\n`);
}

const CLOSED = /<!(?=--).*?-->|<\?.*?\?>|<![a-z[][^>]*>|<(pre|script|style|textarea)(?=[\s>]).*?<\/\1/gis;

function everyNode(parent: Parent): readonly Place[] {
  const isBlock = ['root', 'blockquote', 'listItem'].includes(parent.type);
  return parent.children.flatMap((node) => [
    { node, isBlock },
    ...('children' in node ? everyNode(node) : []),
  ]);
}
