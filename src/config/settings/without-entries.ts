import { type Result, succeed } from '../../core/failure';
import type { Json } from '../../core/json';
import { listsBelow, placesIn } from './entry-places';
import { nodeAt, type Path } from './find-node';
import { insertSource } from './insert';
import { parseSettings, type Settings } from './parse';
import { removeAt, withoutEmpty } from './remove';
import type { SettingsTrouble } from './trouble';
import type { Replaced, Undo } from './undo';

export interface Unwanted {
  /** The objects whose members are the lists to look through. */
  readonly parents: readonly (readonly string[])[];
  /** Members that the document only had to have for our sake. */
  readonly skeleton: readonly string[];
  /** Absent where nobody noted what was there before: what our entries leave empty then goes too. */
  readonly undo: Undo | undefined;
  isOurs(value: Json): boolean;
}

/** The document without our entries, and without what only held them. Entries that made room come back. */
export function withoutEntries(text: string, unwanted: Unwanted): Result<string, SettingsTrouble> {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  const before = parseSettings(body);
  if (!before.ok) return before;
  const { undo } = unwanted;
  const blankOf = (path: Path): string =>
    undo?.filled.find((filled) => filled.path.join('\0') === path.join('\0'))?.blank ?? '';
  const emptied: (readonly string[])[] = [];
  let rest = body;
  for (const parent of unwanted.parents) {
    const places = listsBelow(before.value.value, parent).flatMap(([list, values]) =>
      placesIn(list, values, unwanted.isOurs),
    );
    // From the last to the first, so that no place moves before its turn.
    for (const { list, index } of [...places].reverse()) {
      rest = removeAt(rest, [...list, index], blankOf(list));
      emptied.unshift(parent, list.slice(0, parent.length + 1) as readonly string[]);
    }
  }
  for (const replaced of [...(undo?.replaced ?? [])].reverse()) rest = restored(rest, replaced);
  const containers = undo?.created ?? emptied;
  for (const path of [...containers].sort((one, other) => other.length - one.length))
    rest = withoutEmpty(rest, path, blankOf(path.slice(0, -1)));
  rest = withoutSkeleton(rest, unwanted, blankOf([]));
  const isEmpty = Object.keys(settingsOf(rest).value).length === 0;
  const end = isEmpty ? (undo?.blankDocument ?? rest) : rest;
  return succeed(text.slice(0, text.length - body.length) + end);
}

/** Only where its list is still there: what has changed since is somebody's wish. */
function restored(text: string, { path, index, source }: Replaced): string {
  return nodeAt(settingsOf(text).root, path)?.type === 'array'
    ? insertSource(text, path, index, source)
    : text;
}

/** Members that others may stand on stay for as long as there are others. */
function withoutSkeleton(text: string, { skeleton, undo }: Unwanted, blank: string): string {
  const isOurs = (key: string): boolean =>
    skeleton.includes(key) && (undo?.created.some((path) => path.length === 1 && path[0] === key) ?? true);
  const keys = Object.keys(settingsOf(text).value);
  return keys.every(isOurs) ? keys.reduce((rest, key) => removeAt(rest, [key], blank), text) : text;
}

function settingsOf(text: string): Settings {
  const settings = parseSettings(text);
  if (!settings.ok) throw new Error(`an edit broke the document: ${settings.failure.text}`);
  return settings.value;
}
