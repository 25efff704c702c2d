import type { Node } from 'jsonc-parser';
import { nodeAt, type Path } from './find-node';
import * as say from './messages';
import { at, type Settings } from './parse';
import type { SettingsTrouble } from './trouble';
import type { WantedEntry } from './wanted';

type Wanted = 'array' | 'object';

/**
 * What on the way to our entries, or beside them in their lists, is not what the host expects there. It would drop
 * the document as a whole, and our entries with it.
 */
export function wrongTypeIn(
  settings: Settings,
  entries: readonly WantedEntry[],
): SettingsTrouble | undefined {
  for (const entry of entries) {
    const found = wrongOnTheWay(settings, entry.path) ?? wrongBeside(settings, entry);
    if (found !== undefined) return found;
  }
  return undefined;
}

function wrongOnTheWay(settings: Settings, path: readonly string[]): SettingsTrouble | undefined {
  for (let length = 1; length <= path.length; length++) {
    const way = path.slice(0, length);
    const node = nodeAt(settings.root, way);
    const wrong = node && wrongAt(settings, node, way, length === path.length ? 'array' : 'object');
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** Where ours is a group of handlers, the others in the list have to be groups as well. */
function wrongBeside(settings: Settings, { path, value }: WantedEntry): SettingsTrouble | undefined {
  const list = nodeAt(settings.root, path);
  for (const [index, node] of (list?.children ?? []).entries()) {
    const place = [...path, index];
    const wrong = wrongAt(settings, node, place, 'object') ?? wrongGroup(settings, node, place, value);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function wrongGroup(
  settings: Settings,
  node: Node,
  place: Path,
  ours: WantedEntry['value'],
): SettingsTrouble | undefined {
  if (!isGroup(ours)) return undefined;
  const way = [...place, 'hooks'];
  const handlers = nodeAt(settings.root, way);
  if (handlers === undefined)
    return at(settings.text, node.offset, 'wrong-type', say.wrongType(way, 'a list', 'missing'));
  const wrong = wrongAt(settings, handlers, way, 'array');
  if (wrong !== undefined) return wrong;
  for (const [index, handler] of (handlers.children ?? []).entries()) {
    const inner = wrongAt(settings, handler, [...way, index], 'object');
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function isGroup(value: WantedEntry['value']): boolean {
  return typeof value === 'object' && value !== null && 'hooks' in value;
}

function wrongAt({ text }: Settings, node: Node, place: Path, wanted: Wanted): SettingsTrouble | undefined {
  if (node.type === wanted) return undefined;
  const words = wanted === 'array' ? 'a list' : 'an object';
  return at(text, node.offset, 'wrong-type', say.wrongType(place, words, node.type));
}
