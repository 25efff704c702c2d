import { GUARD_NAMES, type GuardName } from '../domain/guard-name';
import type { Json, JsonObject } from '../domain/json';
import { type Diagnostic, diagnose } from './diagnostics';
import { type Candidate, findCandidates } from './find';
import { frontMatterOf } from './front-matter';
import { unknownKeyFinding } from './judge-keys';
import { loadText } from './load';
import { diagnoseAt, placeOf } from './locate';
import { layersOf, type Model, mergeFiles } from './merge';
import { wholeFile } from './messages';
import { type MountedFile, mountFile, withoutKeys } from './mount';
import { type OnError, onErrorOf } from './own-keys';
import { parseConfig } from './parse';
import { pointerOf } from './pointer';
import { pointerBefore } from './prune';
import type { CompileContext, Section } from './section';
import { FILE_START, type Layer } from './source';
import { type Validated, validate } from './validate';
import { topKeys, type Vocabulary, vocabularyOf } from './vocabulary';

export interface GuardConfig {
  readonly name: GuardName;
  readonly config: Json;
  readonly onError: OnError;
}

/** A file that was read, with its own content. */
export interface ConfigSource {
  readonly path: string;
  readonly shown: string;
  readonly layer: Layer;
  readonly value: JsonObject;
}

export interface ReadConfig {
  /** The configured disciplines, in the order in which they speak. */
  readonly guards: readonly GuardConfig[];
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: readonly ConfigSource[];
  /** All layers as one, before it was judged. */
  readonly model: Model;
  /** What of it holds. */
  readonly valid: JsonObject;
}

export interface ReadConfigInput {
  readonly root: string;
  readonly home: string;
  readonly sections: readonly Section[];
}

/** The diagnostics travel in the compiled config; past this many, nobody reads on. */
const MAX_DIAGNOSTICS = 100;

/** Finds, parses, merges, judges and compiles the config of a project. Never throws for what files hold. */
export function readConfig(input: ReadConfigInput): ReadConfig {
  const vocabulary = vocabularyOf(input.sections);
  const found = findCandidates(input, input.sections);
  const diagnostics: Diagnostic[] = [];
  const sources: ConfigSource[] = [];
  const files = found.files.flatMap((file) => readFile(file, vocabulary, sources, diagnostics));
  const { model, diagnostics: doubles } = mergeFiles(files, input.sections);
  const validated = validate(model, vocabulary);
  diagnostics.push(...doubles, ...validated.diagnostics);
  const guards = GUARD_NAMES.flatMap((name) =>
    input.sections
      .filter((section) => section.guard === name)
      .flatMap((section) => compileSection(section, model, validated, diagnostics)),
  );
  const order = found.files.map((file) => file.shown);
  return {
    guards,
    diagnostics: inFileOrder(diagnostics, order).slice(0, MAX_DIAGNOSTICS),
    sources,
    model,
    valid: validated.valid,
  };
}

function readFile(
  file: Candidate,
  vocabulary: Vocabulary,
  sources: ConfigSource[],
  diagnostics: Diagnostic[],
): MountedFile[] {
  const loaded = loadText(file.path);
  if (loaded.kind === 'missing') return [];
  if (loaded.kind === 'refused') {
    const finding = { ...loaded.finding, switchesOff: wholeFile() };
    diagnostics.push(diagnose({ shown: file.shown, lines: [] }, FILE_START, finding));
    return [];
  }
  const text = { shown: file.shown, lines: loaded.text.split(/\r?\n/) };
  const settings = file.path.endsWith('.md') ? frontMatterOf(loaded.text) : loaded.text;
  const parsed = parseConfig(settings, file.seed?.file.yaml ?? '1.2');
  const off = parsed.ok ? {} : { switchesOff: wholeFile() };
  diagnostics.push(
    ...parsed.findings.map(({ span, finding }) => diagnose(text, span, { ...finding, ...off })),
  );
  if (!parsed.ok) return [];
  sources.push({ path: file.path, shown: file.shown, layer: file.layer, value: parsed.value });
  return [refuseSeedOnly(mountFile(file, text, parsed), vocabulary, diagnostics)];
}

/** The model has keys that only a seed's file may fill; in a file of ours they are unknown. */
function refuseSeedOnly(file: MountedFile, vocabulary: Vocabulary, diagnostics: Diagnostic[]): MountedFile {
  if (file.candidate.seed !== undefined) return file;
  const refused = Object.keys(file.value).filter((key) => vocabulary.seedOnly.has(key));
  for (const key of refused) {
    const origin = file.origins.get(pointerOf([key]));
    const finding = unknownKeyFinding([key], topKeys(vocabulary));
    if (origin) diagnostics.push(diagnose(origin.file, origin.key ?? origin.value, finding));
  }
  return withoutKeys(file, new Set(refused));
}

function compileSection(
  section: Section,
  model: Model,
  validated: Validated,
  diagnostics: Diagnostic[],
): GuardConfig[] {
  const { valid, cleaned, removed } = validated;
  const before = (pointer: string): string => pointerBefore(cleaned, removed, pointer);
  const context: CompileContext = {
    layers: layersOf(model, section),
    place: (pointer) => placeOf(model, before(pointer)),
    report(pointer, finding) {
      const diagnostic = diagnoseAt(model, before(pointer), 'key', finding);
      if (diagnostic) diagnostics.push(diagnostic);
    },
  };
  const own = Object.fromEntries(Object.entries(valid).filter(([key]) => Object.hasOwn(section.keys, key)));
  const config = section.compile(own, context);
  if (config === undefined) return [];
  return [{ name: section.guard, config, onError: onErrorOf(valid, section.guard) }];
}

function inFileOrder(diagnostics: readonly Diagnostic[], order: readonly string[]): Diagnostic[] {
  const rank = (diagnostic: Diagnostic): number => order.indexOf(diagnostic.place.file);
  return [...diagnostics].sort(
    (a, b) => rank(a) - rank(b) || a.place.line - b.place.line || a.place.column - b.place.column,
  );
}
