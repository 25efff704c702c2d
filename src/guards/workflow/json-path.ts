import { isJsonObject, type Json, type JsonObject } from '../../core/json';

/** What stands at a path of keys; keys that every object inherits are not found. */
export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (current, key) => (isJsonObject(current) && Object.hasOwn(current, key) ? current[key] : undefined),
    value,
  );
}

export function objectAt(value: Json | undefined, path: readonly string[]): JsonObject | undefined {
  const found = valueAt(value, path);
  return isJsonObject(found) ? found : undefined;
}

export function textAt(value: Json | undefined, ...path: string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

export function numberAt(value: Json | undefined, ...path: string[]): number | undefined {
  const found = valueAt(value, path);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

export function listAt(value: Json | undefined, path: readonly string[]): readonly Json[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

export function textsAt(value: Json | undefined, ...path: string[]): readonly string[] {
  return listAt(value, path).filter((item): item is string => typeof item === 'string');
}

/** Whether two values are the same one, in whatever order their keys stand. */
export function sameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => sameJson(item, other[at]));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key], other[key]))
  );
}

/** The moment that a text names, in milliseconds; `undefined` where it names none. */
export function timeAt(value: Json | undefined, ...path: string[]): number | undefined {
  const ms = Date.parse(textAt(value, ...path) ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** The object with another value at the path. All other keys stay, and each where it stood. */
export function withValueAt(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  if (rest.length === 0) return { ...object, [key]: value };
  return { ...object, [key]: withValueAt(objectAt(object, [key]) ?? {}, rest, value) };
}

/** The object with some members of the object at the path replaced. */
export function withMembersAt(object: JsonObject, path: readonly string[], members: JsonObject): JsonObject {
  return withValueAt(object, path, { ...objectAt(object, path), ...members });
}
