import { isDeepStrictEqual } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { valueAt } from '../pointer';
import {
  appendItem,
  blankAt,
  insertMember,
  insertSource,
  removeAt,
  replaceItem,
  settingsOf,
  sourceAt,
} from './edit-text';
import { duplicateIn, nodeAt, type Path, parseSettings, type SettingsTrouble, wrongTypeIn } from './parse';

/** A value that must be in the list at `path`, once. */
export interface WantedEntry {
  readonly path: readonly string[];
  readonly value: Json;
}

/** A value besides the entries, a list item or a member, that is added only if it is missing. */
export interface Extra extends WantedEntry {
  readonly kind: 'item' | 'member';
}

/** The entries that a document must have, and how they coexist with what is already there. */
export interface WantedEntries {
  readonly entries: readonly WantedEntry[];
  /** Top-level members that are added if missing. */
  readonly skeleton?: JsonObject;
  readonly extras?: readonly Extra[];
  isOurs(value: Json): boolean;
  /** Whether this value is removed, so that ours can take its place. */
  makesRoom(value: Json): boolean;
  /** Whether this value already does the work of ours, so that ours is not added to its list. */
  keepsOut(value: Json): boolean;
}

/** What it takes to remove our entries again and leave the document as it was. */
export interface Undo {
  /** Members that we created, outermost first. */
  readonly created: readonly (readonly string[])[];
  /** Containers that were empty, and the white space inside them. */
  readonly filled: readonly { readonly path: Path; readonly blank: string }[];
  /** The whole text, if it was blank. */
  readonly blankDocument?: string;
  /** Entries removed to make room for ours, in order of removal, with their source text. */
  readonly replaced: readonly { readonly path: Path; readonly index: number; readonly source: string }[];
  /** Extras that we added. */
  readonly added?: readonly Extra[];
}

/** A document with our entries, and how to undo the edit. */
export interface Edited {
  readonly text: string;
  readonly undo: Undo;
}

/**
 * Adds our entries, one to each of their lists, and changes no other byte. Existing entries of ours are
 * updated in place, and lists that should have none lose theirs. The document is valid after every step.
 */
export function withEntries(text: string, wanted: WantedEntries): Result<Edited, SettingsTrouble> {
  const before = parseSettings(text);
  if (!before.ok) return before;
  const parents = parentsOf(wanted.entries);
  const extras = wanted.extras ?? [];
  const lists = [...wanted.entries, ...extras.filter(({ kind }) => kind === 'item')];
  const wrong = duplicateIn(before.value, parentsOf(lists)) ?? wrongTypeIn(before.value, lists);
  if (wrong !== undefined) return fail(wrong);
  let edited: Edited = { text: before.value.text, undo: { created: [], filled: [], replaced: [] } };
  for (const parent of parents) edited = makeRoom(edited, parent, wanted);
  for (const parent of parents) edited = { ...edited, text: refreshed(edited.text, parent, wanted) };
  for (const entry of wanted.entries) edited = addEntry(edited, entry, wanted);
  for (const [key, value = null] of Object.entries(wanted.skeleton ?? {})) {
    if (!Object.hasOwn(settingsOf(edited.text).value, key)) edited = addMissing(edited, [key], value);
  }
  for (const extra of extras) edited = addExtra(edited, extra);
  return succeed({ ...edited, text: markOf(text) + edited.text });
}

function addExtra(edited: Edited, extra: Extra): Edited {
  const { path, kind, value } = extra;
  const there = valueAt(settingsOf(edited.text).value, path);
  if (kind === 'item' ? Array.isArray(there) && there.includes(value) : there !== undefined) return edited;
  const { text, undo } = Array.isArray(there)
    ? { text: appendItem(edited.text, path, value), undo: withBlank(edited, path) }
    : addMissing(edited, path, kind === 'item' ? [value] : value);
  return { text, undo: { ...undo, added: [...(undo.added ?? []), extra] } };
}

function makeRoom({ text, undo }: Edited, parent: readonly string[], { makesRoom }: WantedEntries): Edited {
  const places = placesBelow(settingsOf(text).value, parent, makesRoom).reverse();
  const sources = places.map(({ list, index }) => {
    return { path: list, index, source: sourceAt(text, [...list, index]) };
  });
  return {
    text: places.reduce((rest, { list, index }) => removeAt(rest, [...list, index]), text),
    undo: { ...undo, replaced: [...undo.replaced, ...sources] },
  };
}

/** Keeps our first entry in each wanted list, if it is a whole item, and removes all others of ours. */
function refreshed(text: string, parent: readonly string[], { entries, isOurs }: WantedEntries): string {
  // From last to first, so that no removal shifts a place that is still to be handled.
  const places = placesBelow(settingsOf(text).value, parent, isOurs).reverse();
  return places.reduce((rest, place, at) => {
    const { list, index, value, isWhole } = place;
    const top = topOf(place);
    const wanted = entries.find((entry) => isDeepStrictEqual(entry.path, top));
    const isFirst = !places.slice(at + 1).some((other) => isDeepStrictEqual(topOf(other), top));
    if (wanted !== undefined && isWhole && isFirst) {
      return isDeepStrictEqual(value, wanted.value)
        ? rest
        : replaceItem(rest, [...list, index], wanted.value);
    }
    const left = removeAt(rest, [...list, index]);
    const isLeftEmpty = wanted === undefined && isWhole && blankAt(left, list) !== undefined;
    return isLeftEmpty ? removeAt(left, list) : left;
  }, text);
}

function addEntry(edited: Edited, { path, value }: WantedEntry, { isOurs, keepsOut }: WantedEntries): Edited {
  const list = valueAt(settingsOf(edited.text).value, path);
  if (!Array.isArray(list)) return addMissing(edited, path, [value]);
  if (list.some((other: Json) => isOurs(other) || keepsOut(other))) return edited;
  return { text: appendItem(edited.text, path, value), undo: withBlank(edited, path) };
}

/** Creates the value and all its missing parents in one insertion. */
function addMissing(edited: Edited, path: readonly string[], value: Json): Edited {
  const { root, value: document } = settingsOf(edited.text);
  const depth = path.findIndex((_step, at) => valueAt(document, path.slice(0, at + 1)) === undefined);
  const key = path[depth];
  if (key === undefined) throw new Error(`${path.join('.')} is there already`);
  const parent = path.slice(0, depth);
  const undo =
    root === undefined ? { ...edited.undo, blankDocument: edited.text } : withBlank(edited, parent);
  const whole = path.slice(depth + 1).reduceRight<Json>((inner, name) => ({ [name]: inner }), value);
  const made = path.slice(depth).map((_step, at) => path.slice(0, depth + at + 1));
  return {
    text: insertMember(edited.text, parent, key, whole),
    undo: { ...undo, created: [...undo.created, ...made] },
  };
}

function withBlank({ text, undo }: Edited, path: Path): Undo {
  const blank = blankAt(text, path) ?? '';
  return blank === '' ? undo : { ...undo, filled: [...undo.filled, { path, blank }] };
}

/** What to remove from a document. */
export interface Unwanted {
  /** The objects whose members are the lists to search. */
  readonly parents: readonly (readonly string[])[];
  /** Members that the document needed only because of us. */
  readonly skeleton: readonly string[];
  /** Absent if nothing was recorded: then what our entries leave empty goes too, and so do `extras`. */
  readonly undo: Undo | undefined;
  readonly extras?: readonly Extra[];
  isOurs(value: Json): boolean;
}

/** Removes our entries and the containers made for them. Entries that made room for ours come back. */
export function withoutEntries(text: string, unwanted: Unwanted): Result<string, SettingsTrouble> {
  const before = parseSettings(text);
  if (!before.ok) return before;
  const { parents, undo, isOurs } = unwanted;
  const twice = duplicateIn(before.value, parents);
  if (twice !== undefined) return fail(twice);
  const blankOf = (path: Path): string =>
    undo?.filled.find((filled) => isDeepStrictEqual(filled.path, path))?.blank ?? '';
  const emptied: Path[] = [];
  let rest = before.value.text;
  for (const parent of parents) {
    for (const { list, index } of placesBelow(before.value.value, parent, isOurs).reverse()) {
      rest = removeAt(rest, [...list, index], blankOf(list));
      emptied.unshift(parent, list.slice(0, parent.length + 1));
    }
  }
  for (const extra of extrasOf(unwanted)) {
    rest = withoutExtra(rest, extra, blankOf);
    emptied.unshift(extra.path.slice(0, -1), extra.path);
  }
  rest = withReplaced(rest, undo);
  const containers = [...(undo?.created ?? emptied)].sort((one, other) => other.length - one.length);
  for (const path of containers) {
    if (path.length > 0 && blankAt(rest, path) !== undefined)
      rest = removeAt(rest, path, blankOf(path.slice(0, -1)));
  }
  rest = withoutSkeleton(rest, unwanted, blankOf([]));
  const isEmpty = Object.keys(settingsOf(rest).value).length === 0;
  return succeed(markOf(text) + (isEmpty ? (undo?.blankDocument ?? rest) : rest));
}

function extrasOf({ undo, extras = [] }: Unwanted): readonly Extra[] {
  return undo === undefined ? extras : (undo.added ?? []);
}

/** Leaves a value that somebody has changed since. */
function withoutExtra(text: string, { path, kind, value }: Extra, blankOf: (path: Path) => string): string {
  const there = valueAt(settingsOf(text).value, path);
  if (kind === 'member')
    return isDeepStrictEqual(there, value) ? removeAt(text, path, blankOf(path.slice(0, -1))) : text;
  const index = Array.isArray(there) ? there.indexOf(value) : -1;
  return index < 0 ? text : removeAt(text, [...path, index], blankOf(path));
}

/** Only into a list that still exists: if it is gone, somebody removed it on purpose. */
function withReplaced(text: string, undo: Undo | undefined): string {
  return [...(undo?.replaced ?? [])]
    .reverse()
    .reduce(
      (rest, { path, index, source }) =>
        nodeAt(settingsOf(rest), path)?.type === 'array' ? insertSource(rest, path, index, source) : rest,
      text,
    );
}

/** Removes them only if nothing else is left, because other members may need them. */
function withoutSkeleton(text: string, { skeleton, undo }: Unwanted, blank: string): string {
  const isMadeByUs = (key: string): boolean =>
    skeleton.includes(key) && (undo?.created.some((path) => path.length === 1 && path[0] === key) ?? true);
  const keys = Object.keys(settingsOf(text).value);
  return keys.every(isMadeByUs) ? keys.reduce((rest, key) => removeAt(rest, [key], blank), text) : text;
}

/** The byte order mark of a text, if it has one. */
function markOf(text: string): string {
  return text.startsWith('\ufeff') ? '\ufeff' : '';
}

/** The objects whose members are the lists of entries. */
export function parentsOf(entries: readonly WantedEntry[]): readonly (readonly string[])[] {
  const parents = new Map(entries.map(({ path }) => [path.slice(0, -1).join('\0'), path.slice(0, -1)]));
  return [...parents.values()];
}

/** A value in a list, or a handler inside of one. */
export interface EntryPlace {
  readonly list: Path;
  readonly index: number;
  readonly value: Json;
  /** False for a handler inside somebody else's value. */
  readonly isWhole: boolean;
}

type Test = (value: Json) => boolean;

/** Everything that passes the test in the lists that are members of the object at `parent`. */
export function placesBelow(document: JsonObject, parent: readonly string[], test: Test): EntryPlace[] {
  const object = valueAt(document, parent);
  return Object.entries(isJsonObject(object) ? object : {}).flatMap(([key, list]) =>
    Array.isArray(list) ? placesIn([...parent, key], list as readonly Json[], test) : [],
  );
}

/** If only some handlers of a group pass, because somebody added a hook to it, returns those handlers. */
function placesIn(list: Path, values: readonly Json[], test: Test): EntryPlace[] {
  return values.flatMap((value, index): EntryPlace[] => {
    if (!test(value)) return [];
    const handlers = isJsonObject(value) ? value['hooks'] : undefined;
    if (!Array.isArray(handlers) || handlers.every(test)) return [{ list, index, value, isWhole: true }];
    const inner = placesIn([...list, index, 'hooks'], handlers as readonly Json[], test);
    return inner.map((place) => ({ ...place, isWhole: false }));
  });
}

/** The list of entries that a place belongs to. */
function topOf({ list, isWhole }: EntryPlace): Path {
  return isWhole ? list : list.slice(0, -2);
}
