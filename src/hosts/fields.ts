import { isJsonObject, type Json, type JsonObject } from '../core/json';

/*
 * Fields of a document that another program wrote, read one by one: a value of the wrong type counts as absent.
 */

export function textIn(from: JsonObject, key: string): string | undefined {
  const value = from[key];
  return typeof value === 'string' ? value : undefined;
}

/** The first text under one of the keys that is not empty, as names and ids are. */
export function nameIn(from: JsonObject, ...keys: readonly string[]): string | undefined {
  return keys.map((key) => textIn(from, key)).find(Boolean);
}

export function flagIn(from: JsonObject, key: string): boolean | undefined {
  const value = from[key];
  return typeof value === 'boolean' ? value : undefined;
}

export function numberIn(from: JsonObject, key: string): number | undefined {
  const value = from[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The object under a key, empty where there is none. */
export function objectIn(from: JsonObject, key: string): JsonObject {
  const value = from[key];
  return isJsonObject(value) ? value : {};
}

/** The list under a key, empty where there is none. */
export function listIn(from: JsonObject, key: string): readonly Json[] {
  const value = from[key];
  return Array.isArray(value) ? value : [];
}

/** The objects in the list under a key. */
export function objectsIn(from: JsonObject, key: string): readonly JsonObject[] {
  return listIn(from, key).filter(isJsonObject);
}

/** The given texts, one per line; undefined when all are absent. */
export function lines(texts: readonly (string | undefined)[]): string | undefined {
  const given = texts.filter((text) => text !== undefined);
  return given.length > 0 ? given.join('\n') : undefined;
}

/** The object without its undefined members. */
export function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** `T` with its optional members allowed to be undefined. */
export type Loose<T> = { readonly [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

/** `T` with every member that may be undefined made optional instead. */
type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
