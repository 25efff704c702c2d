import { GUARD_NAMES, type GuardName } from '../core/guard-name';
import type { Json, JsonObject } from '../core/json';
import type { Diagnostic } from './diagnostics';
import { findCandidates } from './find';
import { loadText } from './load';
import { diagnoseAt, placeOf } from './locate';
import { layersOf, type Model, mergeFiles } from './merge';
import { isSwitchedOn, type OnError, onErrorOf } from './own-keys';
import { pointerBefore } from './prune';
import { readFile } from './read-file';
import { dropSameName } from './same-name';
import type { CompileContext, Section } from './section';
import type { Layer } from './source';
import { type Validated, validate } from './validate';
import { vocabularyOf } from './vocabulary';

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
  /** Told of each further file just before it is read. */
  onRead?(path: string): void;
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
  const { model, diagnostics: doubles } = mergeFiles(dropSameName(files, diagnostics), input.sections);
  const validated = validate(model, vocabulary);
  diagnostics.push(...doubles, ...validated.diagnostics);
  const mild = new Set(found.files.filter((file) => file.seed?.file.lenient).map((file) => file.shown));
  const guards = GUARD_NAMES.flatMap((name) =>
    input.sections
      .filter((section) => section.guard === name)
      .flatMap((section) => compileSection(section, { input, model, validated, diagnostics, mild })),
  );
  const order = found.files.map((file) => file.shown);
  return {
    guards,
    diagnostics: inFileOrder(soften(diagnostics, mild), order).slice(0, MAX_DIAGNOSTICS),
    sources,
    model,
    valid: validated.valid,
  };
}

interface Compiling {
  readonly input: ReadConfigInput;
  readonly model: Model;
  readonly validated: Validated;
  readonly diagnostics: Diagnostic[];
  /** The files, as they are shown, in which nothing is an error. */
  readonly mild: ReadonlySet<string>;
}

function compileSection(section: Section, compiling: Compiling): GuardConfig[] {
  const { input, model, validated, diagnostics, mild } = compiling;
  const { valid, cleaned, removed } = validated;
  const owns = (key: string): boolean => Object.hasOwn(section.keys, key);
  const before = (pointer: string): string => pointerBefore(cleaned, removed, pointer);
  const context: CompileContext = {
    root: input.root,
    layers: layersOf(model, section),
    switchedOn: section.guard !== 'requirements' || isSwitchedOn(valid),
    place: (pointer) => placeOf(model, before(pointer)),
    report(pointer, finding) {
      const diagnostic = diagnoseAt(model, before(pointer), 'key', finding);
      if (diagnostic) diagnostics.push(diagnostic);
    },
    errors: () =>
      soften(diagnostics, mild).filter(
        ({ severity, topKey }) => severity === 'error' && (topKey === undefined || owns(topKey)),
      ),
    read(path) {
      input.onRead?.(path);
      return loadText(path);
    },
  };
  const own = Object.fromEntries(Object.entries(valid).filter(([key]) => owns(key)));
  const config = section.compile(own, context);
  if (config === undefined) return [];
  return [{ name: section.guard, config, onError: onErrorOf(valid, section.guard) }];
}

function soften(diagnostics: readonly Diagnostic[], mild: ReadonlySet<string>): Diagnostic[] {
  return diagnostics.map((one) => (mild.has(one.place.file) ? { ...one, severity: 'warning' } : one));
}

function inFileOrder(diagnostics: readonly Diagnostic[], order: readonly string[]): Diagnostic[] {
  const rank = (diagnostic: Diagnostic): number => order.indexOf(diagnostic.place.file);
  return [...diagnostics].sort(
    (a, b) => rank(a) - rank(b) || a.place.line - b.place.line || a.place.column - b.place.column,
  );
}
