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

export function valueAt(value: Json, path: readonly string[]): Json | undefined {
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
