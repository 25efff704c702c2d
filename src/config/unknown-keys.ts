import type { GenericSchema } from 'valibot';
import { isJsonObject, type Json, type JsonObject } from '../core/json';
import { nearest } from './nearest';
import { matchesPattern } from './pointer';
import { childSchema, type Shape, shapeOf } from './schema-shape';

export type KeyTrouble =
  | { readonly kind: 'unknown'; readonly path: readonly string[]; readonly known: readonly string[] }
  | { readonly kind: 'near-miss'; readonly path: readonly string[]; readonly meant: string }
  | { readonly kind: 'not-read'; readonly path: readonly string[] };

export interface KeyRules {
  readonly tolerated: readonly string[];
  readonly freeForm: readonly string[];
}

/** The value without the keys that nobody knows, and without empty ones; what was dropped goes to `found`. */
export function dropUnknownKeys(
  value: Json,
  schema: GenericSchema | undefined,
  path: readonly string[],
  rules: KeyRules,
  found: KeyTrouble[],
): Json {
  if (schema === undefined) return value;
  const shape = shapeOf(schema, value);
  if (Array.isArray(value)) {
    // The schema library would take a list for a mapping of its indexes; no value at all it refuses.
    if (shape.kind === 'mapping' || shape.kind === 'any-keys') return null;
    return value.map((item, at) =>
      dropUnknownKeys(item, childSchema(shape, String(at)), [...path, String(at)], rules, found),
    );
  }
  return isJsonObject(value) ? dropFromMapping(value, shape, path, rules, found) : value;
}

function dropFromMapping(
  value: JsonObject,
  shape: Shape,
  path: readonly string[],
  rules: KeyRules,
  found: KeyTrouble[],
): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [key, content = null] of Object.entries(value)) {
    const at = [...path, key];
    const trouble = judgeKey(value, shape, at, key, rules);
    if (trouble !== undefined) found.push(trouble);
    else if (content !== null)
      kept[key] = dropUnknownKeys(content, childSchema(shape, key), at, rules, found);
    else if (takesMapping(shape)) kept[key] = {};
  }
  return kept;
}

/** In a mapping of mappings an empty entry is an empty mapping: its name alone says something. */
function takesMapping(shape: Shape): boolean {
  return shape.kind === 'any-keys' && shapeOf(shape.item, {}).kind === 'mapping';
}

function judgeKey(
  siblings: JsonObject,
  shape: Shape,
  path: readonly string[],
  key: string,
  rules: KeyRules,
): KeyTrouble | undefined {
  if (rules.tolerated.some((pattern) => matchesPattern(pattern, path))) return { kind: 'not-read', path };
  if (shape.kind !== 'mapping' || shape.known.has(key)) return undefined;
  const known = [...shape.known.keys()];
  if (!rules.freeForm.some((pattern) => matchesPattern(pattern, path.slice(0, -1)))) {
    return { kind: 'unknown', path, known };
  }
  const meant = nearest(
    key,
    known.filter((name) => !Object.hasOwn(siblings, name)),
  );
  return meant === undefined ? undefined : { kind: 'near-miss', path, meant };
}
