import type { GenericSchema } from 'valibot';
import type { Json, JsonObject } from '../core/json';
import { childOf, matchesPattern, valueAt } from './pointer';
import type { Vocabulary } from './vocabulary';

type Path = readonly string[];

/** As much of a schema as is needed to walk a value alongside it. */
export type Shape =
  | {
      readonly kind: 'mapping';
      readonly known: ReadonlyMap<string, GenericSchema>;
      /** Whether users may add keys of their own. */
      readonly open: boolean;
    }
  | { readonly kind: 'any-keys' | 'list'; readonly item: GenericSchema }
  | { readonly kind: 'leaf' };

/** The properties of a valibot schema that we look at. */
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

/** The schema of a child, if the shape knows it. */
export function childSchema(shape: Shape, key: string): GenericSchema | undefined {
  if (shape.kind === 'leaf') return undefined;
  return shape.kind === 'mapping' ? shape.known.get(key) : shape.item;
}

export function schemaAt(
  root: GenericSchema | undefined,
  model: Json | undefined,
  path: Path,
): GenericSchema | undefined {
  const [key, ...rest] = path;
  if (key === undefined || root === undefined) return root;
  return schemaAt(childSchema(shapeOf(root, model ?? null), key), childOf(model, key), rest);
}

/** The words that a picklist schema accepts. */
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
 * The smallest part of the config to drop because of an error at a path: the unit around it, else the key
 * itself, else, if its mapping requires the key, that mapping.
 */
export function smallestPart(
  path: Path,
  missing: boolean,
  model: JsonObject,
  { units, root }: Vocabulary,
): Path {
  const around = path.map((_, at) => path.slice(0, path.length - at));
  const unit = around.find((part) => units.some((pattern) => matchesPattern(pattern, part)));
  const parts = missing ? around.slice(1) : around;
  return unit ?? parts.find((part) => part.length === 1 || canDrop(part, model, root)) ?? [];
}

/** A list is meant as a whole: no item is dropped alone unless it is a unit. */
function canDrop(part: Path, model: JsonObject, root: GenericSchema): boolean {
  const parent = part.slice(0, -1);
  if (Array.isArray(valueAt(model, parent))) return false;
  const child = schemaAt(root, model, part);
  const schema = schemaAt(root, model, parent);
  const isMapping = schema && shapeOf(schema, valueAt(model, parent) ?? null).kind === 'mapping';
  return !isMapping || child === undefined || OPTIONAL.has(child.type);
}
