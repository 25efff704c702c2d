import { isJsonObject, type Json, type JsonObject } from '../core/json';

/** A path in the model as text: keys and list indexes joined by `/`, no leading slash. The root is empty. */
export function pointerOf(path: readonly string[]): string {
  // An empty key must differ from no key at all.
  return path.map((key) => (key === '' ? '~' : key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
}

export function pathOf(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .split('/')
    .map((part) => (part === '~' ? '' : part.replaceAll('~1', '/').replaceAll('~0', '~')));
}

/** Whether a path matches a pattern, in which `*` is any one key. */
export function matchesPattern(pattern: string, path: readonly string[]): boolean {
  const wanted = pattern.split('/');
  return wanted.length === path.length && wanted.every((part, at) => part === '*' || part === path[at]);
}

/** A path as people write it: `requirements.commit_plan.trigger_tools[0]`. */
export function showPath(path: readonly string[]): string {
  return path.reduce((shown, key) => {
    if (/^\d+$/.test(key)) return `${shown}[${key}]`;
    return shown === '' ? key : `${shown}.${key}`;
  }, '');
}

/** The value of one key or list index. */
export function childOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The value at a path of keys; inherited keys are not found. */
export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(childOf, value);
}

/** A mapping with nothing but this value, at a path that must not be empty. */
export function nested(path: readonly string[], value: Json): JsonObject {
  return path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value) as JsonObject;
}

/** A copy of a value without the parts at these pointers. */
export function prune(value: Json, removed: ReadonlySet<string>, path: readonly string[] = []): Json {
  const stays = (key: string): boolean => !removed.has(pointerOf([...path, key]));
  const inner = (key: string, content: Json): Json => prune(content, removed, [...path, key]);
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => (stays(String(at)) ? [inner(String(at), item)] : []));
  }
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => stays(key));
  return Object.fromEntries(kept.map(([key, content = null]) => [key, inner(key, content)]));
}

/** Maps a pointer into a pruned value back to the original: removing a list item shifts the later ones. */
export function pointerBefore(value: Json, removed: ReadonlySet<string>, pointer: string): string {
  const path: string[] = [];
  for (const key of pathOf(pointer)) {
    const around = valueAt(value, path);
    const kept = Array.isArray(around)
      ? [...around.keys()].map(String).filter((at) => !removed.has(pointerOf([...path, at])))
      : [];
    path.push(kept[Number(key)] ?? key);
  }
  return pointerOf(path);
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
