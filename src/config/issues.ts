import type { BaseIssue, GenericSchema } from 'valibot';
import type { Json } from '../core/json';
import { isJsonObject } from '../core/json';
import type { Finding } from './diagnostics';
import * as say from './messages';
import { nearest } from './nearest';
import { showPath } from './pointer';
import { optionsOf } from './schema-shape';

type Issue = BaseIssue<unknown>;

/** The keys from the top of the model to where the schema found something. */
export function issuePath(topKey: string, issue: Issue): string[] {
  return [topKey, ...(issue.path ?? []).map((item) => String(item.key))];
}

/** A mapping lacks a key, as opposed to holding a bad one. */
export function isMissing(issue: Issue): boolean {
  return issue.kind === 'schema' && issue.input === undefined;
}

/** What a schema's issue means to people. `shown` are the keys and `value` is what stands there in the file. */
export function findingOf(
  issue: Issue,
  schema: GenericSchema | undefined,
  shown: readonly string[],
  value: Json | undefined,
): Finding {
  const key = showPath(shown.slice(lastKey(shown)));
  if (isMissing(issue)) {
    const message = value === null ? say.emptyKey(key) : say.missingKey(key, showPath(shown.slice(0, -1)));
    return { code: 'config.missing-key', severity: 'error', message };
  }
  const options = schema === undefined ? [] : optionsOf(schema, value ?? null);
  if (isCustom(issue)) return invalid(say.invalidValue(key, issue.message));
  if (options.length > 0) return notAmong(key, options, value);
  const message = say.wrongType(key, expectedWords(issue.expected ?? ''), showValue(value));
  return { code: 'config.wrong-type', severity: 'error', message };
}

function notAmong(key: string, options: readonly string[], value: Json | undefined): Finding {
  const meant = typeof value === 'string' ? nearest(value, options) : undefined;
  const finding = invalid(say.notAmong(key, options, showValue(value)));
  return meant === undefined ? finding : { ...finding, hint: say.didYouMean(meant) };
}

function invalid(message: string): Finding {
  return { code: 'config.invalid-value', severity: 'error', message };
}

/** Every rule beyond a type brings its own words, to be read after the key's name. */
function isCustom(issue: Issue): boolean {
  return issue.kind === 'validation' || issue.type === 'custom';
}

/** A list index alone says nothing: `trigger_tools[0]` is named with its key. */
function lastKey(path: readonly string[]): number {
  let at = path.length - 1;
  while (at > 0 && /^\d+$/.test(path[at] ?? '')) at -= 1;
  return Math.max(0, at);
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  Array: 'a list',
  Object: 'a mapping',
};

function expectedWords(expected: string): string {
  return TYPE_WORDS[expected] ?? expected;
}

function showValue(value: Json = null): string {
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'a mapping';
  const shown = JSON.stringify(value);
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown;
}
