import { isJsonObject, type Json } from '../core/json';
import { pathOf, pointerOf } from './pointer';

/** A value without the parts that are switched off. */
export function prune(value: Json, removed: ReadonlySet<string>, path: readonly string[] = []): Json {
  const stays = (key: string): boolean => !removed.has(pointerOf([...path, key]));
  if (Array.isArray(value)) {
    return value.flatMap((item, at) =>
      stays(String(at)) ? [prune(item, removed, [...path, String(at)])] : [],
    );
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => stays(key))
      .map(([key, content = null]) => [key, prune(content, removed, [...path, key])]),
  );
}

/** Where something in a pruned value stood before: list items move up when one before them goes. */
export function pointerBefore(value: Json, removed: ReadonlySet<string>, pointer: string): string {
  const path: string[] = [];
  let current: Json | undefined = value;
  for (const key of pathOf(pointer)) {
    const before: string = Array.isArray(current)
      ? indexBefore(current.length, removed, path, Number(key))
      : key;
    path.push(before);
    current = childOf(current, before);
  }
  return pointerOf(path);
}

export function childOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function indexBefore(
  length: number,
  removed: ReadonlySet<string>,
  path: readonly string[],
  wanted: number,
): string {
  const kept = Array.from({ length }, (_, at) => String(at)).filter(
    (at) => !removed.has(pointerOf([...path, at])),
  );
  return kept[wanted] ?? String(wanted);
}
