import type { GenericSchema } from 'valibot';
import type { Json, JsonObject } from '../core/json';
import { OWN_KEYS } from './own-keys';

interface Leaf {
  readonly type: string;
  readonly options?: readonly Json[];
  readonly literal?: Json;
}

/** A schema with nothing below it as JSON Schema. */
export function leafToJson(schema: GenericSchema): JsonObject {
  // A function of ours judges this one, and no function can be asked which values it takes.
  if (schema === OWN_KEYS.version) return { enum: [1, '1', '1.0'] };
  const { type, options, literal } = schema as unknown as Leaf;
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return { type };
    case 'picklist':
      return { enum: options ?? [] };
    case 'literal':
      return { const: literal ?? null };
    case 'unknown':
    case 'any':
    case 'custom':
      return {};
    default:
      throw new Error(`a config schema of the type ${type} has no counterpart in JSON Schema`);
  }
}
