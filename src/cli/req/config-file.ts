import { chmodSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadText } from '../../config/load';
import { parseConfig } from '../../config/parse';
import { childOf } from '../../config/prune';
import { detailOf, type Failure, fail, type Result, succeed } from '../../core/failure';
import type { Json } from '../../core/json';
import { type Place, placeOf } from '../../state/place';
import { discard, syncDirectory, writeTemporary } from '../../state/write-file';

/** A config file below a directory that it must not lead out of. */
export interface ConfigFile {
  readonly base: string;
  /** Relative to the base, with forward slashes; this is how it is shown. */
  readonly path: string;
  readonly yaml: '1.1' | '1.2';
}

export const LOCAL_SEED = '.claude/requirements.local.yaml';
export const PROJECT_SEED = '.claude/requirements.yaml';
const OWN = {
  global: '.config/holdpoint/config.yaml',
  project: '.holdpoint/config.yaml',
  local: '.holdpoint/config.local.yaml',
} as const;

type Layer = keyof typeof OWN;

export function seedFileIn(base: string, path: string): ConfigFile {
  return { base, path, yaml: '1.1' };
}

/** Whether it may hold more than requirements. */
export function isOurs({ path }: ConfigFile): boolean {
  return Object.values<string>(OWN).includes(path);
}

export function isThere(file: ConfigFile): boolean {
  return loadText(pathOf(file)).kind !== 'missing';
}

/** Our own file of a layer, where it speaks of requirements. */
export function ownRequirements(layer: Layer, base: string): ConfigFile | undefined {
  const own = ownFile(layer, base);
  return valueAt(own, ['requirements']) === undefined ? undefined : own;
}

/**
 * The file of a layer in which requirements are written: two files of one layer must not define the same
 * key, and a project that has only files of ours gets no other.
 */
export function requirementsFile(layer: 'project' | 'local', root: string): ConfigFile {
  const seed = seedFileIn(root, layer === 'project' ? PROJECT_SEED : LOCAL_SEED);
  return ownRequirements(layer, root) ?? (hasOnlyOurs(root) ? ownFile(layer, root) : seed);
}

const SWITCH = ['guards', 'requirements', 'enabled'];

/** Where all requirements are switched on and off: the local file that does so already, or that would. */
export function switchPlace(root: string): { readonly file: ConfigFile; readonly path: readonly string[] } {
  const own = ownFile('local', root);
  if (valueAt(own, SWITCH) !== undefined || hasOnlyOurs(root)) return { file: own, path: SWITCH };
  return { file: seedFileIn(root, LOCAL_SEED), path: ['enabled'] };
}

function ownFile(layer: Layer, base: string): ConfigFile {
  return { base, path: OWN[layer], yaml: '1.2' };
}

function hasOnlyOurs(root: string): boolean {
  return (
    [ownFile('project', root), ownFile('local', root)].some(isThere) &&
    ![PROJECT_SEED, LOCAL_SEED].some((path) => isThere(seedFileIn(root, path)))
  );
}

export function valueAt(file: ConfigFile, path: readonly string[]): Json | undefined {
  const loaded = loadText(pathOf(file));
  if (loaded.kind !== 'text') return undefined;
  const { value } = parseConfig(loaded.text, file.yaml);
  return path.reduce<Json | undefined>((at, key) => childOf(at, key), value);
}

export function pathOf({ base, path }: ConfigFile): string {
  return join(base, path);
}

const NEW_FILE_MODE = 0o644;

/** Puts a config file in place whole, with the mode that it had; tells where it really lies. */
export function writeConfigFile(file: ConfigFile, text: string): Result<string> {
  const shown = pathOf(file);
  let temporary: string | undefined;
  try {
    const place = placeOf(file.base, shown);
    const hindrance = hindranceOf(shown, place);
    if (hindrance !== undefined) return fail(hindrance);
    const path = place.kind === 'outward' ? shown : place.path;
    // Made here, because what the store makes is for the owner alone and this is to be shared.
    mkdirSync(dirname(path), { recursive: true });
    temporary = writeTemporary(path, text, true);
    chmodSync(temporary, place.kind === 'found' ? place.stats.mode & 0o777 : NEW_FILE_MODE);
    renameSync(temporary, path);
    temporary = undefined;
    syncDirectory(path);
    return succeed(path);
  } catch (error) {
    return fail({ code: 'state.write-failed', file: shown, detail: detailOf(error) });
  } finally {
    if (temporary !== undefined) discard(temporary);
  }
}

function hindranceOf(file: string, place: Place): Failure | undefined {
  if (place.kind === 'outward') return { code: 'state.outside', file, target: place.target };
  if (place.kind === 'found' && !place.stats.isFile())
    return { code: 'state.write-failed', file, detail: 'it is not a regular file' };
  return undefined;
}
