import type { Node } from 'jsonc-parser';
import type { Json } from '../../core/json';
import { endOf, nodeAt, type Path } from './find-node';
import { type Layout, layoutInside, layoutOfNew, lineIndent } from './layout';
import { parseSettings } from './parse';
import { render, renderMember } from './render';

/** Puts a value at the end of the list at `path`. */
export function appendItem(text: string, path: Path, value: Json): string {
  const list = containerAt(text, path, 'array');
  const layout = layoutInside(text, list);
  return appended(text, list, render(value, layout), layout);
}

/** Puts a value's own text at an index of the list at `path`, at its end where the list is shorter. */
export function insertSource(text: string, path: Path, index: number, source: string): string {
  const list = containerAt(text, path, 'array');
  const next = list.children?.[index];
  if (next === undefined) return appended(text, list, source, layoutInside(text, list));
  const gap = /\s*$/.exec(text.slice(list.offset + 1, next.offset))?.[0] ?? '';
  return `${text.slice(0, next.offset)}${source},${gap}${text.slice(next.offset)}`;
}

/** Puts a member at the end of the object at `path`, which must not have it yet. */
export function insertMember(text: string, path: Path, key: string, value: Json): string {
  if (text.trim() === '')
    return `${render({ [key]: value }, layoutOfNew(text))}${layoutOfNew(text).line?.end}`;
  const object = containerAt(text, path, 'object');
  const layout = layoutInside(text, object);
  return appended(text, object, renderMember(key, value, layout), layout);
}

function containerAt(text: string, path: Path, type: 'array' | 'object'): Node {
  const settings = parseSettings(text);
  const node = settings.ok ? nodeAt(settings.value.root, path) : undefined;
  if (node?.type !== type) throw new Error(`no ${type} at ${path.join('.')}`);
  return node;
}

/** Behind the last child, or as the only one. Blanks between the brackets of an empty container are replaced. */
function appended(text: string, container: Node, child: string, { line, spaced }: Layout): string {
  const last = container.children?.at(-1);
  const lineStart = line && line.end + line.indent;
  if (last !== undefined) {
    const gap = lineStart ?? (spaced ? ' ' : '');
    return `${text.slice(0, endOf(last))},${gap}${child}${text.slice(endOf(last))}`;
  }
  const closing = line === undefined ? '' : line.end + lineIndent(text, container.offset);
  const [begin, end] = [container.offset + 1, endOf(container) - 1];
  return `${text.slice(0, begin)}${lineStart ?? ''}${child}${closing}${text.slice(end)}`;
}
