import type { GenericSchema } from 'valibot';
import type { Json } from '../core/json';

/** As much of a schema as is needed to walk a value beside it. */
export type Shape =
  | { readonly kind: 'mapping'; readonly known: ReadonlyMap<string, GenericSchema> }
  | { readonly kind: 'any-keys'; readonly item: GenericSchema }
  | { readonly kind: 'list'; readonly item: GenericSchema }
  | { readonly kind: 'leaf' };

interface Parts {
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
  const parts = unwrap(schema, value);
  if (parts.entries !== undefined) return { kind: 'mapping', known: new Map(Object.entries(parts.entries)) };
  if (parts.type === 'record' && parts.value !== undefined) return { kind: 'any-keys', item: parts.value };
  return parts.item !== undefined ? { kind: 'list', item: parts.item } : { kind: 'leaf' };
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

/** Whether a mapping of this shape is wrong without the key. */
export function isRequired(shape: Shape, key: string): boolean {
  const child = shape.kind === 'mapping' ? shape.known.get(key) : undefined;
  return child !== undefined && !OPTIONAL.has(child.type);
}

/** The words that a schema of fixed words takes. */
export function optionsOf(schema: GenericSchema, value: Json): string[] {
  const { type, options } = unwrap(schema, value);
  return type === 'picklist' && options !== undefined ? options.map(String) : [];
}

function unwrap(schema: GenericSchema, value: Json): Parts {
  let parts = schema as unknown as Parts;
  for (;;) {
    const inner = parts.wrapped ?? parts.getter?.(value);
    if (inner === undefined) return parts;
    parts = inner as unknown as Parts;
  }
}
