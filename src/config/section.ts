import type { GenericSchema, InferOutput } from 'valibot';
import type { GuardName } from '../core/guard-name';
import type { Json, JsonObject } from '../core/json';
import type { Diagnostic, Finding } from './diagnostics';
import type { Loaded } from './load';
import type { Layer } from './source';

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
  /** False for a file that only adds words to what others configure: it makes no layer speak. */
  readonly configures?: boolean;
  /** Where the file is one thing in the model: its name is known there even if it is empty or broken. */
  whole?(name: string): readonly string[];
  /** Of a Markdown file: the key that holds what stands below its head. */
  readonly body?: string;
  /** What is wrong in it is only warned of: it is a person's own, and no project shall suffer from it. */
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
  /** A further text that belongs to the config; when it changes, all is compiled anew. */
  read(path: string): Loaded;
}

/** One discipline's part of the config. Patterns are pointers in which `*` is any one key. */
export interface Section {
  readonly guard: GuardName;
  /** The top-level keys of the model that it owns. Their schemas must put out plain JSON. */
  readonly keys: Readonly<Record<string, GenericSchema>>;
  /** Those of its keys that only seed files can fill. */
  readonly seedOnly: readonly string[];
  readonly files: readonly SeedFile[];
  /** The smallest things that an error inside switches off; elsewhere it is the key itself. */
  readonly units: readonly string[];
  /** Keys that are accepted with a warning because nothing reads them. */
  readonly tolerated: readonly string[];
  /** Mappings in which users keep keys of their own: only a near miss is reported. */
  readonly freeForm: readonly string[];
  /** `undefined`: this discipline is not configured. */
  compile(valid: JsonObject, context: CompileContext): Json | undefined;
}

type Valid<Keys extends Section['keys']> = { readonly [K in keyof Keys]?: InferOutput<Keys[K]> };

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
