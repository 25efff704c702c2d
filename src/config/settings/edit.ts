import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { type EntryPlace, listsBelow, placesIn } from './entry-places';
import { nodeAt, type Path } from './find-node';
import { appendItem, insertMember } from './insert';
import { parseSettings, type Settings } from './parse';
import { blankIn, removeAt, replaceAt, sourceAt, withoutEmpty } from './remove';
import { sameJson } from './same-json';
import type { Replaced, Undo } from './undo';
import type { WantedEntries, WantedEntry } from './wanted';

/** One document on its way; every step leaves it valid. */
export class Edit {
  text: string;
  readonly #created: string[][] = [];
  readonly #filled: { path: Path; blank: string }[] = [];
  readonly #replaced: Replaced[] = [];
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

  makeRoom(parent: readonly string[], test: (value: Json) => boolean): void {
    for (const place of this.#places(parent, test)) {
      const path = [...place.list, place.index];
      this.#replaced.push({ path: place.list, index: place.index, source: sourceAt(this.text, path) });
      this.text = removeAt(this.text, path);
    }
  }

  /** The first of ours in a list stays, where it is by itself; the others, and those that have no place any more, go. */
  refresh(parent: readonly string[], { entries, isOurs }: WantedEntries): void {
    const places = this.#places(parent, isOurs);
    const firstOf = new Map(places.map((place) => [nameOf(place), place]));
    for (const place of places) {
      const path = [...place.list, place.index];
      const wanted = entries.find((entry) => entry.path.join('\0') === nameOf(place));
      const stays = wanted !== undefined && place.isWhole && firstOf.get(nameOf(place)) === place;
      if (!stays) this.text = removeAt(this.text, path);
      else if (!sameJson(place.value, wanted.value)) this.text = replaceAt(this.text, path, wanted.value);
      if (wanted === undefined && place.isWhole) this.text = withoutEmpty(this.text, place.list, '');
    }
  }

  add({ path, value }: WantedEntry, { isOurs, keepsOut }: WantedEntries): void {
    const { root, value: document } = this.#settings();
    const list = valueAt(document, path);
    if (Array.isArray(list)) {
      if (list.some((other: Json) => isOurs(other) || keepsOut(other))) return;
      this.#fill(root && nodeAt(root, path), path);
      this.text = appendItem(this.text, path, value);
      return;
    }
    this.#addMissing(path, [value]);
  }

  addMember(key: string, value: Json): void {
    if (!Object.hasOwn(this.#settings().value, key)) this.#addMissing([key], value);
  }

  /** Makes everything on the way that is not there yet, in one piece. */
  #addMissing(path: readonly string[], value: Json): void {
    const { root, value: document } = this.#settings();
    let depth = 0;
    while (valueAt(document, path.slice(0, depth + 1)) !== undefined) depth++;
    const key = path[depth];
    if (key === undefined) throw new Error(`${path.join('.')} is there already`);
    if (root === undefined) this.#blankDocument = this.text;
    else this.#fill(nodeAt(root, path.slice(0, depth)), path.slice(0, depth));
    const whole = path.slice(depth + 1).reduceRight<Json>((inner, name) => ({ [name]: inner }), value);
    this.text = insertMember(this.text, path.slice(0, depth), key, whole);
    for (let end = depth + 1; end <= path.length; end++) this.#created.push([...path.slice(0, end)]);
  }

  #fill(node: Parameters<typeof blankIn>[1] | undefined, path: Path): void {
    const blank = node && blankIn(this.text, node);
    if (blank !== undefined && blank !== '') this.#filled.push({ path, blank });
  }

  /** From the last to the first, so that no place moves before its turn. */
  #places(parent: readonly string[], test: (value: Json) => boolean): readonly EntryPlace[] {
    return listsBelow(this.#settings().value, parent)
      .flatMap(([list, values]) => placesIn(list, values, test))
      .reverse();
  }

  #settings(): Settings {
    const settings = parseSettings(this.text);
    if (!settings.ok) throw new Error(`an edit broke the document: ${settings.failure.text}`);
    return settings.value;
  }
}

function nameOf({ list, isWhole }: EntryPlace): string {
  return (isWhole ? list : list.slice(0, -2)).join('\0');
}

function valueAt(document: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, key) => (isJsonObject(value) ? value[key] : undefined),
    document,
  );
}
