import { childOf } from '../../config/pointer';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';

/** The value at a path of keys; inherited keys are not found. */
export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(childOf, value);
}

/** The object at a path; `undefined` if the value is anything else. */
export function objectAt(value: Json | undefined, path: readonly string[]): JsonObject | undefined {
  const found = valueAt(value, path);
  return isJsonObject(found) ? found : undefined;
}

/** The text at a path; an empty one counts as absent. */
export function textAt(value: Json | undefined, ...path: string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

export function numberAt(value: Json | undefined, ...path: string[]): number | undefined {
  const found = valueAt(value, path);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

/** The list at a path; empty if there is none. */
export function listAt(value: Json | undefined, path: readonly string[]): readonly Json[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

export function textsAt(value: Json | undefined, ...path: string[]): readonly string[] {
  return listAt(value, path).filter((item): item is string => typeof item === 'string');
}

/** The time in the text at a path, in milliseconds. */
export function timeAt(value: Json | undefined, ...path: string[]): number | undefined {
  const ms = Date.parse(textAt(value, ...path) ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** Sets the value at the path, in a copy. All other keys keep their order. */
export function withValueAt(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  if (rest.length === 0) return { ...object, [key]: value };
  return { ...object, [key]: withValueAt(objectAt(object, [key]) ?? {}, rest, value) };
}

/** Replaces some members of the object at the path, in a copy. */
export function withMembersAt(object: JsonObject, path: readonly string[], members: JsonObject): JsonObject {
  return withValueAt(object, path, { ...objectAt(object, path), ...members });
}

/** Adds an entry to the list at the path, in a copy. Only the last `kept` entries stay. */
export function withEntryAt(object: JsonObject, path: readonly string[], entry: Json, kept?: number) {
  return withValueAt(object, path, [...listAt(object, path), entry].slice(kept === undefined ? 0 : -kept));
}
