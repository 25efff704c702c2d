import type { Node } from 'jsonc-parser';
import type { Json } from '../../core/json';
import { childOf, endOf, nodeAt, type Path } from './find-node';
import { layoutAt } from './layout';
import { parseSettings } from './parse';
import { render } from './render';

/**
 * Cuts out the value at `path`, with the comma and the blanks that came with it. Where it was alone,
 * `blank` is left between the brackets.
 */
export function removeAt(text: string, path: Path, blank = ''): string {
  const child = childOf(existing(text, path));
  const siblings = child.parent?.children ?? [];
  const index = siblings.indexOf(child);
  const [before, after] = [siblings[index - 1], siblings[index + 1]];
  if (before !== undefined) return cut(text, endOf(before), endOf(child));
  if (after !== undefined) return cut(text, child.offset, after.offset);
  const container = child.parent;
  if (container === undefined) throw new Error('the document itself is not removed');
  return cut(text, container.offset + 1, endOf(container) - 1, blank);
}

/** Puts another value in the place of the one at `path`. */
export function replaceAt(text: string, path: Path, value: Json): string {
  const node = existing(text, path);
  return cut(text, node.offset, endOf(node), render(value, layoutAt(text, node)));
}

/** What stands between the brackets of an empty list or object; `undefined` where it is not empty. */
export function blankIn(text: string, node: Node): string | undefined {
  if ((node.children?.length ?? 0) > 0) return undefined;
  return text.slice(node.offset + 1, endOf(node) - 1);
}

/** Cuts out the list or object at `path` if it is there and has nothing in it. */
export function withoutEmpty(text: string, path: Path, blank: string): string {
  const settings = parseSettings(text);
  const node = settings.ok && path.length > 0 ? nodeAt(settings.value.root, path) : undefined;
  if (node === undefined || (node.type !== 'array' && node.type !== 'object')) return text;
  return blankIn(text, node) === undefined ? text : removeAt(text, path, blank);
}

/** The text of the value at `path`. */
export function sourceAt(text: string, path: Path): string {
  const node = existing(text, path);
  return text.slice(node.offset, endOf(node));
}

function existing(text: string, path: Path): Node {
  const settings = parseSettings(text);
  const node = settings.ok ? nodeAt(settings.value.root, path) : undefined;
  if (node === undefined) throw new Error(`nothing at ${path.join('.')}`);
  return node;
}

function cut(text: string, from: number, to: number, instead = ''): string {
  return text.slice(0, from) + instead + text.slice(to);
}
