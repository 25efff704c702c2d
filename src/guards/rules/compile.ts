import { createRequire, isBuiltin } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Moment, Rule } from '../../api';
import { didYouMean, errorFinding, FILE_START, nearest, type Span } from '../../config/diagnostics';
import type { CompileContext } from '../../config/section';
import { EFFECTS, MODES, type Mode } from '../../core/effect-kinds';
import { type EventKind, PLAIN_KINDS } from '../../core/event';
import { attempt } from '../../core/failure';
import { isJsonObject, jsonObjectIn } from '../../core/json';
import { digest } from '../../core/text';
import { filesOf, type RuleEntry, type RuleModule, type RulesConfig } from './config';
import { errorOf, type RuleError, Sandbox } from './sandbox';

export const RULES_DIR = '.holdpoint/rules';
const RULE_FILE = /^(?![._]).*(?<!\.d|\.test|\.spec)\.(?:ts|mts|js|mjs)$/;

/** Code that is no test, no type declaration and no helper (a name that starts with `_` or `.`). */
const CODE_FILE = /^(?![._]).*(?<!\.d|\.test|\.spec)\.[cm]?[jt]sx?$/;

/** The settings of one rule, and where they are in the config. */
interface NamedSettings {
  readonly mode?: Mode;
  readonly enabled?: boolean;
  readonly pointer: string;
}

export interface RuleSettings {
  readonly packages: readonly { readonly name: string; readonly pointer: string }[];
  readonly named: { readonly [name: string]: NamedSettings };
}

/** What compiling needs of a built-in rule. */
type BuiltIn = Pick<Rule, 'name' | 'on' | 'mode'> & { readonly usesHistory?: true };

/** Finds, reads and loads all rules. A broken rule disables only itself, and is reported at its place. */
export function compileRules(
  settings: RuleSettings,
  builtIn: readonly BuiltIn[],
  context: CompileContext,
): RulesConfig | undefined {
  const dir = join(context.root, RULES_DIR);
  const names = context.directory(dir);
  const files = names.filter((name) => RULE_FILE.test(name)).map((name) => join(dir, name));
  const found = [
    ...files.map((file) => fromOwnFile(file, context)),
    ...packagesIn(settings, builtIn, context),
  ];
  reportUnread(names, dir, found, context);
  const entries: RuleEntry[] = builtIn.flatMap((rule) => {
    const named = settings.named[rule.name];
    return named === undefined
      ? []
      : [entryFor(rule, 0, 'built in', context.place(named.pointer) ?? rule.name)];
  });
  for (const { rules } of found)
    for (const rule of rules) entries.push(withoutDouble(rule, entries, context));
  for (const [name, { pointer }] of Object.entries(settings.named))
    if (!entries.some((entry) => entry.name === name))
      reportUnknown(name, pointer, entries, builtIn, context);
  if (entries.length === 0) return undefined;
  const sources = sourcesOf(found);
  return {
    rules: entries.map((entry) => withSettings(entry, settings)),
    sources,
    history:
      Object.values(sources).some((modules) => modules.some(({ code }) => /\bhistory\b/.test(code))) ||
      builtIn.some(({ name, usesHistory }) => usesHistory === true && settings.named[name] !== undefined),
  };
}

/** How rule files are read and their errors reported. */
type Sources = Pick<CompileContext, 'root' | 'read' | 'peek' | 'reportIn'>;

/** Compiles rule files from anywhere, without a config. */
export function compileRuleFiles(files: readonly string[], sources: Sources): RulesConfig {
  const found = files.map((file) => fromOwnFile(file, sources));
  return { rules: found.flatMap(({ rules }) => rules), sources: sourcesOf(found), history: true };
}

function sourcesOf(found: readonly Found[]): RulesConfig['sources'] {
  return Object.fromEntries(found.flatMap(({ key, modules }) => (key === undefined ? [] : [[key, modules]])));
}

function withSettings(entry: RuleEntry, { named }: RuleSettings): RuleEntry {
  const { mode, enabled } = named[entry.name] ?? {};
  const state = enabled === false && entry.state === 'on' ? 'off' : entry.state;
  return { ...entry, state, mode: mode ?? entry.mode };
}

function reportUnknown(
  name: string,
  pointer: string,
  entries: readonly RuleEntry[],
  builtIn: readonly BuiltIn[],
  context: CompileContext,
): void {
  const known = [...entries, ...builtIn];
  context.report(pointer, {
    ...errorFinding('config.unknown-key', `there is no rule \`${name}\``),
    hint: meantOr(name, known, `Put it into ${RULES_DIR}, or remove this entry`),
  });
}

/** The rule that was probably meant, else other advice. */
function meantOr(name: string, known: readonly { readonly name: string }[], advice: string): string {
  const names = known.map((one) => one.name);
  const near = nearest(name, names);
  return near === undefined ? advice : didYouMean(near);
}

/** How many levels of subdirectories are searched for misplaced rules. */
const DEEPEST = 3;

/** Warns of code that is not read because of its extension or directory, unless a rule imports it. */
function reportUnread(
  names: readonly string[],
  dir: string,
  found: readonly Found[],
  context: CompileContext,
): void {
  const imported = new Set(found.flatMap(({ modules }) => filesOf(modules)));
  const below = (path: string, depth: number): string[] =>
    depth > DEEPEST ? [] : look(context.directory(path), path, depth);
  const look = (inside: readonly string[], path: string, depth: number): string[] =>
    inside.flatMap((name) => {
      const file = join(path, name);
      if (/^[._]|^node_modules$/.test(name)) return [];
      if (!name.includes('.')) return below(file, depth + 1);
      const isRead = imported.has(file) || (depth === 0 && RULE_FILE.test(name));
      return CODE_FILE.test(name) && !isRead ? [file] : [];
    });
  for (const file of look(names, dir, 0))
    context.reportIn({ shown: shownAs(file, context.root), lines: [] }, FILE_START, {
      code: 'config.not-read',
      severity: 'warning',
      message: `this is not read as a rule: rules are .ts, .mts, .js and .mjs files in ${RULES_DIR} itself`,
      hint: 'Move or rename it; if rules are to import it, begin its name with `_`',
    });
}

/** The rules of one file or package. */
interface Found {
  readonly rules: readonly RuleEntry[];
  readonly modules: readonly RuleModule[];
  readonly key?: string;
}

/** Reports what is wrong with a rule, and where; returns its entry for the list. */
type BrokenReporter = (error: RuleError, at: string, text: string) => RuleEntry;

function fromOwnFile(file: string, context: Sources): Found {
  return fromFile(file, context, (error, at, text) => {
    const entry = brokenEntry(nameOf(file), shownAs(at, context.root), error);
    reportBroken(entry, text, error, context);
    return entry;
  });
}

function fromFile(file: string, context: Sources, broken: BrokenReporter): Found {
  const shown = shownAs(file, context.root);
  const read = new Modules(context);
  const failed = (error: RuleError, at = file): Found => {
    return { rules: [broken(error, at, read.textOf(at))], modules: read.modules };
  };
  const trouble = read.add(file);
  if (trouble !== undefined) return failed(trouble.error, trouble.file);
  const modules = read.modules;
  const key = digest(JSON.stringify(modules)) + modules.length;
  try {
    const exported = new Sandbox().load(modules);
    const text = read.textOf(file);
    const rules = exported.map((rule, index): RuleEntry => {
      const wrong = troubleOf(rule);
      if (wrong === undefined) {
        const line = lineIn(text, (one) => one.includes('name') && one.includes(rule.name));
        return { ...entryFor(rule, index, shown, `${shown}:${line}:1`), source: key };
      }
      const which = exported.length === 1 ? '' : `rule ${index + 1} of ${exported.length}: `;
      return broken({ detail: `${which}${wrong}`, line: lineOf(wrong, text) }, file, text);
    });
    return { rules, modules, key };
  } catch (error) {
    const found = errorOf(error, filesOf(modules));
    const missing = read.missing.find(({ name }) => found.detail.startsWith(`Cannot find module '${name}'`));
    return missing === undefined ? failed(found, found.file) : failed(missing.error, missing.file);
  }
}

function nameOf(file: string): string {
  return (file.split('/').at(-1) ?? file).replace(/\.[cm]?[jt]s$/, '');
}

function shownAs(file: string, root: string): string {
  return file.startsWith(root + sep) ? relative(root, file) : file;
}

function entryFor(rule: BuiltIn, index: number, file: string, place: string): RuleEntry {
  const { name, on, mode = 'hold' } = rule;
  return { name, file, place, mode, state: 'on', on: [on].flat() as string[], index };
}

function brokenEntry(name: string, file: string, { detail, line = 1, column = 1 }: RuleError): RuleEntry {
  const place = `${file}:${line}:${column}`;
  return { name, file, place, mode: 'hold', state: 'broken', why: detail, on: [], index: 0 };
}

/** The number of the first such line, else of the one with `defineRule(`, else 1. */
function lineIn(text: string, isMeant: (line: string) => boolean): number {
  const lines = text.split('\n');
  const at = lines.findIndex(isMeant);
  return Math.max(0, at >= 0 ? at : lines.findIndex((line) => line.includes('defineRule('))) + 1;
}

/** The line of the property that the message begins with. */
function lineOf(trouble: string, text: string): number {
  const [, key = 'defineRule'] = /^`(\w+)/.exec(trouble) ?? [];
  return lineIn(text, (line) => new RegExp(`^\\s*${key}\\s*[:,]`).test(line));
}

function reportBroken(entry: RuleEntry, text: string, error: RuleError, context: Sources): void {
  const { line = 1, column = 1 } = error;
  const span: Span = line === 1 && column === 1 ? FILE_START : { line, column, length: 1 };
  context.reportIn({ shown: entry.file, lines: text.split(/\r?\n/) }, span, {
    ...errorFinding('config.invalid-value', `the rule \`${entry.name}\` is off: ${error.detail}`),
    switchesOff: `the rule ${entry.name}`,
  });
}

function withoutDouble(entry: RuleEntry, known: readonly RuleEntry[], context: CompileContext): RuleEntry {
  // A broken rule is named after its file or package, so its name does not clash with a rule's.
  if (entry.state === 'broken') return entry;
  const first = known.find(({ name, state }) => name === entry.name && state !== 'broken');
  if (first === undefined) return entry;
  const detail = `${first.file === 'built in' ? 'a built-in rule' : first.file} has the same name`;
  const broken = { ...entry, state: 'broken' as const, why: detail };
  reportBroken(broken, '', { detail }, context);
  return broken;
}

/** Every event kind that `on` may name. */
const KINDS: readonly EventKind[] = [
  'session.start',
  'session.end',
  'prompt.submit',
  'prompt.expand',
  'tool.before',
  'tool.after',
  'tool.batch',
  'permission.request',
  'permission.denied',
  'turn.stop',
  'turn.error',
  'subagent.start',
  'subagent.stop',
  'compact.before',
  'compact.after',
  ...PLAIN_KINDS,
];
const MOMENTS: readonly Moment[] = [...EFFECTS, ...KINDS];

/** What is wrong with a file's export, to follow "is off:". */
function troubleOf(rule: unknown): string | undefined {
  if (typeof rule !== 'object' || rule === null || typeof Reflect.get(rule, 'decide') !== 'function')
    return 'it exports no rule; write `export default defineRule({ name, on, decide(event, ctx) { … } })`';
  const { name, on, mode } = rule as Partial<Record<keyof Rule, unknown>>;
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9_-]*$/i.test(name))
    return '`name` must be letters, digits and dashes';
  if (name === 'packages') return '`packages` is not a valid rule name: it is a key of the config';
  const moments = [on].flat();
  if (on === undefined || moments.length === 0)
    return '`on` is missing; it says when the rule is asked, such as `edit`';
  const unknown = moments.find((one) => !(MOMENTS as readonly unknown[]).includes(one));
  if (unknown !== undefined) {
    const near = nearest(String(unknown), MOMENTS);
    return `\`on: ${String(unknown)}\` is unknown${near === undefined ? '' : `; ${didYouMean(near)}`}`;
  }
  if (mode !== undefined && !(MODES as readonly unknown[]).includes(mode))
    return `\`mode: ${String(mode)}\` is unknown; it is ${MODES.join(', ')}`;
  return undefined;
}

/* Packages. */

/** Errors of a package are reported at the config line that lists it, under its name there. */
function packagesIn(settings: RuleSettings, builtIn: readonly BuiltIn[], context: CompileContext): Found[] {
  return settings.packages.map(({ name, pointer }) => {
    const broken = (verb: string, why: string, hint?: string): RuleEntry => {
      const finding = errorFinding('config.invalid-value', `the rule package \`${name}\` ${verb}${why}`);
      context.report(pointer, { ...finding, ...(hint !== undefined && { hint }) });
      const place = context.place(pointer) ?? name;
      return { ...brokenEntry(name, place, { detail: why }), place };
    };
    const file = packageEntry(name, context);
    if (typeof file === 'string')
      return fromFile(file, context, ({ detail, line = 1, column = 1 }, at) =>
        broken('is broken: ', `${shownAs(at, context.root)}:${line}:${column}: ${detail}`),
      );
    const hint = meantOr(name, builtIn, `Run \`npm install --save-dev ${name}\``);
    return { rules: [broken('', file.detail, hint)], modules: [] };
  });
}

/** The entry file of a package, resolved as Node does from the project root. */
function packageEntry(name: string, context: CompileContext): string | RuleError {
  for (const dir of createRequire(join(context.root, 'package.json')).resolve.paths(name) ?? []) {
    const manifest = join(dir, name, 'package.json');
    const loaded = dirname(dir) === context.root ? context.read(manifest) : context.peek(manifest);
    if (loaded.kind !== 'text') continue;
    const value = jsonObjectIn(loaded.text);
    if (value === undefined)
      return { detail: `has no valid package.json (${shownAs(manifest, context.root)})` };
    const target = targetOf(value['exports']) ?? value['module'] ?? value['main'];
    return resolve(dir, name, typeof target === 'string' ? target : 'index.js');
  }
  return { detail: 'is not installed' };
}

/** Prefers the file for `import`, whatever else the package offers. */
function targetOf(exported: unknown): string | undefined {
  if (typeof exported === 'string') return exported;
  if (Array.isArray(exported)) return exported.map(targetOf).find((one) => one !== undefined);
  if (!isJsonObject(exported)) return undefined;
  for (const key of ['.', 'import', 'node', 'default', 'require'])
    if (exported[key] !== undefined) return targetOf(exported[key]);
  return undefined;
}

/* Modules. */

type Trouble = { readonly file: string; readonly error: RuleError };

/** A file and everything that it imports by path. Packages and Node's own modules are left to Node. */
class Modules {
  readonly modules: RuleModule[] = [];
  /** Imports that were not found. One in a comment or a text does no harm, so loading decides. */
  readonly missing: (Trouble & { readonly name: string })[] = [];
  readonly #texts = new Map<string, string>();
  readonly #places = new Map<string, number>();
  readonly #context: Sources;

  constructor(context: Sources) {
    this.#context = context;
  }

  textOf(file: string): string {
    return this.#texts.get(file) ?? '';
  }

  /** Adds a file and its imports; returns what is wrong, if anything. */
  add(file: string): Trouble | undefined {
    if (this.#places.has(file)) return undefined;
    const loaded = this.#context.read(file);
    if (loaded.kind !== 'text')
      return {
        file,
        error: { detail: loaded.kind === 'missing' ? 'there is no such file' : loaded.finding.message },
      };
    this.#texts.set(file, loaded.text);
    const at = this.modules.length;
    this.#places.set(file, at);
    const code = plainCode(file, loaded.text);
    if (typeof code !== 'string') return { file, error: code };
    const imports: Record<string, number> = {};
    // Added before its imports: the first module is the one that is loaded.
    this.modules.push({ file, code, imports });
    for (const [, name = ''] of code.matchAll(/\brequire\(\s*['"]([^'"\n]+)['"]\s*\)/g)) {
      const trouble = this.#follow(name, file, loaded.text, imports);
      if (trouble !== undefined) return trouble;
    }
    return undefined;
  }

  #follow(name: string, file: string, text: string, imports: Record<string, number>): Trouble | undefined {
    const lacks = (detail: string, places: readonly string[]): undefined => {
      // Reading them has the config compiled again once one is there.
      for (const place of places) this.#context.read(place);
      this.missing.push({ name, file, error: placed(detail, name, text) });
    };
    const { root } = this.#context;
    if (!name.startsWith('.') && !isAbsolute(name))
      return isThere(name, file)
        ? undefined
        : lacks(NOT_INSTALLED(name), [join(root, 'node_modules', packageOf(name), 'package.json')]);
    const candidates = candidatesFor(resolve(dirname(file), name));
    const target = candidates.find((one) => this.#context.peek(one).kind === 'text');
    if (target === undefined) return lacks(`imports \`${name}\`, which is not there`, candidates);
    const trouble = this.add(target);
    imports[name] = this.#places.get(target) ?? 0;
    return trouble;
  }
}

/** As bundlers resolve an import: the path itself, `.ts` for `.js`, with an extension, or an index file. */
function candidatesFor(path: string): readonly string[] {
  const endings = ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json'];
  return [
    path,
    path.replace(/\.([cm]?)js$/, '.$1ts'),
    ...endings.map((ending) => path + ending),
    ...endings.map((ending) => join(path, `index${ending}`)),
  ];
}

/** The package of an import such as `@scope/name/part`. */
function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/');
}

function isThere(name: string, file: string): boolean {
  if (name === 'holdpoint' || isBuiltin(name)) return true;
  return attempt(() => createRequire(file).resolve(name)) !== undefined;
}

const NOT_INSTALLED = (name: string): string => `imports \`${name}\`, which is not installed`;

/** An error at the first line that contains the word. */
function placed(detail: string, word: string, text: string): RuleError {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.includes(word));
  return at < 0 ? { detail } : { detail, line: at + 1, column: (lines[at]?.indexOf(word) ?? 0) + 1 };
}

/** Removes types and turns imports into `require` calls; line numbers stay the same. */
function plainCode(file: string, text: string): string | RuleError {
  if (file.endsWith('.json')) return `module.exports = ${text}`;
  const { transform } = require('sucrase') as typeof import('sucrase');
  const isTypeScript = /\.[cm]?ts$/.test(file);
  try {
    return transform(text, {
      transforms: isTypeScript ? ['typescript', 'imports'] : ['imports'],
      disableESTransforms: true,
    }).code.replaceAll(/\bimport\.meta\b/g, 'importMeta');
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, detail = message, line, column] =
      /^(?:Error transforming [^:]*: )?(.*?)(?: \((\d+):(\d+)\))?$/s.exec(message) ?? [];
    return {
      detail: `does not parse: ${detail.split('\n', 1)[0]}`,
      ...(line !== undefined && { line: Number(line), column: Number(column) }),
    };
  }
}
