import * as v from 'valibot';
import { MODES } from '../core/effect-kinds';
import { detailOf } from '../core/failure';
import type { Discipline } from '../core/guard';
import { isJsonObject, type Json, type JsonObject } from '../core/json';
import type { Diagnostic, Finding, SourceText, Span } from './diagnostics';
import type { Layer, Loaded } from './files';
import { pathOf, valueAt } from './pointer';

/** A config file of an older program that is read as part of a section. */
export interface LegacyFile {
  readonly layer: Layer;
  readonly base: 'home' | 'project';
  /** Relative to the base, with forward slashes; the last segment may contain one `*`. */
  readonly path: string;
  /** In 1.1 the unquoted words yes, no, on and off are booleans, as that program read them. */
  readonly yaml: '1.1' | '1.2';
  /** Where a top-level key of this file goes in the model; `name` is the text matched by `*`. */
  mount(topKey: string, name: string): readonly string[];
  /** False for a file that only adds to what others configure: alone it configures nothing. */
  readonly configures?: boolean;
  /** Set if the file is one entry of the model, which then exists even if the file is empty or broken. */
  whole?(name: string): readonly string[];
  /** For a Markdown file: the key that gets the text below the front matter. */
  readonly body?: string;
  /** Errors in it are only warnings: it is a person's private file and must not break a project. */
  readonly lenient?: boolean;
}

/** What a section may query and report while it compiles. */
export interface CompileContext {
  readonly root: string;
  /** The layers that configure this section. */
  readonly layers: readonly Layer[];
  /** False if our own config files switch off the whole discipline. */
  readonly switchedOn: boolean;
  /** `file:line:column` of a pointer in the valid model. */
  place(pointer: string): string | undefined;
  report(pointer: string, finding: Finding): void;
  /** The errors so far that concern this section. */
  errors(): readonly Diagnostic[];
  /** Like `report`, at a place in a file that is not a config file. */
  reportIn(source: SourceText, span: Span, finding: Finding): void;
  /** Reads a further file that belongs to the config: when it changes, the config is compiled again. */
  read(path: string): Loaded;
  /** Reads a file without making the config depend on it. */
  peek(path: string): Loaded;
  /** The sorted names in a project directory; when one is added or removed, the config is compiled again. */
  directory(path: string): readonly string[];
}

/**
 * One discipline's part of the config. In patterns, `*` is any one key. A loose object in the schemas allows
 * the user's own keys and reports only near misses; elsewhere an unknown key is an error.
 */
export interface Section {
  readonly guard: Discipline;
  /** The top-level keys of the model that it owns. Their schemas must output plain JSON. */
  readonly keys: Readonly<Record<string, v.GenericSchema>>;
  /** Those of its keys that only legacy files may set. */
  readonly legacyOnly: readonly string[];
  readonly files: readonly LegacyFile[];
  /** Patterns of the parts that an error inside disables as a whole; elsewhere it disables only the key. */
  readonly units: readonly string[];
  /** Keys accepted with a warning, because nothing reads them. */
  readonly tolerated: readonly string[];
  /** Returns `undefined` if this discipline is not configured. */
  compile(valid: JsonObject, context: CompileContext): Json | undefined;
}

type Valid<Keys extends Section['keys']> = { readonly [K in keyof Keys]?: v.InferOutput<Keys[K]> };

const NO_LISTS = { legacyOnly: [], files: [], units: [], tolerated: [] };

/** Declares a section whose `compile` is typed by its own schemas. A list that it does not give is empty. */
export function section<Keys extends Section['keys']>(
  parts: Pick<Section, 'guard'> &
    Partial<Pick<Section, keyof typeof NO_LISTS>> & {
      readonly keys: Keys;
      compile(valid: Valid<Keys>, context: CompileContext): Json | undefined;
    },
): Section {
  return {
    ...NO_LISTS,
    ...parts,
    compile: (valid, context) => parts.compile(valid as unknown as Valid<Keys>, context),
  };
}

/** Warns about keys that we understand but do not enforce yet, if they are set. */
export function warnNotEnforced(valid: object, pointers: readonly string[], context: CompileContext): void {
  for (const pointer of pointers) {
    const path = pathOf(pointer);
    const value = valueAt(valid as JsonObject, path);
    // A feature that is switched off needs no warning.
    const isOff = value === undefined || value === false;
    if (isOff || (isJsonObject(value) && value['enabled'] === false)) continue;
    const detail = typeof value === 'string' ? `: ${value}` : '';
    const message = `\`${path.at(-1)}${detail}\` is not enforced by this version`;
    context.report(pointer, { code: 'config.not-enforced', severity: 'warning', message });
  }
}

/* Small schemas shared by all sections. Their messages are read after the key's name. */

export const text = v.optional(v.string());
export const flag = v.optional(v.boolean());
export const words = v.optional(v.array(v.string()));
export const name = v.pipe(v.string(), v.nonEmpty('must not be empty'));
export const amount = v.pipe(v.number(), v.minValue(0, 'must not be negative'));
export const seconds = v.optional(amount);
export const mode = v.optional(v.picklist(MODES));
export const MODE_TEXT =
  '`shadow` only records what it would hold, `warn` tells, `hold` holds. See [tuning](tuning.md). Default: hold.';

/** Text that `trouble` finds nothing wrong with. */
export function validText(
  trouble: (text: string) => string | undefined,
  base: v.GenericSchema<string> = name,
) {
  const isFine = (given: string): boolean => trouble(given) === undefined;
  const why = ({ input }: { readonly input: string }): string => trouble(input) ?? '';
  return v.pipe(base, v.check(isFine, why));
}

/** Prefixed to names while valibot reads them, because it silently skips `constructor` and `__proto__`. */
const SAFE = '=';

/** A mapping whose keys are names chosen by the user, any name at all. */
export function byName<Schema extends v.GenericSchema>(schema: Schema) {
  const record = v.record(v.string(), schema);
  const run: (typeof record)['~run'] = (dataset, config) => {
    const { value } = dataset;
    if (!isJsonObject(value)) return record['~run'](dataset, config);
    const safe = Object.entries(value).map(([key, content]) => [SAFE + key, content]);
    const done = record['~run']({ value: Object.fromEntries(safe) }, config);
    for (const issue of done.issues ?? []) {
      const [first, ...rest] = issue.path ?? [];
      // A copy, because the issues of one entry share this path item.
      const named = first && { ...first, key: String(first.key).slice(SAFE.length) };
      Object.assign(issue, { path: [named, ...rest] });
    }
    if (!isJsonObject(done.value)) return done;
    const named = Object.entries(done.value).map(([key, content]) => [key.slice(SAFE.length), content]);
    return Object.assign(done, { value: Object.fromEntries(named) });
  };
  return { ...record, '~run': run };
}

/** Adds to each entry the description that editors show. No key may go without one. */
export function described<Entries extends v.ObjectEntries>(
  entries: Entries,
  sentences: { readonly [Key in keyof Entries]: string },
): Entries {
  const piped = Object.entries(entries).map(([key, schema]) => {
    return [key, v.pipe(schema as v.GenericSchema, v.description(sentences[key] ?? ''))];
  });
  return Object.fromEntries(piped) as Entries;
}

/**
 * Translates a pattern to JavaScript. Older config files use Python's dialect, which differs in these few
 * spellings; matching ignores case anyway, so a leading `(?i)` can be dropped.
 */
export function regexSource(pattern: string): string {
  const anchors: Readonly<Record<string, string>> = { '\\A': '^', '\\Z': '$' };
  return pattern
    .replace(/^\(\?i\)/, '')
    .replaceAll('(?P<', '(?<')
    .replace(/\(\?P=(\w+)\)/g, '\\k<$1>')
    .replace(/\\[\\AZ]/g, (whole) => anchors[whole] ?? whole);
}

/** What is wrong with a regular expression, worded to follow the key's name. */
export function regexTrouble(pattern: string): string | undefined {
  try {
    new RegExp(regexSource(pattern), 'i');
    return undefined;
  } catch (error) {
    // V8 says `Invalid regular expression: /PATTERN/i: Unterminated group`, and the pattern may have colons.
    const why = detailOf(error).split(': ').at(-1) ?? '';
    return `is not a valid regular expression: ${why.charAt(0).toLowerCase()}${why.slice(1)} in \`${pattern}\``;
  }
}

const ESCAPE = 'put a backslash before it if you mean the character itself';
const CLASSES = /\[[!^]?\]?[^\]/]*\]/g;

/** Finds brackets or braces in a glob that do not mean what they seem to and would silently match nothing. */
export function bracketTrouble(glob: string): string | undefined {
  const bare = glob.replace(/\\./gs, '_');
  const at = (sign: string): string => `in \`${glob}\` the \`${sign}\``;
  if (/\[\[?[:.=]/.test(bare))
    return 'has a class such as `[[:alpha:]]`; write the characters out, as in `[a-z]`';
  for (const [whole] of bare.matchAll(CLASSES))
    if (isReversed(whole)) return `has the reversed range \`${whole}\`; ${ESCAPE}`;
  if (bare.replace(CLASSES, '').includes('['))
    return `is not a valid glob: ${at('[')} is never closed; ${ESCAPE}`;
  if (/\{[^{},]*\.\.[^{},]*\}/.test(bare)) return 'has a range in braces; write it out, as in `{1,2,3}`';
  let depth = 0;
  for (const sign of bare) {
    depth += sign === '{' ? 1 : sign === '}' ? -1 : 0;
    if (depth < 0) return `is not a valid glob: ${at('}')} closes nothing; ${ESCAPE}`;
  }
  return depth === 0 ? undefined : `is not a valid glob: ${at('{')} is never closed; ${ESCAPE}`;
}

function isReversed(text: string): boolean {
  return [...text.slice(1, -1).matchAll(/(.)-(.)/gs)].some(([, from = '', to = '']) => from > to);
}

export type Keys<Entries extends v.ObjectEntries> = {
  readonly [Key in keyof Entries]: readonly [schema: Entries[Key], sentence: string];
};

/** A mapping with these keys, each with its schema and the description that editors show. */
export function mapping<Entries extends v.ObjectEntries>(keys: Keys<Entries>) {
  const pairs = Object.entries<readonly [v.GenericSchema, string]>(keys);
  const entries = pairs.map(([key, [schema, text]]) => [key, v.pipe(schema, v.description(text))]);
  return v.strictObject(Object.fromEntries(entries) as Entries);
}
