import * as v from 'valibot';
import { detailOf } from '../core/failure';
import { isJsonObject, type Json, type JsonObject } from '../core/json';
import { MODES } from '../core/moments';
import type { Discipline } from '../core/selection';
import type { Diagnostic, Finding, SourceText, Span } from './diagnostics';
import type { Layer, Loaded } from './files';
import { pathOf, valueAt } from './pointer';

/** A file of an older program that is read as part of a section. */
export interface SeedFile {
  readonly layer: Layer;
  readonly base: 'home' | 'project';
  /** Relative to the base, with forward slashes; the last part may hold one `*`. */
  readonly path: string;
  /** With 1.1 the plain words yes, no, on and off are booleans, as that program read them. */
  readonly yaml: '1.1' | '1.2';
  /** Where a top-level key of this file goes in the model; `name` is what `*` stood for. */
  mount(topKey: string, name: string): readonly string[];
  /** False for a file that only adds words to what others configure: alone it configures nothing. */
  readonly configures?: boolean;
  /** Where the file is one thing in the model: its name is known there even if it is empty or broken. */
  whole?(name: string): readonly string[];
  /** Of a Markdown file: the key that holds what is below its front matter. */
  readonly body?: string;
  /** Errors in it are only warnings: it is a person's own, and no project shall suffer from it. */
  readonly lenient?: boolean;
}

/** What a section may ask and say while it compiles. */
export interface CompileContext {
  readonly root: string;
  /** The layers that say anything about this section. */
  readonly layers: readonly Layer[];
  /** False where our own files switch the discipline off as a whole. */
  readonly switchedOn: boolean;
  /** `file:line:column` of a pointer in the valid model. */
  place(pointer: string): string | undefined;
  report(pointer: string, finding: Finding): void;
  /** The errors so far that concern this section. */
  errors(): readonly Diagnostic[];
  /** The same at a place in a file that is no config file. */
  reportIn(source: SourceText, span: Span, finding: Finding): void;
  /** A further text that belongs to the config; when it changes, all is compiled again. */
  read(path: string): Loaded;
  /** A text that is only looked at. */
  peek(path: string): Loaded;
  /** The names in a directory of the project, sorted; when one comes or goes, all is compiled again. */
  directory(path: string): readonly string[];
}

/**
 * One discipline's part of the config. Patterns are pointers in which `*` is any one key. In a loose object of the
 * schemas users keep keys of their own, and only a near miss is reported; elsewhere an unknown key is an error.
 */
export interface Section {
  readonly guard: Discipline;
  /** The top-level keys of the model that it owns. Their schemas must put out plain JSON. */
  readonly keys: Readonly<Record<string, v.GenericSchema>>;
  /** Those of its keys that only seed files can fill. */
  readonly seedOnly: readonly string[];
  readonly files: readonly SeedFile[];
  /** The smallest things that an error inside switches off; elsewhere it is the key itself. */
  readonly units: readonly string[];
  /** Keys that are accepted with a warning because nothing reads them. */
  readonly tolerated: readonly string[];
  /** `undefined`: this discipline is not configured. */
  compile(valid: JsonObject, context: CompileContext): Json | undefined;
}

type Valid<Keys extends Section['keys']> = { readonly [K in keyof Keys]?: v.InferOutput<Keys[K]> };

/** A section whose `compile` sees what its own schemas put out. */
export function section<Keys extends Section['keys']>(
  parts: Omit<Section, 'keys' | 'compile'> & {
    readonly keys: Keys;
    compile(valid: Valid<Keys>, context: CompileContext): Json | undefined;
  },
): Section {
  return {
    ...parts,
    compile: (valid, context) => parts.compile(valid as unknown as Valid<Keys>, context),
  };
}

/** Warns of keys that are understood but not acted on yet, where they ask for something. */
export function warnNotEnforced(valid: object, pointers: readonly string[], context: CompileContext): void {
  for (const pointer of pointers) {
    const path = pathOf(pointer);
    const value = valueAt(valid as JsonObject, path);
    // Leaving out what is switched off anyway misleads nobody.
    const isOff = value === undefined || value === false;
    if (isOff || (isJsonObject(value) && value['enabled'] === false)) continue;
    const said = typeof value === 'string' ? `: ${value}` : '';
    const message = `\`${path.at(-1)}${said}\` is not enforced by this version`;
    context.report(pointer, { code: 'config.not-enforced', severity: 'warning', message });
  }
}

/* The small schemas that every section is made of. Messages are read after the key's name. */

export const text = v.optional(v.string());
export const flag = v.optional(v.boolean());
export const words = v.optional(v.array(v.string()));
export const name = v.pipe(v.string(), v.nonEmpty('must not be empty'));
export const amount = v.pipe(v.number(), v.minValue(0, 'must not be negative'));
export const seconds = v.optional(amount);
export const mode = v.optional(v.picklist(MODES));
export const MODE_TEXT =
  '`shadow` only records what it would hold, `warn` tells, `hold` holds. See [tuning](tuning.md). Default: hold.';

/** Text that must not be what `trouble` finds something wrong with. */
export function sound(trouble: (text: string) => string | undefined, base: v.GenericSchema<string> = name) {
  return v.pipe(
    base,
    v.check(
      (given) => trouble(given) === undefined,
      ({ input }) => trouble(input) ?? '',
    ),
  );
}

/** Set before a name while the library looks at it: it skips `constructor` and `__proto__` without a word. */
const SAFE = '=';

/** A mapping whose keys are names that people choose, any name at all. */
export function byName<Schema extends v.GenericSchema>(schema: Schema) {
  const record = v.record(v.string(), schema);
  const run: (typeof record)['~run'] = (dataset, config) => {
    const { value } = dataset;
    if (!isJsonObject(value)) return record['~run'](dataset, config);
    const safe = Object.entries(value).map(([key, content]) => [SAFE + key, content]);
    const done = record['~run']({ value: Object.fromEntries(safe) }, config);
    for (const issue of done.issues ?? []) {
      const [first, ...rest] = issue.path ?? [];
      // A copy: the issues of one entry share its step.
      const named = first && { ...first, key: String(first.key).slice(SAFE.length) };
      Object.assign(issue, { path: [named, ...rest] });
    }
    if (!isJsonObject(done.value)) return done;
    const named = Object.entries(done.value).map(([key, content]) => [key.slice(SAFE.length), content]);
    return Object.assign(done, { value: Object.fromEntries(named) });
  };
  return { ...record, '~run': run };
}

/** Entries of a mapping, each with a sentence for those who write the file in an editor. No key goes without. */
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
 * A pattern as JavaScript writes it. Older config files hold Python's dialect, of which these few
 * spellings differ; matching ignores case anyway, so a leading `(?i)` says nothing new.
 */
export function regexSource(pattern: string): string {
  const anchors: Readonly<Record<string, string>> = { '\\A': '^', '\\Z': '$' };
  return pattern
    .replace(/^\(\?i\)/, '')
    .replaceAll('(?P<', '(?<')
    .replace(/\(\?P=(\w+)\)/g, '\\k<$1>')
    .replace(/\\[\\AZ]/g, (whole) => anchors[whole] ?? whole);
}

/** What is wrong with a regular expression, in words to be read after the key's name. */
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

/** Why brackets or braces in a glob do not mean what they seem to; without this it would silently match nothing. */
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

/** A mapping of these keys, each with its schema and a sentence that editors show beside it. */
export function mapping<Entries extends v.ObjectEntries>(keys: Keys<Entries>) {
  const pairs = Object.entries<readonly [v.GenericSchema, string]>(keys);
  const entries = pairs.map(([key, [schema, text]]) => [key, v.pipe(schema, v.description(text))]);
  return v.strictObject(Object.fromEntries(entries) as Entries);
}
