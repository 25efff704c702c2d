import { type GenericSchema, safeParse } from 'valibot';
import type { Json, JsonObject } from '../core/json';
import { leafToJson } from './leaf-to-json';
import { notRead } from './messages';
import { matchesPattern } from './pointer';
import { rulesToJson } from './rules-to-json';
import { isRequired } from './schema-shape';
import type { KeyRules } from './unknown-keys';

/** The parts of a schema that tell what it takes. */
export interface SchemaParts {
  readonly type: string;
  readonly entries?: Readonly<Record<string, GenericSchema>>;
  readonly value?: GenericSchema;
  readonly item?: GenericSchema;
  readonly wrapped?: GenericSchema;
  readonly options?: readonly unknown[];
  readonly literal?: Json;
  readonly getter?: (input: unknown) => GenericSchema;
  readonly pipe?: readonly unknown[];
}

/** The keys to a schema, `*` for any one; without it we are where key rules do not reach. */
type Path = readonly string[] | undefined;

/** A schema as JSON Schema. Throws for a kind that has no counterpart here: that is for us to mend. */
export function schemaToJson(schema: GenericSchema, path: Path, rules: KeyRules): JsonObject {
  const parts = schema as unknown as SchemaParts;
  const base = baseToJson(parts, path, rules) ?? leafToJson(schema);
  return { ...base, ...rulesToJson(rulesOf(parts), base) };
}

/** What follows the type, also where something was added to a schema that had rules already. */
function rulesOf({ pipe }: SchemaParts): readonly unknown[] {
  const [first, ...rules] = pipe ?? [];
  return first === undefined ? [] : [...rulesOf(first as SchemaParts), ...rules];
}

/** A key with nothing behind it counts as absent. */
export function orEmpty(schema: JsonObject): JsonObject {
  const { type, enum: words } = schema;
  if (typeof type !== 'string') {
    if (Array.isArray(type) || Object.keys(schema).length === 0) return schema;
    return Array.isArray(words)
      ? { ...schema, enum: [...words, null] }
      : { anyOf: [schema, { type: 'null' }] };
  }
  const filled = { ...schema, type: [type, 'null'] };
  return Array.isArray(words) ? { ...filled, enum: [...words, null] } : filled;
}

function baseToJson(parts: SchemaParts, path: Path, rules: KeyRules): JsonObject | undefined {
  if (parts.wrapped !== undefined) return schemaToJson(parts.wrapped, path, rules);
  if (parts.getter !== undefined) return choiceToJson(parts.getter, path, rules);
  if (parts.entries !== undefined) return mappingToJson(parts, parts.entries, path, rules);
  if (parts.type === 'record' && parts.value !== undefined) return recordToJson(parts.value, path, rules);
  if (parts.item !== undefined) {
    return { type: 'array', items: schemaToJson(parts.item, below(path, '*'), rules) };
  }
  if (parts.type !== 'union' && parts.type !== 'variant') return undefined;
  const options = (parts.options ?? []) as readonly GenericSchema[];
  return { anyOf: options.map((option) => schemaToJson(option, undefined, rules)) };
}

function mappingToJson(
  parts: SchemaParts,
  entries: Readonly<Record<string, GenericSchema>>,
  path: Path,
  rules: KeyRules,
): JsonObject {
  const { properties, required } = entriesToJson(entries, Object.keys(entries), path, rules);
  const unread = path === undefined ? [] : toleratedIn(path, rules);
  return {
    type: 'object',
    properties: { ...properties, ...Object.fromEntries(unread.map((key) => [key, unreadKey(key)])) },
    ...(required.length > 0 && { required }),
    ...(!takesOtherKeys(parts, path, rules) && { additionalProperties: false }),
  };
}

function entriesToJson(
  entries: Readonly<Record<string, GenericSchema>>,
  keys: readonly string[],
  path: Path,
  rules: KeyRules,
): { readonly properties: JsonObject; readonly required: readonly string[] } {
  const shape = { kind: 'mapping', known: new Map(Object.entries(entries)) } as const;
  const required = keys.filter((key) => isRequired(shape, key));
  const properties = keys.flatMap((key) => {
    const entry = entries[key];
    if (entry === undefined) return [];
    const json = schemaToJson(entry, below(path, key), rules);
    return [[key, required.includes(key) ? json : orEmpty(json)] as const];
  });
  return { properties: Object.fromEntries(properties), required };
}

/** An entry with nothing behind it is an empty mapping where that is enough. */
function recordToJson(item: GenericSchema, path: Path, rules: KeyRules): JsonObject {
  const json = schemaToJson(item, below(path, '*'), rules);
  const mayBeEmpty = json['type'] !== 'object' || safeParse(item, {}).success;
  return { type: 'object', additionalProperties: mayBeEmpty ? orEmpty(json) : json };
}

/** Values of every kind, to ask a schema that chooses by what it gets. */
const SAMPLES: readonly Json[] = ['', {}, [], 0, true];

function choiceToJson(choose: (input: unknown) => GenericSchema, path: Path, rules: KeyRules): JsonObject {
  const [first = {}, ...others] = [...new Set(SAMPLES.map(choose))].map((schema): JsonObject => {
    const conditions = conditionsOf(choose, schema as unknown as SchemaParts, path, rules);
    return { ...schemaToJson(schema, path, rules), ...(conditions.length > 0 && { allOf: conditions }) };
  });
  return others.length === 0 ? first : { anyOf: [first, ...others] };
}

/** Where a word decides which keys are needed, what that word adds to the plain case. */
function conditionsOf(
  choose: (input: unknown) => GenericSchema,
  plain: SchemaParts,
  path: Path,
  rules: KeyRules,
): JsonObject[] {
  const known = plain.entries ?? {};
  return Object.entries(known).flatMap(([key, entry]) =>
    wordsOf(entry).flatMap((word) => {
      const { entries = {} } = choose({ [key]: word }) as unknown as SchemaParts;
      const other = Object.keys(entries).filter((name) => entries[name] !== known[name]);
      if (other.length === 0) return [];
      const { properties, required } = entriesToJson(entries, other, path, rules);
      const given = { properties: { [key]: { const: word } }, required: [key] };
      // biome-ignore lint/suspicious/noThenProperty: this is the keyword that goes with `if`.
      return [{ if: given, then: { properties, required } }];
    }),
  );
}

function wordsOf(schema: GenericSchema): readonly string[] {
  const { wrapped, options, type } = schema as unknown as SchemaParts;
  if (wrapped !== undefined) return wordsOf(wrapped);
  return type === 'picklist' ? (options ?? []).map(String) : [];
}

function takesOtherKeys(parts: SchemaParts, path: Path, rules: KeyRules): boolean {
  if (path === undefined) return parts.type !== 'strict_object';
  return rules.freeForm.some((pattern) => matchesPattern(pattern, path));
}

function toleratedIn(path: readonly string[], rules: KeyRules): string[] {
  return rules.tolerated.flatMap((pattern) => {
    const keys = pattern.split('/');
    const last = keys.pop();
    return last !== undefined && matchesPattern(keys.join('/'), path) ? [last] : [];
  });
}

function unreadKey(key: string): JsonObject {
  return { description: `${notRead(key)}.`, deprecated: true };
}

function below(path: Path, key: string): Path {
  return path && [...path, key];
}
