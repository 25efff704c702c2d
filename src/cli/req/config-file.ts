import { chmodSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadText } from '../../config/load';
import { parseConfig } from '../../config/parse';
import { detailOf, type Failure, fail, type Result, succeed } from '../../domain/failure';
import { type Place, placeOf } from '../../store/place';
import { discard, syncDirectory, writeTemporary } from '../../store/whole-file';

/** A config file below a directory that it must not lead out of. */
export interface ConfigFile {
  readonly base: string;
  /** Relative to the base, with forward slashes; this is how it is shown. */
  readonly path: string;
  readonly yaml: '1.1' | '1.2';
}

export const LOCAL_SEED = '.claude/requirements.local.yaml';
export const PROJECT_SEED = '.claude/requirements.yaml';
const OWN = { project: '.holdpoint/config.yaml', local: '.holdpoint/config.local.yaml' } as const;

export function seedFileIn(base: string, path: string): ConfigFile {
  return { base, path, yaml: '1.1' };
}

/** Our own file of a layer, where it speaks of requirements. */
export function ownRequirements(layer: 'project' | 'local', root: string): ConfigFile | undefined {
  const own: ConfigFile = { base: root, path: OWN[layer], yaml: '1.2' };
  const loaded = loadText(pathOf(own));
  if (loaded.kind !== 'text') return undefined;
  return Object.hasOwn(parseConfig(loaded.text, own.yaml).value, 'requirements') ? own : undefined;
}

/** The file of a layer in which requirements are written: two files of one layer must not define the same key. */
export function requirementsFile(layer: 'project' | 'local', root: string): ConfigFile {
  return ownRequirements(layer, root) ?? seedFileIn(root, layer === 'project' ? PROJECT_SEED : LOCAL_SEED);
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
