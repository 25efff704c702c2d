import { isJsonObject, type Json, type JsonObject } from '../domain/json';
import type { Candidate } from './find';
import type { Parsed } from './parse';
import { pathOf, pointerOf } from './pointer';
import type { Layer, Position, SourceText } from './source';

/** Where a value of the model stands, and under which keys it is found in that file. */
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

/** Puts every top-level key of a file where its section wants it. */
export function mountFile(candidate: Candidate, text: SourceText, parsed: Parsed): MountedFile {
  const seed = candidate.seed;
  const place = (key: string): readonly string[] => (seed ? seed.file.mount(key, seed.name) : [key]);
  const value = Object.entries(parsed.value).reduce<JsonObject>(
    (model, [key, content]) => withValue(model, place(key), content ?? null),
    {},
  );
  const origins = new Map<string, Origin>();
  for (const [pointer, position] of parsed.positions) {
    const path = pathOf(pointer);
    const [top, ...rest] = path;
    if (top === undefined) continue;
    origins.set(pointerOf([...place(top), ...rest]), { ...position, file: text, path });
  }
  return { layer: candidate.layer, candidate, value, origins };
}

/** The file without some top-level keys of the model. */
export function withoutKeys(file: MountedFile, keys: ReadonlySet<string>): MountedFile {
  const stays = (top: string | undefined): boolean => top === undefined || !keys.has(top);
  const value = Object.fromEntries(Object.entries(file.value).filter(([key]) => stays(key)));
  const origins = new Map([...file.origins].filter(([pointer]) => stays(pathOf(pointer)[0])));
  return { ...file, value, origins };
}

function withValue(model: JsonObject, path: readonly string[], content: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return model;
  if (rest.length === 0) return { ...model, [key]: content };
  const inner = Object.hasOwn(model, key) ? model[key] : undefined;
  return { ...model, [key]: withValue(isJsonObject(inner) ? inner : {}, rest, content) };
}
