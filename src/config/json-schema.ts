import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import type { Json, JsonObject } from '../core/json';
import { optionsOf } from './schema-shape';
import type { Section } from './section';
import { notRead } from './validate';
import { topKeys, vocabularyOf } from './vocabulary';

/** A node of the JSON Schema under construction. */
interface Part {
  [key: string]: Json | Part | undefined;
  properties?: Record<string, Part>;
  required?: string[];
}

export const SCHEMA_TITLE = 'Holdpoint config';

type Choose = (input: unknown) => v.GenericSchema;

/**
 * The JSON Schema of our own config files, in draft 07, which every editor supports. It is generated from the
 * schemas that validate them and covers shapes and fixed words; a misspelt key among the user's own keys and
 * an invalid regular expression are only found when the file is read.
 */
export function configJsonSchema(sections: readonly Section[]): JsonObject {
  const vocabulary = vocabularyOf(sections);
  const own = topKeys(vocabulary).map((key) => [key, v.optional(vocabulary.schemas[key] ?? v.never())]);
  const root = partOf(v.strictObject(Object.fromEntries(own)));
  for (const pattern of vocabulary.tolerated) addUnread(root, pattern.split('/'));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: SCHEMA_TITLE,
    ...orEmpty(root),
  } as JsonObject;
}

function partOf(schema: v.GenericSchema): Part {
  const { $schema, ...part } = toJsonSchema(schema, {
    typeMode: 'input',
    overrideSchema: ({ valibotSchema, jsonSchema, referenceMap }) => {
      // A schema chosen by a function must be inlined wherever it is used, not become a shared definition.
      referenceMap.clear();
      return adapted(valibotSchema as never, jsonSchema as Part);
    },
    // Actions without a JSON Schema counterpart, such as our own checks, only run when the file is read.
    overrideAction: ({ jsonSchema }) => jsonSchema,
  });
  return part as Part;
}

/**
 * Our rules beyond the schema: an empty key counts as absent, a key that starts with `x-` is the user's own,
 * and a function may choose the schema.
 */
function adapted(schema: v.GenericSchema & { readonly getter?: Choose }, part: Part): Part | undefined {
  if (schema.getter !== undefined) return choiceOf(schema.getter);
  switch (schema.type) {
    case 'strict_object':
    case 'loose_object':
    case 'object':
      return mappingOf(part);
    case 'record':
      return recordOf((schema as unknown as { readonly value: v.GenericSchema }).value, part);
    case 'custom':
      return part;
    default:
      return undefined;
  }
}

function mappingOf({ properties = {}, required = [], ...rest }: Part): Part {
  const entries = Object.entries(properties).map(([key, part]) => {
    return [key, required.includes(key) ? part : orEmpty(part)];
  });
  return {
    ...rest,
    properties: Object.fromEntries(entries),
    patternProperties: { '^x-': {} },
    ...(required.length > 0 && { required }),
  };
}

/** An empty entry counts as an empty mapping, if the schema accepts one. */
function recordOf(item: v.GenericSchema, part: Part): Part {
  const member = part['additionalProperties'] as Part;
  const mayBeEmpty = member['type'] !== 'object' || v.safeParse(item, {}).success;
  return { ...part, additionalProperties: mayBeEmpty ? orEmpty(member) : member };
}

/** A key without a value counts as absent. */
function orEmpty(part: Part): Part {
  const { type, enum: words } = part;
  if (Array.isArray(type) || Object.keys(part).length === 0) return part;
  if (typeof type !== 'string' && words === undefined) {
    const { description, ...rest } = part;
    return { anyOf: [rest, { type: 'null' }], ...(description !== undefined && { description }) };
  }
  return {
    ...part,
    ...(typeof type === 'string' && { type: [type, 'null'] }),
    ...(Array.isArray(words) && { enum: [...words, null] }),
  };
}

/** One value of each kind, to find out which schemas a choosing function returns. */
const SAMPLES: readonly Json[] = ['', {}, [], 0, true];

function choiceOf(choose: Choose): Part {
  const [first = {}, ...others] = [...new Set(SAMPLES.map(choose))].map((schema): Part => {
    const conditions = conditionsOf(choose, schema);
    return { ...partOf(schema), ...(conditions.length > 0 && { allOf: conditions }) };
  });
  return others.length === 0 ? first : { anyOf: [first, ...others] };
}

/** If the word under one key decides which keys are required, an `if`/`then` for each such word. */
function conditionsOf(choose: Choose, plain: v.GenericSchema): Part[] {
  const known = entriesOf(plain);
  return Object.entries(known).flatMap(([key, entry]) =>
    optionsOf(entry, null).flatMap((word) => {
      const chosen = choose({ [key]: word });
      const changed = Object.entries(entriesOf(chosen)).filter(([name, schema]) => schema !== known[name]);
      if (changed.length === 0) return [];
      const { properties = {}, required = [] } = partOf(v.object(Object.fromEntries(changed)));
      const given = { properties: { [key]: { const: word } }, required: [key] };
      // biome-ignore lint/suspicious/noThenProperty: this is the keyword that goes with `if`.
      return [{ if: given, then: { properties, required } }];
    }),
  );
}

function entriesOf(schema: v.GenericSchema): Readonly<Record<string, v.GenericSchema>> {
  return (schema as { readonly entries?: Readonly<Record<string, v.GenericSchema>> }).entries ?? {};
}

/** Adds a key that is accepted but has no effect. */
function addUnread(part: Part | undefined, [key = '', ...rest]: readonly string[]): void {
  if (rest.length === 0) {
    if (part?.properties) part.properties[key] = { description: `${notRead(key)}.`, deprecated: true };
    return;
  }
  const member = key === '*' ? (part?.['additionalProperties'] as Part | undefined) : part?.properties?.[key];
  if (member !== undefined) addUnread(member, rest);
}
