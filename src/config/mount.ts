import { isJsonObject, type Json, type JsonObject } from '../core/json';
import type { Candidate } from './find';
import type { Parsed } from './parse';
import { pathOf, pointerOf } from './pointer';
import { FILE_START, type Layer, type Position, type SourceText } from './source';

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
  const value: Growing = {};
  const whole = seed?.file.whole?.(seed.name);
  if (whole !== undefined) putValue(value, whole, {});
  for (const [key, content = null] of Object.entries(parsed.value)) putValue(value, place(key), content);
  const origins = wholeOrigin(candidate, text);
  for (const [pointer, position] of parsed.positions) {
    const path = pathOf(pointer);
    const [top, ...rest] = path;
    if (top === undefined) continue;
    origins.set(pointerOf([...place(top), ...rest]), { ...position, file: text, path });
  }
  return { layer: candidate.layer, candidate, value, origins };
}

/** What is left of a file that cannot be read: if it is one thing in the model, that it is there. */
export function mountBroken(candidate: Candidate, text: SourceText): MountedFile[] {
  const origins = wholeOrigin(candidate, text);
  return origins.size === 0 ? [] : [{ layer: candidate.layer, candidate, value: {}, origins }];
}

function wholeOrigin({ seed }: Candidate, text: SourceText): Map<string, Origin> {
  const whole = seed?.file.whole?.(seed.name);
  if (whole === undefined) return new Map();
  return new Map([[pointerOf(whole), { value: FILE_START, empty: false, file: text, path: [] }]]);
}

/** The file without some top-level keys of the model. */
export function withoutKeys(file: MountedFile, keys: ReadonlySet<string>): MountedFile {
  const stays = (top: string | undefined): boolean => top === undefined || !keys.has(top);
  const value = Object.fromEntries(Object.entries(file.value).filter(([key]) => stays(key)));
  const origins = new Map([...file.origins].filter(([pointer]) => stays(pathOf(pointer)[0])));
  return { ...file, value, origins };
}

interface Growing {
  [key: string]: Json | Growing;
}

function putValue(model: Growing, path: readonly string[], content: Json): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) {
    model[key] = content;
    return;
  }
  const inner: Growing = Object.hasOwn(model, key) && isGrowing(model[key]) ? model[key] : {};
  model[key] = inner;
  putValue(inner, rest, content);
}

function isGrowing(value: Json | Growing | undefined): value is Growing {
  return isJsonObject(value);
}
