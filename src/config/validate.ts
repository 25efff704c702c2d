import * as v from 'valibot';
import { isJsonObject, type Json, type JsonObject } from '../core/json';
import { type Diagnostic, didYouMean, errorFinding, type Finding, nearest } from './diagnostics';
import { diagnoseAt, type Model, shownPath } from './merge';
import { childOf, matchesPattern, pathOf, pointerOf, prune, showPath, valueAt } from './pointer';
import { childSchema, optionsOf, type Shape, schemaAt, shapeOf, smallestPart } from './schema-shape';
import { isExtension, topKeys, type Vocabulary } from './vocabulary';

type Path = readonly string[];
type Issue = v.BaseIssue<unknown>;

export interface Validated {
  /** The part in force: known keys with valid values, as their schemas output them. */
  readonly valid: JsonObject;
  /** The model as validated: without unknown and empty keys. */
  readonly cleaned: JsonObject;
  /** Pointers into `cleaned` that errors disabled. */
  readonly removed: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Validates the merged model. Reports all errors at once; each disables as little as possible. */
export function validate(model: Model, vocabulary: Vocabulary): Validated {
  const diagnostics: Diagnostic[] = [];
  const cleaned = withoutUnknownKeys(model, vocabulary, diagnostics);
  const removed = new Set<string>();
  const valid: Record<string, Json> = {};
  for (const [key, schema] of Object.entries(vocabulary.schemas)) {
    const value = childOf(cleaned, key);
    if (value === undefined) continue;
    const result = v.safeParse(schema, value);
    for (const issue of result.issues ?? []) {
      const path = [key, ...(issue.path ?? []).map((item) => String(item.key))];
      const off = pointerOf(smallestPart(path, isMissing(issue), cleaned, vocabulary));
      removed.add(off);
      const pointer = pointerOf(path);
      const itsSchema = schemaAt(vocabulary.root, cleaned, path);
      const finding = {
        ...findingOf(issue, itsSchema, shownPath(model, pointer), valueAt(model.value, path)),
        // A wrong version disables nothing: the file is read as version 1.
        ...(key !== 'version' && {
          switchesOff: showPath(shownPath(model, off)) || showPath(pathOf(off)),
        }),
      };
      diagnostics.push(...diagnoseAt(model, pointer, isMissing(issue), finding));
    }
    // Validate what is left without the bad parts; the whole key may have to go.
    const good = result.success ? result : v.safeParse(schema, prune(value, removed, [key]));
    if (good.success && !removed.has(key)) valid[key] = good.output as Json;
  }
  return { valid, cleaned, removed, diagnostics };
}

/** Listing more names does not help. */
const LISTED_KEYS = 16;

/** The model without unknown and empty keys. Every unknown key is reported, at any depth. */
function withoutUnknownKeys(model: Model, vocabulary: Vocabulary, diagnostics: Diagnostic[]): JsonObject {
  const clean = (value: Json, schema: v.GenericSchema | undefined, path: Path): Json => {
    if (schema === undefined) return value;
    const shape = shapeOf(schema, value);
    if (Array.isArray(value)) {
      // valibot would accept a list as a mapping of its indexes; it refuses null.
      if (shape.kind === 'mapping' || shape.kind === 'any-keys') return null;
      return value.map((item, at) => clean(item, childSchema(shape, String(at)), [...path, String(at)]));
    }
    return isJsonObject(value) ? cleanMapping(value, shape, path) : value;
  };
  const cleanMapping = (value: JsonObject, shape: Shape, path: Path): JsonObject => {
    const kept = new Map<string, Json>();
    for (const [key, content = null] of Object.entries(value)) {
      if (shape.kind === 'mapping' && isExtension(key)) continue;
      const at = [...path, key];
      const finding = keyFinding(at, value, shape, model, vocabulary);
      if (finding !== undefined) diagnostics.push(...diagnoseAt(model, pointerOf(at), true, finding));
      else if (content !== null) kept.set(key, clean(content, childSchema(shape, key), at));
      else if (takesMapping(shape)) kept.set(key, {});
    }
    return Object.fromEntries(kept);
  };
  const cleaned = clean(model.value, vocabulary.root, []);
  return isJsonObject(cleaned) ? cleaned : {};
}

/** In a mapping of mappings an empty entry is an empty mapping: its name alone has a meaning. */
function takesMapping(shape: Shape): boolean {
  return shape.kind === 'any-keys' && shapeOf(shape.item, {}).kind === 'mapping';
}

function keyFinding(
  path: Path,
  siblings: JsonObject,
  shape: Shape,
  model: Model,
  vocabulary: Vocabulary,
): Finding | undefined {
  const key = path.at(-1) ?? '';
  if (vocabulary.tolerated.some((pattern) => matchesPattern(pattern, path)))
    return notReadFinding(path, model);
  if (shape.kind !== 'mapping' || shape.known.has(key)) return undefined;
  const known = [...shape.known.keys()];
  const shown = shownPath(model, pointerOf(path));
  const rest = restOf(path, shown, vocabulary);
  if (!shape.open) return { ...unknownKeyFinding(shown, knownBeside(path, known, vocabulary)), ...rest };
  const meant = nearest(key, known);
  if (meant === undefined) return undefined;
  if (Object.hasOwn(siblings, meant)) return notReadFinding(path, model);
  const message = `\`${shown.at(-1) ?? ''}\` looks like a misspelt \`${meant}\``;
  return { ...errorFinding('config.unknown-key', message), switchesOff: showPath(shown), ...rest };
}

/** The rule or other entry that a key is part of: without the key it may mean more than its author wanted. */
function restOf(path: Path, shown: Path, { units }: Vocabulary): Pick<Finding, 'rest'> {
  const isWithin = path.some((_, at) => units.some((unit) => matchesPattern(unit, path.slice(0, at))));
  return isWithin && shown.length > 1 ? { rest: showPath(shown.slice(0, -1)) } : {};
}

function notReadFinding(path: Path, model: Model): Finding {
  const message = notRead(showPath(shownPath(model, pointerOf(path))));
  return { code: 'config.not-read', severity: 'warning', message };
}

/** Keys of one legacy file may be apart in the model, so at the top of the file every key is a candidate. */
function knownBeside(path: Path, known: readonly string[], vocabulary: Vocabulary): readonly string[] {
  const [top] = path;
  if (path.length === 1) return topKeys(vocabulary);
  if (path.length > 2 || top === undefined || !vocabulary.legacyOnly.has(top)) return known;
  return [...new Set([...topKeys(vocabulary), ...known])];
}

export function unknownKeyFinding(shown: Path, known: readonly string[]): Finding {
  const key = shown.at(-1) ?? '';
  const meant = nearest(key, known);
  const listed = `known here: ${known.slice(0, LISTED_KEYS).join(', ')}`;
  return {
    ...errorFinding('config.unknown-key', unknownKey(key)),
    ...(known.length > 0 && { hint: meant === undefined ? listed : didYouMean(meant) }),
    switchesOff: showPath(shown),
  };
}

export function unknownKey(key: string): string {
  return `unknown key \`${key}\``;
}

export function notRead(key: string): string {
  return `\`${key}\` is accepted, but has no effect`;
}

/** Whether a required key is absent, as opposed to having a bad value. */
function isMissing(issue: Issue): boolean {
  return issue.kind === 'schema' && issue.input === undefined;
}

/** Words a schema issue for people. `shown` is the keys and `value` the value, as in the file. */
export function findingOf(
  issue: Issue,
  schema: v.GenericSchema | undefined,
  shown: Path,
  value: Json | undefined,
): Finding {
  // A bare list index means nothing, so it is shown with its key: `trigger_tools[0]`.
  const named = shown.findLastIndex((key) => !/^\d+$/.test(key));
  const key = `\`${showPath(shown.slice(Math.max(0, named)))}\``;
  if (isMissing(issue)) {
    const where = showPath(shown.slice(0, -1));
    const missing = where === '' ? `${key} is missing` : `\`${where}\` needs the key ${key}`;
    return errorFinding('config.missing-key', value === null ? `${key} is required but empty` : missing);
  }
  // Every check beyond the type has its own message, worded to follow the key's name.
  if (issue.kind === 'validation' || issue.type === 'custom') {
    return errorFinding('config.invalid-value', `${key} ${issue.message}`);
  }
  const options = schema === undefined ? [] : optionsOf(schema, value ?? null);
  if (options.length === 0) {
    const expected = TYPE_WORDS[issue.expected ?? ''] ?? issue.expected ?? '';
    return errorFinding('config.wrong-type', `${key} must be ${expected}, not ${showValue(value)}`);
  }
  const message = `${key} must be one of ${options.join(', ')}, not ${showValue(value)}`;
  const meant = typeof value === 'string' ? nearest(value, options) : undefined;
  const finding = errorFinding('config.invalid-value', message);
  return meant === undefined ? finding : { ...finding, hint: didYouMean(meant) };
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  Array: 'a list',
  Object: 'a mapping',
};

function showValue(value: Json = null): string {
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'a mapping';
  const shown = JSON.stringify(value);
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown;
}
