import { isJsonObject, type Json, type JsonObject } from '../core/json';
import {
  type Diagnostic,
  diagnose,
  errorFinding,
  FILE_START,
  type Finding,
  type SourceText,
  showPlace,
} from './diagnostics';
import { type Candidate, LAYERS, type Layer } from './files';
import type { Parsed, Position } from './parse';
import { nested, pathOf, pointerOf, showPath, valueAt } from './pointer';
import type { Section } from './section';
import { isExtension } from './vocabulary';

/** Where a value of the model comes from; `path` is its keys in that file. */
export interface Origin extends Position {
  readonly file: SourceText;
  readonly path: readonly string[];
}

/** A file's content, moved to its place in the model. */
export interface MountedFile {
  readonly layer: Layer;
  readonly candidate: Candidate;
  readonly value: JsonObject;
  /** Keyed by pointer into the model. */
  readonly origins: ReadonlyMap<string, Origin>;
}

/** All files merged, and where each part came from. */
export interface Model {
  readonly value: JsonObject;
  /** In rising priority. */
  readonly files: readonly MountedFile[];
}

/** Moves every top-level key of a file to the path its section wants. */
export function mountFile(candidate: Candidate, text: SourceText, parsed: Parsed): MountedFile {
  const { layer, legacy } = candidate;
  const mount = (key: string): readonly string[] => (legacy ? legacy.file.mount(key, legacy.name) : [key]);
  const whole = wholePath(candidate);
  const mounted = Object.entries(parsed.value)
    .filter(([key]) => !isExtension(key))
    .map(([key, content = null]) => nested(mount(key), content));
  const value = [...(whole ? [nested(whole, {})] : []), ...mounted].reduce(mergeMappings, {});
  const origins = wholeOrigin(candidate, text);
  for (const [pointer, position] of parsed.positions) {
    const path = pathOf(pointer);
    const [top, ...rest] = path;
    if (top === undefined) continue;
    origins.set(pointerOf([...mount(top), ...rest]), { ...position, file: text, path });
  }
  return { layer, candidate, value, origins };
}

/** An unreadable file that is one entry of the model (`whole`) still counts as present, without content. */
export function mountBroken(candidate: Candidate, text: SourceText): MountedFile[] {
  const origins = wholeOrigin(candidate, text);
  return origins.size === 0 ? [] : [{ layer: candidate.layer, candidate, value: {}, origins }];
}

function wholeOrigin(candidate: Candidate, text: SourceText): Map<string, Origin> {
  const whole = wholePath(candidate);
  if (whole === undefined) return new Map();
  return new Map([[pointerOf(whole), { value: FILE_START, empty: false, file: text, path: [] }]]);
}

function wholePath({ legacy }: Candidate): readonly string[] | undefined {
  return legacy?.file.whole?.(legacy.name);
}

export function withoutKeys(file: MountedFile, keys: ReadonlySet<string>): MountedFile {
  const stays = (top: string | undefined): boolean => top === undefined || !keys.has(top);
  const value = Object.fromEntries(Object.entries(file.value).filter(([key]) => stays(key)));
  const origins = new Map([...file.origins].filter(([pointer]) => stays(pathOf(pointer)[0])));
  return { ...file, value, origins };
}

/** Merges files given in rising priority. Double definitions are reported in `diagnostics`. */
export function mergeFiles(
  files: readonly MountedFile[],
  sections: readonly Section[],
  diagnostics: Diagnostic[],
): Model {
  const named = dropSameName(files, diagnostics);
  const layers = LAYERS.map((layer) => named.filter((file) => file.layer === layer));
  const once = layers.flatMap((layer) => dropDefinedTwice(layer, diagnostics));
  const kept = dropGlobal(once, sections);
  return { value: kept.map((file) => file.value).reduce(mergeMappings, {}), files: kept };
}

function mergeMappings(lower: JsonObject, upper: JsonObject): JsonObject {
  const merged = Object.entries(upper).map(([key, value = null]) => [
    key,
    mergeValues(Object.hasOwn(lower, key) ? lower[key] : undefined, value),
  ]);
  return { ...lower, ...Object.fromEntries(merged) };
}

/** An empty key overrides nothing. */
function mergeValues(lower: Json | undefined, upper: Json): Json {
  if (lower === undefined) return upper;
  if (upper === null) return lower;
  return isJsonObject(lower) && isJsonObject(upper) ? mergeMappings(lower, upper) : upper;
}

/** Files whose names differ only in the extension define the same entry: the first one wins. */
function dropSameName(files: readonly MountedFile[], diagnostics: Diagnostic[]): MountedFile[] {
  const first = new Map<string, string>();
  return files.filter(({ layer, candidate }) => {
    const whole = wholePath(candidate);
    if (whole === undefined) return true;
    const key = `${layer} ${pointerOf(whole)}`;
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, candidate.shown);
      return true;
    }
    const finding = definedTwice(candidate.legacy?.name ?? '', showPlace({ file: other, ...FILE_START }));
    const text = { shown: candidate.shown, lines: [] };
    diagnostics.push({ ...diagnose(text, FILE_START, finding), topKey: whole[0] ?? '' });
    return false;
  });
}

/** Within a layer, a key must not be in both our own file and a legacy file; ours wins. */
function dropDefinedTwice(files: readonly MountedFile[], diagnostics: Diagnostic[]): MountedFile[] {
  const own = files.find((file) => file.candidate.legacy === undefined);
  if (own === undefined) return [...files];
  return files.map((file) => {
    if (file === own) return file;
    const twice = Object.keys(file.value).filter((key) => key !== 'inherit' && Object.hasOwn(own.value, key));
    for (const key of twice) {
      const ours = own.origins.get(pointerOf([key]));
      const theirs =
        file.origins.get(pointerOf([key])) ?? [...file.origins].find(([at]) => pathOf(at)[0] === key)?.[1];
      if (ours === undefined || theirs === undefined) continue;
      const switchesOff = `${showPath([key])} of ${theirs.file.shown}`;
      const finding = { ...definedTwice(key, showOrigin(ours)), switchesOff };
      diagnostics.push(diagnose(theirs.file, theirs.key ?? theirs.value, finding));
    }
    return withoutKeys(file, new Set(twice));
  });
}

function definedTwice(key: string, other: string): Finding {
  const message = `\`${key}\` is also defined at ${other}, which wins`;
  return { ...errorFinding('config.defined-twice', message), hint: 'keep it in one of the two files' };
}

/** `inherit: false` drops the global layer: all of it in our own file, the section's keys in a legacy file. */
function dropGlobal(files: readonly MountedFile[], sections: readonly Section[]): MountedFile[] {
  const refused = new Set(
    sections.filter((section) => !inherits(files, section)).flatMap((s) => Object.keys(s.keys)),
  );
  const all = !inherits(files, undefined);
  return files
    .filter((file) => !(all && file.layer === 'global'))
    .map((file) => (file.layer === 'global' ? withoutKeys(file, refused) : file));
}

function inherits(files: readonly MountedFile[], section: Section | undefined): boolean {
  const settings = files
    .filter((file) => file.layer !== 'global' && file.candidate.legacy?.section === section)
    .map((file) => file.value['inherit'])
    .filter((value) => typeof value === 'boolean');
  return settings.at(-1) ?? true;
}

/** The layers that configure a section: by a legacy file, one of its keys, or `inherit: true`. */
export function layersOf(model: Model, section: Section): Layer[] {
  return LAYERS.filter((layer) =>
    model.files.some((file) => {
      if (file.layer !== layer) return false;
      const { legacy } = file.candidate;
      if (legacy !== undefined) return legacy.section === section && legacy.file.configures !== false;
      const inheriting = layer !== 'global' && file.value['inherit'] === true;
      return inheriting || Object.keys(section.keys).some((key) => Object.hasOwn(file.value, key));
    }),
  );
}

/** The origin of a pointer in the highest file that gives it a value, else in the highest with the key. */
function originOf(model: Model, pointer: string): Origin | undefined {
  const all = model.files.flatMap((file) => file.origins.get(pointer) ?? []);
  return all.findLast((origin) => !origin.empty) ?? all.at(-1);
}

/** The origin of a path or of its nearest ancestor that has one, and how many keys of the path it covers. */
function nearestOrigin(model: Model, path: readonly string[]) {
  for (let length = path.length; length > 0; length--) {
    const origin = originOf(model, pointerOf(path.slice(0, length)));
    if (origin !== undefined) return { origin, length };
  }
  return undefined;
}

/** A finding at the key or the value of a pointer; none if no file has anything there or above. */
export function diagnoseAt(model: Model, pointer: string, atKey: boolean, finding: Finding): Diagnostic[] {
  const path = pathOf(pointer);
  const origin = nearestOrigin(model, path)?.origin;
  if (origin === undefined) return [];
  const span = (atKey ? origin.key : undefined) ?? origin.value;
  return [{ ...diagnose(origin.file, span, finding), ...(path[0] !== undefined && { topKey: path[0] }) }];
}

/** `file:line:column` of the key at a pointer. */
export function placeOf(model: Model, pointer: string): string | undefined {
  const origin = originOf(model, pointer);
  return origin && showOrigin(origin);
}

function showOrigin({ file, key, value }: Origin): string {
  const { line, column } = key ?? value;
  return showPlace({ file: file.shown, line, column });
}

/** The keys of a pointer as written in its file: legacy files are mounted elsewhere in the model. */
export function shownPath(model: Model, pointer: string): readonly string[] {
  const path = pathOf(pointer);
  const near = nearestOrigin(model, path);
  return near === undefined ? path : [...near.origin.path, ...path.slice(near.length)];
}

/** Every value that a layer sets, in the order of the merged config, and where. */
export function effectiveValues(model: Model, valid: JsonObject) {
  return leavesOf(model.value, [])
    .map(({ path, value }) => {
      const pointer = pointerOf(path);
      return {
        path: shownPath(model, pointer),
        value,
        place: placeOf(model, pointer) ?? '',
        /** False if an error disabled it, or if nothing reads it. */
        in_effect: JSON.stringify(valueAt(valid, path)) === JSON.stringify(value),
      };
    })
    .filter(({ path, in_effect }) => in_effect || !path.some(isExtension));
}

/** Every value inside of a mapping, with its path. A list is one value. */
export function leavesOf(
  value: Json,
  path: readonly string[],
): { readonly path: readonly string[]; readonly value: Json }[] {
  if (!isJsonObject(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner ?? null, [...path, key]));
}
