import type { Node } from 'jsonc-parser';

/** How the text around a place is laid out. `line` is absent where everything stands on one line. */
export interface Layout {
  /** The line end and the indentation of something new at this place. */
  readonly line: { readonly end: string; readonly indent: string } | undefined;
  /** One step of indentation. */
  readonly unit: string;
  /** Whether blanks stand behind colons and commas on one line. */
  readonly spaced: boolean;
}

const DEFAULT_UNIT = '  ';

/** How a child of this list or object is laid out: as its neighbours are, else as the lines around it. */
export function layoutInside(text: string, container: Node): Layout {
  const last = container.children?.at(-1);
  const base = lineIndent(text, container.offset);
  const spaced = isSpaced(text, container);
  if (last !== undefined) {
    const line = lineBefore(text, last.offset);
    return { line, unit: unitOf(text, base, line?.indent), spaced };
  }
  const unit = unitOf(text, base, undefined);
  const around = lineAround(text, container);
  return { line: around && { end: around.end, indent: base + unit }, unit, spaced };
}

/** How something that takes the place of a node is laid out: as that node is within, else as it stands there. */
export function layoutAt(text: string, node: Node): Layout {
  const line = lineBefore(text, node.offset);
  const [first] = node.children ?? [];
  const inner = first && lineBefore(text, first.offset)?.indent;
  if (line !== undefined && inner !== undefined && inner.length > line.indent.length) {
    return { line, unit: unitOf(text, line.indent, inner), spaced: isSpaced(text, node) };
  }
  const base = node.parent === undefined ? '' : lineIndent(text, node.parent.offset);
  return { line, unit: unitOf(text, base, line?.indent), spaced: isSpaced(text, node) };
}

/** The layout of a document that is still to be written. */
export function layoutOfNew(text: string): Layout {
  return { line: { end: lineEndOf(text), indent: '' }, unit: DEFAULT_UNIT, spaced: true };
}

/** The indentation of the line on which an offset is. */
export function lineIndent(text: string, offset: number): string {
  const begin = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(begin, offset))?.[0] ?? '';
}

/** The line end and indentation right before an offset, where it is the first thing on its line. */
function lineBefore(text: string, offset: number): Layout['line'] {
  const [, end, indent] = /(\r\n|\n|\r)([ \t]*)$/.exec(text.slice(0, offset)) ?? [];
  return end === undefined || indent === undefined ? undefined : { end, indent };
}

/** The line end of the nearest surrounding thing that has a line of its own. An empty document may have lines. */
function lineAround(text: string, container: Node): Layout['line'] {
  for (let node: Node | undefined = container; node !== undefined; node = node.parent) {
    const line = node.parent === undefined ? undefined : lineBefore(text, node.offset);
    if (line !== undefined) return line;
  }
  const isEmptyRoot = container.parent === undefined;
  return isEmptyRoot ? { end: lineEndOf(text), indent: '' } : undefined;
}

function unitOf(text: string, base: string, inner: string | undefined): string {
  if (inner !== undefined && inner.length > base.length && inner.startsWith(base))
    return inner.slice(base.length);
  return /(?:\n|\r)([ \t]+)\S/.exec(text)?.[1] ?? DEFAULT_UNIT;
}

function lineEndOf(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
}

/** As the first member of the document has it. */
function isSpaced(text: string, node: Node): boolean {
  let root = node;
  while (root.parent !== undefined) root = root.parent;
  const colon = root.children?.[0]?.colonOffset;
  return colon === undefined || /\s/.test(text[colon + 1] ?? '');
}
