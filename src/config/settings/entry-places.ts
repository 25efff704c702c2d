import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import type { Path } from './find-node';

/** A value in a list, or a part of one. */
export interface EntryPlace {
  /** The list it stands in. */
  readonly list: Path;
  readonly index: number;
  readonly value: Json;
  /** False for a part of somebody else's value. */
  readonly isWhole: boolean;
}

type Test = (value: Json) => boolean;

/** Every list that is a member of the object at `parent`, with its path. */
export function listsBelow(
  document: JsonObject,
  parent: readonly string[],
): readonly [Path, readonly Json[]][] {
  const object = parent.reduce<Json | undefined>(
    (value, key) => (isJsonObject(value) ? value[key] : undefined),
    document,
  );
  if (!isJsonObject(object)) return [];
  return Object.entries(object).flatMap(([key, value]) =>
    Array.isArray(value) ? [[[...parent, key], value as readonly Json[]] as const] : [],
  ) as [Path, readonly Json[]][];
}

/**
 * What in a list passes the test. Of a value that only partly does, such as a group of hooks to which somebody
 * has added one, the parts that do.
 */
export function placesIn(list: Path, values: readonly Json[], test: Test): readonly EntryPlace[] {
  return values.flatMap((value, index): readonly EntryPlace[] => {
    if (!test(value)) return [];
    const parts = partsIn(value);
    if (parts === undefined || parts.values.every(test)) return [{ list, index, value, isWhole: true }];
    const inner = placesIn([...list, index, parts.key], parts.values, test);
    return inner.map((place) => ({ ...place, isWhole: false }));
  });
}

/** The handlers of a group, where a value is one. */
function partsIn(value: Json): { readonly key: string; readonly values: readonly Json[] } | undefined {
  if (!isJsonObject(value)) return undefined;
  const { hooks } = value;
  return Array.isArray(hooks) ? { key: 'hooks', values: hooks as readonly Json[] } : undefined;
}
