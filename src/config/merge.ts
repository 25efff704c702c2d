import { isJsonObject, type Json, type JsonObject } from '../core/json';
import { type Diagnostic, diagnose, showPlace } from './diagnostics';
import * as say from './messages';
import { type MountedFile, type Origin, withoutKeys } from './mount';
import { pathOf, pointerOf, showPath } from './pointer';
import type { Section } from './section';
import { LAYERS, type Layer } from './source';

/** All files as one, and where each part of it came from. */
export interface Model {
  readonly value: JsonObject;
  /** In rising priority. */
  readonly files: readonly MountedFile[];
}

export interface Merged {
  readonly model: Model;
  readonly diagnostics: readonly Diagnostic[];
}

/** Merges files that come in rising priority. */
export function mergeFiles(files: readonly MountedFile[], sections: readonly Section[]): Merged {
  const diagnostics: Diagnostic[] = [];
  const once = LAYERS.flatMap((layer) =>
    dropDefinedTwice(
      files.filter((file) => file.layer === layer),
      diagnostics,
    ),
  );
  const kept = dropGlobal(once, sections);
  const value = kept.reduce<JsonObject>((lower, file) => mergeMappings(lower, file.value), {});
  return { model: { value, files: kept }, diagnostics };
}

/** Where a value came from: the highest file that says something there, else the nearest thing around it. */
export function originOf(model: Model, pointer: string): Origin | undefined {
  const path = pathOf(pointer);
  for (let length = path.length; length > 0; length--) {
    const found = exactOrigin(model, pointerOf(path.slice(0, length)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where exactly this pointer stands, if it stands anywhere. */
export function exactOrigin(model: Model, pointer: string): Origin | undefined {
  const all = model.files.flatMap((file) => file.origins.get(pointer) ?? []);
  return all.findLast((origin) => !origin.empty) ?? all.at(-1);
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

/** An empty key says nothing, so it replaces nothing. */
function mergeValues(lower: Json | undefined, upper: Json): Json {
  if (lower === undefined) return upper;
  if (upper === null) return lower;
  return isJsonObject(lower) && isJsonObject(upper) ? mergeMappings(lower, upper) : upper;
}

function mergeMappings(lower: JsonObject, upper: JsonObject): JsonObject {
  const merged = new Map(Object.entries(lower));
  for (const [key, value] of Object.entries(upper))
    merged.set(key, mergeValues(merged.get(key), value ?? null));
  return Object.fromEntries(merged);
}

/** Within one layer our own file and a seed's file must not both define a key; ours stays. */
function dropDefinedTwice(files: readonly MountedFile[], diagnostics: Diagnostic[]): MountedFile[] {
  const own = files.find((file) => file.candidate.seed === undefined);
  if (own === undefined) return [...files];
  return files.map((file) => {
    if (file === own) return file;
    const twice = Object.keys(file.value).filter((key) => key !== 'inherit' && Object.hasOwn(own.value, key));
    for (const key of twice) diagnostics.push(...definedTwice(own, file, key));
    return withoutKeys(file, new Set(twice));
  });
}

function definedTwice(own: MountedFile, seed: MountedFile, key: string): Diagnostic[] {
  const pointer = pointerOf([key]);
  const ours = own.origins.get(pointer);
  const theirs = seed.origins.get(pointer) ?? [...seed.origins].find(([at]) => pathOf(at)[0] === key)?.[1];
  if (ours === undefined || theirs === undefined) return [];
  const span = ours.key ?? ours.value;
  const other = showPlace({ file: ours.file.shown, line: span.line, column: span.column });
  return [
    diagnose(theirs.file, theirs.key ?? theirs.value, {
      code: 'config.defined-twice',
      severity: 'error',
      message: say.definedTwice(key, other),
      hint: say.definedTwiceHint(),
      switchesOff: `${showPath([key])} of ${theirs.file.shown}`,
    }),
  ];
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
