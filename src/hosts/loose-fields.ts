import type { Json, JsonObject } from '../core/json';
import { isJsonObject } from '../core/json';

/** Fields of a foreign document, read one by one: a value of another type counts as absent. */
export function textIn(from: JsonObject, key: string): string | undefined {
  const value = from[key];
  return typeof value === 'string' ? value : undefined;
}

/** Like `textIn`, for names and ids, where an empty text says nothing. */
export function nameIn(from: JsonObject, key: string): string | undefined {
  return textIn(from, key) || undefined;
}

export function flagIn(from: JsonObject, key: string): boolean | undefined {
  const value = from[key];
  return typeof value === 'boolean' ? value : undefined;
}

export function numberIn(from: JsonObject, key: string): number | undefined {
  const value = from[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function objectIn(from: JsonObject, key: string): JsonObject {
  const value = from[key];
  return isJsonObject(value) ? value : {};
}

export function listIn(from: JsonObject, key: string): readonly Json[] {
  const value = from[key];
  return Array.isArray(value) ? value : [];
}

/** The texts that are there, one below the other; undefined when none is. */
export function lines(texts: readonly (string | undefined)[]): string | undefined {
  const given = texts.filter((text) => text !== undefined);
  return given.length > 0 ? given.join('\n') : undefined;
}

/** Something that is still being put together. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** Only what is there: leaves out the members that are undefined. */
export function present<T extends object>(members: T): Present<T> {
  const given: Record<string, unknown> = {};
  for (const key in members) if (members[key] !== undefined) given[key] = members[key];
  return given as Present<T>;
}

/** `T` with every member that may be undefined made optional instead. */
type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
