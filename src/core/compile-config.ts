import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Diagnostic, formatDiagnostic, wholeFile } from '../config/diagnostics';
import { findCandidates } from '../config/files';
import { configJsonSchema } from '../config/json-schema';
import { placeOf } from '../config/merge';
import { pointerOf, valueAt } from '../config/pointer';
import { type ReadConfig, readConfig } from '../config/read-config';
import { SECTIONS } from '../guards/guard-table';
import type { Chunks } from './chunks';
import { isJsonObject, type Json, type JsonObject, objectIn } from './json';
import {
  type CacheHead,
  type CompiledConfig,
  type CompiledGuard,
  type Disabled,
  type Project,
  stampOf,
  writeCache,
} from './project';

export interface CompiledFiles extends ReadConfig {
  /** The diagnostics as people read them. */
  readonly problems: readonly string[];
  /** What each candidate was like before it was read. */
  readonly stamps: readonly (readonly [file: string, stamp: string])[];
  /** Keys of the model that nobody writes as such: each holds what only an older program's file can say. */
  readonly seedOnly: readonly string[];
}

/** Reads and compiles the config of all disciplines. */
export function compileConfig(projectRoot: string, home: string): CompiledFiles {
  // What lies in the home is the person's own, even where the home is a repository: nothing in it is a project's.
  const root = projectRoot === home ? join(home, '.git') : projectRoot;
  // Stamped first: an edit between stamp and reading costs one more compilation, the other way round it is lost.
  const { files, directories } = findCandidates({ root, home }, SECTIONS);
  const places = [...directories, ...files.map((file) => file.path)].map((path) => firstAbsent(path, root));
  const stamps = [...new Set(places)].map((file) => [file, stampOf(file)] as const);
  const onRead = (file: string): void => void stamps.push([file, stampOf(file)]);
  const read = readConfig({ root, home, sections: SECTIONS, onRead });
  const seedOnly = SECTIONS.flatMap((section) => section.seedOnly);
  return { ...read, stamps, seedOnly, problems: read.diagnostics.map(formatDiagnostic) };
}

/**
 * Where a whole directory of the project is missing, that it stays missing is all there is to look at.
 * In the home we make directories ourselves, which must not look like a change.
 */
function firstAbsent(path: string, root: string): string {
  const parent = dirname(path);
  const isBelow = parent.startsWith(`${root}/`);
  return isBelow && !existsSync(parent) ? firstAbsent(parent, root) : path;
}

/** The JSON Schema of our own config files, for editors. */
export function printableSchema(): JsonObject {
  return configJsonSchema(SECTIONS);
}

/** Compiles a project's config and keeps it for the next event. */
export function compileProject(project: Project, chunks: Chunks): CompiledConfig {
  const { head, configs } = compile(project, chunks);
  writeCache(project, head, configs);
  return opened(head, configs);
}

/** Compiles a project's config without leaving anything behind. */
export function compileOnly(project: Project, chunks: Chunks): CompiledConfig {
  const { head, configs } = compile(project, chunks);
  return opened(head, configs);
}

function opened(head: CacheHead, configs: readonly Json[]): CompiledConfig {
  return { head, configOf: (index) => configs[index] ?? null };
}

function compile(project: Project, chunks: Chunks): { head: CacheHead; configs: readonly Json[] } {
  const { root, home } = project;
  const compiled = compileConfig(root, home);
  const guards = compiled.guards.map(({ name, config, onError }): CompiledGuard => {
    const byHand = name === 'loop' || (isJsonObject(config) && config['byHand'] === true);
    return { name, interests: chunks.guard(name).interest(config), onError, ...(byHand && { byHand }) };
  });
  const { stamps, problems } = compiled;
  const unread = compiled.diagnostics
    .filter(({ severity, switchesOff }) => severity === 'error' && switchesOff === wholeFile())
    .map(placeText);
  const disabled = disabledIn(compiled);
  const head: CacheHead = {
    version: __VERSION__,
    root,
    home,
    stamps,
    guards,
    problems,
    unread,
    ...(disabled.length > 0 && { disabled }),
  };
  return { head, configs: compiled.guards.map((guard): Json => guard.config) };
}

function disabledIn({ model, valid }: ReadConfig): Disabled[] {
  const rules = Object.keys(objectIn(valid, 'requirements'));
  const switches: [kind: Disabled['kind'], name: string, path: string[]][] = [
    ...rules.map((name): [Disabled['kind'], string, string[]] => ['rule', name, ['requirements', name]]),
    ['requirements', '', ['guards', 'requirements']],
    ['requirements', '', ['requirements.yaml']],
    ['gates', '', ['gates', 'stop_hook']],
  ];
  return switches.flatMap(([kind, name, above]) => {
    const path = [...above, 'enabled'];
    if (valueAt(valid, path) !== false) return [];
    const says = (value: boolean) => model.files.filter((file) => valueAt(file.value, path) === value);
    const locally =
      says(false).at(-1)?.layer === 'local' && says(true).some(({ layer }) => layer !== 'local');
    const place = placeOf(model, pointerOf(path))?.replace(/:\d+$/, '') ?? '';
    return [{ kind, name, place, locally }];
  });
}

function placeText({ place }: Diagnostic): string {
  return `${place.file}:${place.line}:${place.column}`;
}
