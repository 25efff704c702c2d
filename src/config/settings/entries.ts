import { isDeepStrictEqual } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
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
import { nodeAt, type Path, parseSettings, type SettingsTrouble, valueAt, wrongTypeIn } from './parse';

/** A value that shall stand in the list at `path`, once. */
export interface WantedEntry {
  readonly path: readonly string[];
  readonly value: Json;
}

/** The entries that a document shall have, and how they get along with what is there. */
export interface WantedEntries {
  readonly entries: readonly WantedEntry[];
  /** Members of the document that are put in where they are missing. */
  readonly skeleton: JsonObject;
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
}

/** A document with our entries, and how to get back. */
export interface Edited {
  readonly text: string;
  readonly undo: Undo;
}

/**
 * The document with our entries, one in each of their lists, and no other byte changed. Ours that stand there
 * already are brought up to date in their place; lists that shall have none lose theirs.
 */
export function withEntries(text: string, wanted: WantedEntries): Result<Edited, SettingsTrouble> {
  const before = parseSettings(text);
  if (!before.ok) return before;
  const body = before.value.text;
  const wrong = wrongTypeIn(before.value, wanted.entries);
  if (wrong !== undefined) return fail(wrong);
  const edit = new Edit(body);
  const parents = parentsOf(wanted.entries);
  for (const parent of parents) edit.makeRoom(parent, wanted);
  for (const parent of parents) edit.refresh(parent, wanted);
  for (const entry of wanted.entries) edit.add(entry, wanted);
  for (const [key, value = null] of Object.entries(wanted.skeleton)) edit.addMember(key, value);
  return succeed({ text: markOf(text) + edit.text, undo: edit.undo });
}

/** What is to be taken out of a document. */
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
  const before = parseSettings(text);
  if (!before.ok) return before;
  const body = before.value.text;
  const { parents, undo, isOurs } = unwanted;
  const blankOf = (path: Path): string =>
    undo?.filled.find((filled) => isDeepStrictEqual(filled.path, path))?.blank ?? '';
  const emptied: Path[] = [];
  let rest = body;
  for (const parent of parents) {
    for (const { list, index } of placesBelow(before.value.value, parent, isOurs).reverse()) {
      rest = removeAt(rest, [...list, index], blankOf(list));
      emptied.unshift(parent, list.slice(0, parent.length + 1));
    }
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

/** One document on its way; every step leaves it valid. */
class Edit {
  text: string;
  readonly #created: string[][] = [];
  readonly #filled: { path: Path; blank: string }[] = [];
  readonly #replaced: { path: Path; index: number; source: string }[] = [];
  #blankDocument: string | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get undo(): Undo {
    const blankDocument = this.#blankDocument;
    return {
      created: this.#created,
      filled: this.#filled,
      replaced: this.#replaced,
      ...(blankDocument !== undefined && { blankDocument }),
    };
  }

  makeRoom(parent: readonly string[], { makesRoom }: WantedEntries): void {
    for (const { list, index } of this.#places(parent, makesRoom)) {
      this.#replaced.push({ path: list, index, source: sourceAt(this.text, [...list, index]) });
      this.text = removeAt(this.text, [...list, index]);
    }
  }

  /** The first of ours in a list stays, where it is by itself; the others, and those that have no place any more, go. */
  refresh(parent: readonly string[], { entries, isOurs }: WantedEntries): void {
    const places = this.#places(parent, isOurs);
    for (const [at, place] of places.entries()) {
      const { list, index, value, isWhole } = place;
      const path = [...list, index];
      const top = topOf(place);
      const wanted = entries.find((entry) => isDeepStrictEqual(entry.path, top));
      const isFirst = !places.slice(at + 1).some((other) => isDeepStrictEqual(topOf(other), top));
      if (wanted === undefined || !isWhole || !isFirst) this.text = removeAt(this.text, path);
      else if (!isDeepStrictEqual(value, wanted.value))
        this.text = replaceItem(this.text, path, wanted.value);
      if (wanted === undefined && isWhole && blankAt(this.text, list) !== undefined)
        this.text = removeAt(this.text, list);
    }
  }

  add({ path, value }: WantedEntry, { isOurs, keepsOut }: WantedEntries): void {
    const list = valueAt(settingsOf(this.text).value, path);
    if (!Array.isArray(list)) this.#addMissing(path, [value]);
    else if (!list.some((other: Json) => isOurs(other) || keepsOut(other))) {
      this.#noteBlank(path);
      this.text = appendItem(this.text, path, value);
    }
  }

  addMember(key: string, value: Json): void {
    if (!Object.hasOwn(settingsOf(this.text).value, key)) this.#addMissing([key], value);
  }

  /** Makes everything on the way that is not there yet, in one piece. */
  #addMissing(path: readonly string[], value: Json): void {
    const { root, value: document } = settingsOf(this.text);
    const depth = path.findIndex((_step, at) => valueAt(document, path.slice(0, at + 1)) === undefined);
    const key = path[depth];
    if (key === undefined) throw new Error(`${path.join('.')} is there already`);
    const parent = path.slice(0, depth);
    if (root === undefined) this.#blankDocument = this.text;
    else this.#noteBlank(parent);
    const whole = path.slice(depth + 1).reduceRight<Json>((inner, name) => ({ [name]: inner }), value);
    this.text = insertMember(this.text, parent, key, whole);
    for (let end = depth + 1; end <= path.length; end++) this.#created.push(path.slice(0, end));
  }

  #noteBlank(path: Path): void {
    const blank = blankAt(this.text, path) ?? '';
    if (blank !== '') this.#filled.push({ path, blank });
  }

  /** From the last to the first, so that no place moves before its turn. */
  #places(parent: readonly string[], test: Test): readonly EntryPlace[] {
    return placesBelow(settingsOf(this.text).value, parent, test).reverse();
  }
}

/** The list of entries that a place belongs to. */
function topOf({ list, isWhole }: EntryPlace): Path {
  return isWhole ? list : list.slice(0, -2);
}
