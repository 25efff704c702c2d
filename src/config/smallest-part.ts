import type { GenericSchema } from 'valibot';
import type { Json, JsonObject } from '../core/json';
import { matchesPattern } from './pointer';
import { childOf } from './prune';
import { childSchema, isRequired, shapeOf } from './schema-shape';
import type { Vocabulary } from './vocabulary';

/**
 * The smallest part of the config that can go because of an error at a path: the unit around it,
 * else the key itself, else, if its mapping cannot be without it, that mapping.
 */
export function smallestPart(
  path: readonly string[],
  missing: boolean,
  model: JsonObject,
  vocabulary: Vocabulary,
): readonly string[] {
  for (let length = path.length; length > 0; length--) {
    const part = path.slice(0, length);
    if (vocabulary.units.some((unit) => matchesPattern(unit, part))) return part;
  }
  let part = missing ? path.slice(0, -1) : path;
  while (part.length > 1 && !canGo(part, model, vocabulary.root)) part = part.slice(0, -1);
  return part;
}

/** The schema of the value at a path. */
export function schemaAt(
  root: GenericSchema,
  model: Json,
  path: readonly string[],
): GenericSchema | undefined {
  let schema: GenericSchema | undefined = root;
  let value: Json | undefined = model;
  for (const key of path) {
    if (schema === undefined) return undefined;
    schema = childSchema(shapeOf(schema, value ?? null), key);
    value = childOf(value, key);
  }
  return schema;
}

/** A list means something as a whole: no item goes alone unless it is a unit. */
function canGo(part: readonly string[], model: JsonObject, root: GenericSchema): boolean {
  const parent = part.slice(0, -1);
  const key = part.at(-1) ?? '';
  const around = parent.reduce<Json | undefined>((value, name) => childOf(value, name), model);
  if (Array.isArray(around)) return false;
  const schema = schemaAt(root, model, parent);
  return schema === undefined || !isRequired(shapeOf(schema, around ?? null), key);
}
