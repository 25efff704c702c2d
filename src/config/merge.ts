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

/** The place of a value of the model, and the keys under which its file has it. */
export interface Origin extends Position {
  readonly file: SourceText;
  readonly path: readonly string[];
}

/** A file's content at its place in the model. */
export interface MountedFile {
  readonly layer: Layer;
  readonly candidate: Candidate;
  readonly value: JsonObject;
  /** By pointer in the model. */
  readonly origins: ReadonlyMap<string, Origin>;
}

/** All files as one, and where each part of it came from. */
export interface Model {
  readonly value: JsonObject;
  /** In rising priority. */
  readonly files: readonly MountedFile[];
}

/** Puts every top-level key of a file where its section wants it. */
export function mountFile(candidate: Candidate, text: SourceText, parsed: Parsed): MountedFile {
  const { layer, seed } = candidate;
  const mount = (key: string): readonly string[] => (seed ? seed.file.mount(key, seed.name) : [key]);
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

/** What is left of a file that cannot be read: if it is one thing in the model, that it is there. */
export function mountBroken(candidate: Candidate, text: SourceText): MountedFile[] {
  const origins = wholeOrigin(candidate, text);
  return origins.size === 0 ? [] : [{ layer: candidate.layer, candidate, value: {}, origins }];
}

function wholeOrigin(candidate: Candidate, text: SourceText): Map<string, Origin> {
  const whole = wholePath(candidate);
  if (whole === undefined) return new Map();
  return new Map([[pointerOf(whole), { value: FILE_START, empty: false, file: text, path: [] }]]);
}

function wholePath({ seed }: Candidate): readonly string[] | undefined {
  return seed?.file.whole?.(seed.name);
}

/** The file without some top-level keys of the model. */
export function withoutKeys(file: MountedFile, keys: ReadonlySet<string>): MountedFile {
  const stays = (top: string | undefined): boolean => top === undefined || !keys.has(top);
  const value = Object.fromEntries(Object.entries(file.value).filter(([key]) => stays(key)));
  const origins = new Map([...file.origins].filter(([pointer]) => stays(pathOf(pointer)[0])));
  return { ...file, value, origins };
}

/** Merges files that come in rising priority. What is defined twice goes to `diagnostics`. */
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

/** An empty key says nothing, so it replaces nothing. */
function mergeValues(lower: Json | undefined, upper: Json): Json {
  if (lower === undefined) return upper;
  if (upper === null) return lower;
  return isJsonObject(lower) && isJsonObject(upper) ? mergeMappings(lower, upper) : upper;
}

/** Files whose names differ only in their endings would be one thing twice: the first counts. */
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
    const finding = definedTwice(candidate.seed?.name ?? '', showPlace({ file: other, ...FILE_START }));
    const text = { shown: candidate.shown, lines: [] };
    diagnostics.push({ ...diagnose(text, FILE_START, finding), topKey: whole[0] ?? '' });
    return false;
  });
}

/** Within one layer our own file and a seed's file must not both define a key; ours stays. */
function dropDefinedTwice(files: readonly MountedFile[], diagnostics: Diagnostic[]): MountedFile[] {
  const own = files.find((file) => file.candidate.seed === undefined);
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

/** `inherit: false` in our own file drops all that is global; in a seed's file, what its section owns. */
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
  const said = files
    .filter((file) => file.layer !== 'global' && file.candidate.seed?.section === section)
    .map((file) => file.value['inherit'])
    .filter((value) => typeof value === 'boolean');
  return said.at(-1) ?? true;
}

/** The layers that say anything about a section: a file of its own, one of its keys, or a wish to inherit. */
export function layersOf(model: Model, section: Section): Layer[] {
  return LAYERS.filter((layer) =>
    model.files.some((file) => {
      if (file.layer !== layer) return false;
      const { seed } = file.candidate;
      if (seed !== undefined) return seed.section === section && seed.file.configures !== false;
      const wishes = layer !== 'global' && file.value['inherit'] === true;
      return wishes || Object.keys(section.keys).some((key) => Object.hasOwn(file.value, key));
    }),
  );
}

/** Where a pointer is given, in the highest file that says something there. */
function originOf(model: Model, pointer: string): Origin | undefined {
  const all = model.files.flatMap((file) => file.origins.get(pointer) ?? []);
  return all.findLast((origin) => !origin.empty) ?? all.at(-1);
}

/** The origin of a pointer or of the nearest thing around it, and how many of its keys that has. */
function nearestOrigin(
  model: Model,
  path: readonly string[],
): { readonly origin: Origin; readonly length: number } | undefined {
  for (let length = path.length; length > 0; length--) {
    const origin = originOf(model, pointerOf(path.slice(0, length)));
    if (origin !== undefined) return { origin, length };
  }
  return undefined;
}

/** A finding at the key of a pointer, or at its value; none where no file says anything around it. */
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

/** The keys of a pointer as its file has them: what a seed's file says is mounted elsewhere. */
export function shownPath(model: Model, pointer: string): readonly string[] {
  const path = pathOf(pointer);
  const near = nearestOrigin(model, path);
  return near === undefined ? path : [...near.origin.path, ...path.slice(near.length)];
}

/** One value of the config as it was written, with its place and whether it holds. */
export interface EffectiveValue {
  /** The keys as the file has them. */
  readonly path: readonly string[];
  readonly value: Json;
  /** `file:line:column`. */
  readonly place: string;
  /** False for what an error switched off, or what nothing reads. */
  readonly inForce: boolean;
}

/** Every value that a layer sets, lists whole, in the order of the merged config. */
export function effectiveValues(model: Model, valid: JsonObject): EffectiveValue[] {
  return leavesOf(model.value, [])
    .map(({ path, value }) => {
      const pointer = pointerOf(path);
      return {
        path: shownPath(model, pointer),
        value,
        place: placeOf(model, pointer) ?? '',
        inForce: JSON.stringify(valueAt(valid, path)) === JSON.stringify(value),
      };
    })
    .filter(({ path, inForce }) => inForce || !path.some(isExtension));
}

function leavesOf(value: Json, path: readonly string[]): Pick<EffectiveValue, 'path' | 'value'>[] {
  if (!isJsonObject(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner ?? null, [...path, key]));
}
