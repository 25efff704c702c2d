import { safeParse } from 'valibot';
import { didYouMean, nearest } from '../../config/nearest';
import { childOf } from '../../config/pointer';
import { schemaAt, shapeOf } from '../../config/schema-shape';
import { findingOf, unknownKey } from '../../config/validate';
import { fail, type Result, succeed } from '../../core/failure';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { requirement } from '../../guards/requirements/schema';
import type { Edit } from './edit-config';

/** A requirement as it would be after the edits; a sentence where it would not be a valid one. */
export function withEdits(
  entry: JsonObject,
  name: string,
  edits: readonly Edit[],
): Result<JsonObject, string> {
  const after = edits.reduce((value, { path, value: set }) => withValue(value, path, set), entry);
  return trouble(after, name, edits) ?? succeed(after);
}

function withValue(entry: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  if (rest.length === 0) return { ...entry, [key]: value };
  const inner = entry[key];
  return { ...entry, [key]: withValue(isJsonObject(inner) ? inner : {}, rest, value) };
}

/** Keys of the user's own are welcome in a requirement; only what looks like a slip is refused. */
function trouble(after: JsonObject, name: string, edits: readonly Edit[]): Result<never, string> | undefined {
  const shape = shapeOf(requirement, after);
  const known = shape.kind === 'mapping' ? [...shape.known.keys()] : [];
  for (const { path } of edits) {
    const [key = ''] = path;
    const meant = known.includes(key) ? undefined : nearest(key, known);
    if (meant !== undefined) return fail(`${unknownKey(key)}; ${didYouMean(meant)}`);
  }
  const [issue] = safeParse(requirement, after).issues ?? [];
  if (issue === undefined) return undefined;
  const keys = (issue.path ?? []).map((item) => String(item.key));
  const value = keys.reduce<Json | undefined>((at, key) => childOf(at, key), after);
  const schema = schemaAt(requirement, after, keys);
  return fail(findingOf(issue, schema, ['requirements', name, ...keys], value).message);
}
