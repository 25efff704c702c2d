import { isJsonObject, type Json, type JsonObject } from '../core/json';
import { placeOf, shownPath } from './locate';
import type { Model } from './merge';
import { pointerOf } from './pointer';

/** One value of the config as it was written, with where that was and whether it holds. */
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
  return leavesOf(model.value, []).map(({ path, value }) => {
    const pointer = pointerOf(path);
    return {
      path: shownPath(model, pointer),
      value,
      place: placeOf(model, pointer) ?? '',
      inForce: JSON.stringify(valueAt(valid, path)) === JSON.stringify(value),
    };
  });
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: Json;
}

function leavesOf(value: Json, path: readonly string[]): Leaf[] {
  if (!isJsonObject(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner ?? null, [...path, key]));
}

function valueAt(root: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    root,
  );
}
