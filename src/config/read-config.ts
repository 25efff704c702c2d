import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Discipline, GUARD_NAMES } from '../core/guard';
import type { Json, JsonObject } from '../core/json';
import {
  type Diagnostic,
  diagnose,
  errorFinding,
  FILE_START,
  type Finding,
  type Span,
  wholeFile,
} from './diagnostics';
import { type Candidate, findCandidates, type Layer, loadText, namesIn } from './files';
import {
  diagnoseAt,
  layersOf,
  type Model,
  type MountedFile,
  mergeFiles,
  mountBroken,
  mountFile,
  placeOf,
  withoutKeys,
} from './merge';
import { type Parsed, parseConfig } from './parse';
import { pointerBefore, pointerOf } from './pointer';
import type { CompileContext, Section } from './section';
import { unknownKeyFinding, type Validated, validate } from './validate';
import { isSwitchedOn, type OnError, onErrorOf, topKeys, type Vocabulary, vocabularyOf } from './vocabulary';

export interface GuardConfig {
  readonly name: Discipline;
  readonly config: Json;
  readonly onError: OnError;
}

/** A config file that was read, with its own content. */
export interface ConfigSource {
  readonly path: string;
  readonly shown: string;
  readonly layer: Layer;
  readonly value: JsonObject;
}

export interface ReadConfig {
  /** The configured disciplines, in the order in which they decide. */
  readonly guards: readonly GuardConfig[];
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: readonly ConfigSource[];
  /** All layers merged, before validation. */
  readonly model: Model;
  /** The valid part of the model. */
  readonly valid: JsonObject;
}

export interface ReadConfigInput {
  readonly root: string;
  readonly home: string;
  readonly sections: readonly Section[];
  /** Called with each further file just before it is read. */
  onRead?(path: string): void;
}

/** Diagnostics are stored in the compiled config; nobody reads more than this many. */
const MAX_DIAGNOSTICS = 100;

/** Finds, parses, merges, validates and compiles a project's config. Never throws for invalid files. */
export function readConfig(input: ReadConfigInput): ReadConfig {
  const vocabulary = vocabularyOf(input.sections);
  const { files } = findCandidates(input, input.sections);
  const diagnostics: Diagnostic[] = [];
  const sources: ConfigSource[] = [];
  const mounted = files.flatMap((file) => readFile(file, vocabulary, sources, diagnostics));
  const model = mergeFiles(mounted, input.sections, diagnostics);
  const validated = validate(model, vocabulary);
  diagnostics.push(...validated.diagnostics);
  const lenient = new Set(files.filter((file) => file.legacy?.file.lenient).map((file) => file.shown));
  /** The diagnostics so far, with errors in lenient files turned into warnings. */
  const softened = (): Diagnostic[] =>
    diagnostics.map((one) => (lenient.has(one.place.file) ? { ...one, severity: 'warning' } : one));
  const guards = GUARD_NAMES.flatMap((name) =>
    input.sections
      .filter((section) => section.guard === name)
      .flatMap((section) => compileSection(section, input, model, validated, diagnostics, softened)),
  );
  const order = [...files.map((file) => file.shown), ...diagnostics.map(({ place }) => place.file)];
  const rank = ({ place }: Diagnostic): number => order.indexOf(place.file);
  const sorted = softened().sort(
    (a, b) => rank(a) - rank(b) || a.place.line - b.place.line || a.place.column - b.place.column,
  );
  const shown = sorted.slice(0, MAX_DIAGNOSTICS);
  return { guards, diagnostics: shown, sources, model, valid: validated.valid };
}

function compileSection(
  section: Section,
  { root, onRead }: ReadConfigInput,
  model: Model,
  { valid, cleaned, removed }: Validated,
  diagnostics: Diagnostic[],
  softened: () => readonly Diagnostic[],
): GuardConfig[] {
  const owns = (key: string): boolean => Object.hasOwn(section.keys, key);
  const before = (pointer: string): string => pointerBefore(cleaned, removed, pointer);
  const context: CompileContext = {
    root,
    layers: layersOf(model, section),
    switchedOn: section.guard !== 'requirements' || isSwitchedOn(valid),
    place: (pointer) => placeOf(model, before(pointer)),
    report: (pointer, finding) => {
      diagnostics.push(...diagnoseAt(model, before(pointer), true, finding));
    },
    errors: () =>
      softened().filter(
        ({ severity, topKey }) => severity === 'error' && (topKey === undefined || owns(topKey)),
      ),
    reportIn: (source, span, finding) => {
      diagnostics.push({ ...diagnose(source, span, finding), topKey: section.guard });
    },
    read: (path) => {
      onRead?.(path);
      return loadText(path);
    },
    peek: loadText,
    directory: (path) => {
      // If the parent directory is missing, that is watched already.
      if (existsSync(dirname(path))) onRead?.(path);
      return namesIn(path);
    },
  };
  const own = Object.fromEntries(Object.entries(valid).filter(([key]) => owns(key)));
  const config = section.compile(own, context);
  if (config === undefined) return [];
  return [{ name: section.guard, config, onError: onErrorOf(valid, section.guard) }];
}

/** Reads one file and mounts it in the model; nothing if it is absent. Problems go to `diagnostics`. */
function readFile(
  file: Candidate,
  vocabulary: Vocabulary,
  sources: ConfigSource[],
  diagnostics: Diagnostic[],
): MountedFile[] {
  const loaded = loadText(file.path);
  if (loaded.kind === 'missing') return [];
  const lines = loaded.kind === 'text' ? loaded.text.split(/\r?\n/) : [];
  const text = { shown: file.shown, lines };
  const topKey = file.legacy?.file.mount('', file.legacy.name)[0];
  const note = (span: Span, finding: Finding): void => {
    diagnostics.push({ ...diagnose(text, span, finding), ...(topKey !== undefined && { topKey }) });
  };
  if (loaded.kind === 'refused') {
    note(FILE_START, unusable(loaded.finding, file));
    return mountBroken(file, text);
  }
  const parsed = parseFile(file, loaded.text, lines);
  for (const { span, ...finding } of parsed.findings)
    note(span, parsed.ok ? finding : unusable(finding, file));
  if (!parsed.ok) return mountBroken(file, text);
  sources.push({ path: file.path, shown: file.shown, layer: file.layer, value: parsed.value });
  return [refuseLegacyOnly(mountFile(file, text, parsed), vocabulary, diagnostics)];
}

/** Why nothing in a file counts. Without a file of texts every rule is still checked. */
function unusable(finding: Finding, { legacy }: Candidate): Finding {
  if (legacy?.file.configures !== false) return { ...finding, switchesOff: wholeFile() };
  const message = `${finding.message}; the file is not used, the built-in text is`;
  return { ...finding, severity: 'warning', message };
}

function parseFile(file: Candidate, text: string, lines: readonly string[]): Parsed {
  const yaml = file.legacy?.file.yaml ?? '1.2';
  if (!file.path.endsWith('.md')) return parseConfig(text, yaml);
  const parts = splitFrontMatter(text);
  const parsed = parseConfig(parts.head, yaml);
  const key = file.legacy?.file.body;
  return key === undefined || !parsed.ok ? parsed : withBody(parsed, key, parts, lines);
}

type MarkdownParts = ReturnType<typeof splitFrontMatter>;

/**
 * Splits a Markdown file into the front matter between two lines of dashes, with the file's line numbers, and
 * the text below, without blank lines around it. Without front matter, all of it is body.
 */
export function splitFrontMatter(text: string) {
  const lines = text.split(/\r?\n/);
  const isFence = (line: string): boolean => line.trimEnd() === '---';
  const fence = isFence(lines[0] ?? '') ? lines.findIndex((line, at) => at > 0 && isFence(line)) : -1;
  const head = fence < 0 ? '' : ['', ...lines.slice(1, fence)].join('\n');
  const below = lines.slice(fence + 1);
  const blank = below.findIndex((line) => line.trim() !== '');
  return { head, body: below.join('\n').trim(), bodyLine: fence + 2 + Math.max(0, blank) };
}

/** The text below the front matter becomes the value of a key, which the front matter must not set too. */
function withBody(parsed: Parsed, key: string, parts: MarkdownParts, lines: readonly string[]): Parsed {
  const pointer = pointerOf([key]);
  const line = Math.min(parts.bodyLine, lines.length);
  const span = { line, column: 1, length: lines[line - 1]?.length ?? 0 };
  const value = { ...parsed.value, [key]: parts.body };
  const positions = new Map(parsed.positions).set(pointer, { value: span, empty: false });
  const message = `\`${key}\` has no effect here: the text below the front matter is used`;
  const twice = {
    ...errorFinding('config.duplicate-key', message),
    span: parsed.positions.get(pointer)?.key ?? FILE_START,
  };
  const findings = Object.hasOwn(parsed.value, key) ? [...parsed.findings, twice] : parsed.findings;
  return { ...parsed, value, positions, findings };
}

/** Some keys of the model may only come from legacy files; in our own files they are unknown. */
function refuseLegacyOnly(file: MountedFile, vocabulary: Vocabulary, diagnostics: Diagnostic[]): MountedFile {
  if (file.candidate.legacy !== undefined) return file;
  const refused = Object.keys(file.value).filter((key) => vocabulary.legacyOnly.has(key));
  for (const key of refused) {
    const origin = file.origins.get(pointerOf([key]));
    const finding = unknownKeyFinding([key], topKeys(vocabulary));
    if (origin) diagnostics.push(diagnose(origin.file, origin.key ?? origin.value, finding));
  }
  return withoutKeys(file, new Set(refused));
}
