import type { Node } from 'jsonc-parser';
import type { Json } from '../../core/json';
import { nodeAt, type Path, parseSettings, type Settings } from './parse';

// `modify` of jsonc-parser reformats the lines around a change. We must not change a byte outside our own
// entries, so the library only finds the places and these functions cut and insert the text.

/** How the text around a place is formatted. */
interface Layout {
  /** Line ending and indentation of a new child; absent if everything is on one line. */
  readonly line: { readonly end: string; readonly indent: string } | undefined;
  /** One step of indentation. */
  readonly unit: string;
  /** Whether colons and commas on one line are followed by a space. */
  readonly spaced: boolean;
}

/** Parses a text that is known to be valid. */
export function settingsOf(text: string): Settings {
  const settings = parseSettings(text);
  if (!settings.ok) throw new Error(`an edit broke the document: ${settings.failure.text}`);
  return settings.value;
}

/** Appends a value to the list at `path`. */
export function appendItem(text: string, path: Path, value: Json): string {
  const list = existing(text, path);
  const layout = layoutInside(text, list);
  return append(text, list, render(value, layout), layout);
}

/** Inserts a value's source text at an index of the list at `path`, or at the end of a shorter list. */
export function insertSource(text: string, path: Path, index: number, source: string): string {
  const list = existing(text, path);
  const next = list.children?.[index];
  if (next === undefined) return append(text, list, source, layoutInside(text, list));
  const gap = /\s*$/.exec(text.slice(list.offset + 1, next.offset))?.[0] ?? '';
  return `${text.slice(0, next.offset)}${source},${gap}${text.slice(next.offset)}`;
}

/** Appends a member to the object at `path`, which must not have it yet. */
export function insertMember(text: string, path: Path, key: string, value: Json): string {
  if (text.trim() === '') {
    const end = lineEndIn(text);
    return `${JSON.stringify({ [key]: value }, null, 2)}\n`.replaceAll('\n', end);
  }
  const object = existing(text, path);
  const layout = layoutInside(text, object);
  const gap = layout.spaced || layout.line !== undefined ? ' ' : '';
  return append(text, object, `${JSON.stringify(key)}:${gap}${render(value, layout)}`, layout);
}

/** Removes the value at `path`, with its comma and white space. `blank` is left in an emptied container. */
export function removeAt(text: string, path: Path, blank = ''): string {
  const node = existing(text, path);
  const child = node.parent?.type === 'property' ? node.parent : node;
  const container = child.parent;
  if (container === undefined) throw new Error('the document itself is not removed');
  const siblings = container.children ?? [];
  const index = siblings.indexOf(child);
  const [before, after] = [siblings[index - 1], siblings[index + 1]];
  if (before !== undefined) return cut(text, endOf(before), endOf(child));
  if (after !== undefined) return cut(text, child.offset, after.offset);
  return cut(text, container.offset + 1, endOf(container) - 1, blank);
}

/** Replaces the list item at `path`. */
export function replaceItem(text: string, path: Path, value: Json): string {
  const node = existing(text, path);
  return cut(text, node.offset, endOf(node), render(value, layoutOfItem(text, node)));
}

/** The text between the brackets of the empty list or object at `path`; `undefined` for anything else. */
export function blankAt(text: string, path: Path): string | undefined {
  const node = nodeAt(settingsOf(text), path);
  const isEmpty = (node?.type === 'array' || node?.type === 'object') && (node.children ?? []).length === 0;
  return node !== undefined && isEmpty ? text.slice(node.offset + 1, endOf(node) - 1) : undefined;
}

/** The source text of the value at `path`. */
export function sourceAt(text: string, path: Path): string {
  const node = existing(text, path);
  return text.slice(node.offset, endOf(node));
}

function existing(text: string, path: Path): Node {
  const node = nodeAt(settingsOf(text), path);
  if (node === undefined) throw new Error(`nothing at ${path.join('.')}`);
  return node;
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

function cut(text: string, from: number, to: number, instead = ''): string {
  return text.slice(0, from) + instead + text.slice(to);
}

/** Adds a child after the last one, or in place of the white space between empty brackets. */
function append(text: string, container: Node, child: string, { line, spaced }: Layout): string {
  const last = container.children?.at(-1);
  const start = line && line.end + line.indent;
  if (last !== undefined)
    return cut(text, endOf(last), endOf(last), `,${start ?? (spaced ? ' ' : '')}${child}`);
  const closing = line === undefined ? '' : line.end + indentAt(text, container.offset);
  return cut(text, container.offset + 1, endOf(container) - 1, `${start ?? ''}${child}${closing}`);
}

/** Formats a value like its surroundings. The first line is not indented. */
function render(value: Json, { line, unit, spaced }: Layout): string {
  if (line !== undefined) return JSON.stringify(value, null, unit).replaceAll('\n', line.end + line.indent);
  // JSON escapes line breaks inside strings, so every newline here is layout.
  return spaced ? JSON.stringify(value, null, 1).replace(/\n */g, ' ') : JSON.stringify(value);
}

/** How to format a child of this list or object: like its last child, else like the lines of the document. */
function layoutInside(text: string, container: Node): Layout {
  const base = indentAt(text, container.offset);
  const unit = /[\r\n]([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const spaced = isSpaced(text, container);
  const last = container.children?.at(-1);
  if (last === undefined) {
    // An empty document is written on several lines as well.
    const hasLines = container.parent === undefined || /[\r\n]/.test(text.trim());
    return { line: hasLines ? { end: lineEndIn(text), indent: base + unit } : undefined, unit, spaced };
  }
  const line = lineBefore(text, last.offset);
  return { line, unit: stepBetween(base, line?.indent) ?? unit, spaced };
}

/** How to format a replacement of this item: with the indentation it has, outside and inside. */
function layoutOfItem(text: string, item: Node): Layout {
  const around = layoutInside(text, item.parent ?? item);
  const line = lineBefore(text, item.offset);
  const inner = lineBefore(text, item.children?.[0]?.offset ?? 0);
  return { ...around, line, unit: (line && stepBetween(line.indent, inner?.indent)) ?? around.unit };
}

/** The line ending and indentation right before an offset, if it is the first thing on its line. */
function lineBefore(text: string, offset: number): Layout['line'] {
  const [, end, indent] = /(\r\n|\n|\r)([ \t]*)$/.exec(text.slice(0, offset)) ?? [];
  return end === undefined || indent === undefined ? undefined : { end, indent };
}

/** The part of the inner indentation that goes beyond the outer one. */
function stepBetween(outer: string, inner: string | undefined): string | undefined {
  return inner !== undefined && inner !== outer && inner.startsWith(outer)
    ? inner.slice(outer.length)
    : undefined;
}

/** The indentation of the line that contains an offset. */
function indentAt(text: string, offset: number): string {
  return /(?:^|[\r\n])([ \t]*)[^\r\n]*$/.exec(text.slice(0, offset))?.[1] ?? '';
}

function lineEndIn(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
}

/** Decided by the first member of the document. */
function isSpaced(text: string, node: Node): boolean {
  let root = node;
  while (root.parent !== undefined) root = root.parent;
  const colon = root.children?.[0]?.colonOffset;
  return colon === undefined || /\s/.test(text[colon + 1] ?? '');
}
