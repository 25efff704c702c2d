import type { GenericSchema } from 'valibot';
import type { Json, JsonObject } from '../core/json';
import { childOf, matchesPattern, valueAt } from './pointer';
import type { Vocabulary } from './vocabulary';

/** As much of a schema as is needed to walk a value beside it. */
export type Shape =
  | {
      readonly kind: 'mapping';
      readonly known: ReadonlyMap<string, GenericSchema>;
      /** Whether users may keep keys of their own in it. */
      readonly open: boolean;
    }
  | { readonly kind: 'any-keys'; readonly item: GenericSchema }
  | { readonly kind: 'list'; readonly item: GenericSchema }
  | { readonly kind: 'leaf' };

/** The parts of a schema that tell what it takes. */
interface SchemaParts {
  readonly type: string;
  readonly entries?: Readonly<Record<string, GenericSchema>>;
  readonly value?: GenericSchema;
  readonly item?: GenericSchema;
  readonly wrapped?: GenericSchema;
  readonly options?: readonly unknown[];
  readonly getter?: (input: unknown) => GenericSchema;
}

const OPTIONAL: ReadonlySet<string> = new Set(['optional', 'exact_optional', 'nullish', 'undefinedable']);

export function shapeOf(schema: GenericSchema, value: Json): Shape {
  const { type, entries, value: member, item } = unwrap(schema, value);
  if (entries !== undefined) {
    return { kind: 'mapping', known: new Map(Object.entries(entries)), open: type !== 'strict_object' };
  }
  if (type === 'record' && member !== undefined) return { kind: 'any-keys', item: member };
  return item !== undefined ? { kind: 'list', item } : { kind: 'leaf' };
}

/** The schema of one child, where the shape knows it. */
export function childSchema(shape: Shape, key: string): GenericSchema | undefined {
  switch (shape.kind) {
    case 'mapping':
      return shape.known.get(key);
    case 'any-keys':
    case 'list':
      return shape.item;
    case 'leaf':
      return undefined;
  }
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

/** The words that a schema of fixed words takes. */
export function optionsOf(schema: GenericSchema, value: Json): string[] {
  const { type, options } = unwrap(schema, value);
  return type === 'picklist' && options !== undefined ? options.map(String) : [];
}

function unwrap(schema: GenericSchema, value: Json): SchemaParts {
  const parts = schema as unknown as SchemaParts;
  const inner = parts.wrapped ?? parts.getter?.(value);
  return inner === undefined ? parts : unwrap(inner, value);
}

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

/** A list means something as a whole: no item goes alone unless it is a unit. */
function canGo(part: readonly string[], model: JsonObject, root: GenericSchema): boolean {
  const parent = part.slice(0, -1);
  const around = valueAt(model, parent);
  if (Array.isArray(around)) return false;
  const schema = schemaAt(root, model, parent);
  const shape = schema && shapeOf(schema, around ?? null);
  const child = shape?.kind === 'mapping' ? shape.known.get(part.at(-1) ?? '') : undefined;
  return child === undefined || OPTIONAL.has(child.type);
}
