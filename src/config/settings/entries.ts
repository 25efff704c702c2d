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

/** A value that shall stand in the list at `path`, once. */
export interface WantedEntry {
  readonly path: readonly string[];
  readonly value: Json;
}

/** A value beside the entries that is added once and only where it is missing: an item of a list, or a member. */
export interface Extra extends WantedEntry {
  readonly kind: 'item' | 'member';
}

/** The entries that a document shall have, and how they get along with what is there. */
export interface WantedEntries {
  readonly entries: readonly WantedEntry[];
  /** Members of the document that are put in where they are missing. */
  readonly skeleton: JsonObject;
  readonly extras?: readonly Extra[];
  isOurs(value: Json): boolean;
  /** Whether it is taken out, so that ours can take its place. */
  makesRoom(value: Json): boolean;
  /** Whether it does the work of ours already, so that ours is not added to its list. */
  keepsOut(value: Json): boolean;
}

/** What has to be known to take our entries out again and leave the document as it was. */
export interface Undo {
  /** Members that were missing and that we made; outer ones first. */
  readonly created: readonly (readonly string[])[];
  /** Containers that were empty, and the blanks that stood in them. */
  readonly filled: readonly { readonly path: Path; readonly blank: string }[];
  /** The whole text, where that was blank. */
  readonly blankDocument?: string;
  /** Entries that made room for ours, in the order in which they were taken out, with their own text. */
  readonly replaced: readonly { readonly path: Path; readonly index: number; readonly source: string }[];
  /** Extras that were missing before. */
  readonly added?: readonly Extra[];
}

/** A document with our entries, and how to get back. */
export interface Edited {
  readonly text: string;
  readonly undo: Undo;
}

/**
 * The document with our entries, one in each of their lists, and no other byte changed. Ours that stand there
 * already are brought up to date in their place; lists that shall have none lose theirs. Every step leaves the
 * document valid.
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
  for (const [key, value = null] of Object.entries(wanted.skeleton)) {
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

/** The first of ours in a list stays, where it is by itself; the others, and those that have no place any more, go. */
function refreshed(text: string, parent: readonly string[], { entries, isOurs }: WantedEntries): string {
  // From the last to the first, so that no place moves before its turn.
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

/** Makes everything on the way that is not there yet, in one piece. */
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

/** What is to be taken out of a document. */
export interface Unwanted {
  /** The objects whose members are the lists to look through. */
  readonly parents: readonly (readonly string[])[];
  /** Members that the document only had to have for our sake. */
  readonly skeleton: readonly string[];
  /** Absent where nobody noted what was there before: what our entries leave empty then goes too, and so do `extras`. */
  readonly undo: Undo | undefined;
  readonly extras?: readonly Extra[];
  isOurs(value: Json): boolean;
}

/** The document without our entries, and without what only held them. Entries that made room come back. */
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

/** What somebody has changed since is theirs. */
function withoutExtra(text: string, { path, kind, value }: Extra, blankOf: (path: Path) => string): string {
  const there = valueAt(settingsOf(text).value, path);
  if (kind === 'member')
    return isDeepStrictEqual(there, value) ? removeAt(text, path, blankOf(path.slice(0, -1))) : text;
  const index = Array.isArray(there) ? there.indexOf(value) : -1;
  return index < 0 ? text : removeAt(text, [...path, index], blankOf(path));
}

/** Only where its list is still there: what has changed since is somebody's wish. */
function withReplaced(text: string, undo: Undo | undefined): string {
  return [...(undo?.replaced ?? [])]
    .reverse()
    .reduce(
      (rest, { path, index, source }) =>
        nodeAt(settingsOf(rest), path)?.type === 'array' ? insertSource(rest, path, index, source) : rest,
      text,
    );
}

/** Members that others may need stay for as long as there are others. */
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

/** A value in a list, or a part of one. */
export interface EntryPlace {
  /** The list it stands in. */
  readonly list: Path;
  readonly index: number;
  readonly value: Json;
  /** False for a part of somebody else's value. */
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

/** Of a value that only partly passes, such as a group of hooks to which somebody has added one, the parts that do. */
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
