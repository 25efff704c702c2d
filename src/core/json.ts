/** Any JSON value. Everything that crosses a process boundary has this type. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Narrows parsed JSON to an object. An array is not one. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `undefined` if the text is not JSON. */
export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** `undefined` if the text is not a JSON object. */
export function jsonObjectIn(text: string): JsonObject | undefined {
  const value = jsonIn(text);
  return isJsonObject(value) ? value : undefined;
}

/*
 * Members of a document that another program wrote: those of the wrong type count as absent, and so do those
 * inherited from `Object.prototype`.
 */

function memberOf(holder: Json | undefined, key: string): Json | undefined {
  return isJsonObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
}

export function textIn(holder: Json | undefined, key: string): string | undefined {
  const value = memberOf(holder, key);
  return typeof value === 'string' ? value : undefined;
}

/** The first non-empty string under one of the keys. */
export function nameIn(holder: Json | undefined, ...keys: readonly string[]): string | undefined {
  return keys.map((key) => textIn(holder, key)).find(Boolean);
}

export function flagIn(holder: Json | undefined, key: string): boolean | undefined {
  const value = memberOf(holder, key);
  return typeof value === 'boolean' ? value : undefined;
}

export function numberIn(holder: Json | undefined, key: string): number | undefined {
  const value = memberOf(holder, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A count or a time; 0 if absent. */
export function countIn(holder: Json | undefined, key: string): number {
  return Math.max(0, numberIn(holder, key) ?? 0);
}

/** Empty if absent. */
export function objectIn(holder: Json | undefined, key: string): JsonObject {
  const value = memberOf(holder, key);
  return isJsonObject(value) ? value : {};
}

/** Empty if absent. */
export function listIn(holder: Json | undefined, key: string): readonly Json[] {
  const value = memberOf(holder, key);
  return Array.isArray(value) ? value : [];
}

export function objectsIn(holder: Json | undefined, key: string): readonly JsonObject[] {
  return listIn(holder, key).filter(isJsonObject);
}

export function textsIn(holder: Json | undefined, key: string): readonly string[] {
  return listIn(holder, key).filter((item) => typeof item === 'string');
}

/** The given texts, one per line; `undefined` if all are absent. */
export function joinLines(texts: readonly (string | undefined)[]): string | undefined {
  const given = texts.filter((text) => text !== undefined);
  return given.length > 0 ? given.join('\n') : undefined;
}

/** The object without its undefined members. */
export function withoutUndefined<T extends object>(members: T): WithoutUndefined<T> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<T>;
}

/** `T` with its optional members allowed to be undefined. */
export type AllowUndefined<T> = {
  readonly [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K];
};

/** `T` with every member that may be undefined made optional instead. */
type WithoutUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
