import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type EditTrouble, setSection, setValue, wrapList } from '../../config/edit-yaml';
import { loadText } from '../../config/files';
import { parseConfig } from '../../config/parse';
import { showPath, valueAt as valueIn } from '../../config/pointer';
import { detailOf, fail, type Result, succeed } from '../../core/failure';
import { isJsonObject, type Json } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { type Layout, placeOf } from '../../state/documents';
import { writeFileAtomic } from '../../state/files';
import { cannotRun, Refusal } from '../context';
import { type ReqOptions, underLock } from './context';

/** A config file; a symlink must not lead out of `base`. */
export interface ConfigFile {
  readonly base: string;
  /** Relative to the base, with forward slashes; shown to people. */
  readonly path: string;
  /** Our own files are YAML 1.2; requirements-only files are read as 1.1. */
  readonly yaml: '1.1' | '1.2';
}

export const LOCAL_LEGACY_FILE = '.claude/requirements.local.yaml';
export const PROJECT_LEGACY_FILE = '.claude/requirements.yaml';
const OWN = {
  global: '.config/holdpoint/config.yaml',
  project: '.holdpoint/config.yaml',
  local: '.holdpoint/config.local.yaml',
} as const;

/** A requirements-only file, as the older program used it. */
export function legacyFileIn(base: string, path: string): ConfigFile {
  return { base, path, yaml: '1.1' };
}

function ownFile(layer: keyof typeof OWN, base: string): ConfigFile {
  return { base, path: OWN[layer], yaml: '1.2' };
}

export function pathOf({ base, path }: ConfigFile): string {
  return join(base, path);
}

export function isThere(file: ConfigFile): boolean {
  return loadText(pathOf(file)).kind !== 'missing';
}

export function valueAt(file: ConfigFile, path: readonly string[]): Json | undefined {
  const loaded = loadText(pathOf(file));
  return loaded.kind === 'text'
    ? valueIn(parseConfig(loaded.text, file.yaml).value ?? null, path)
    : undefined;
}

/** Our own file of a layer, if it has requirements. */
export function ownRequirements(layer: keyof typeof OWN, base: string): ConfigFile | undefined {
  const own = ownFile(layer, base);
  return valueAt(own, ['requirements']) === undefined ? undefined : own;
}

/**
 * The file of a layer to write requirements to. Two files of one layer must not define the same key, and a project
 * that has only our own files does not get another kind.
 */
export function requirementsFile(layer: 'project' | 'local', root: string): ConfigFile {
  const legacy = legacyFileIn(root, layer === 'project' ? PROJECT_LEGACY_FILE : LOCAL_LEGACY_FILE);
  return ownRequirements(layer, root) ?? (hasOnlyOurs(root) ? ownFile(layer, root) : legacy);
}

const SWITCH = ['guards', 'requirements', 'enabled'];

/** Where to turn all requirements on or off: the local file that already does so, or that should. */
export function enabledSwitchPlace(root: string): {
  readonly file: ConfigFile;
  readonly path: readonly string[];
} {
  const own = ownFile('local', root);
  if (valueAt(own, SWITCH) !== undefined || hasOnlyOurs(root)) return { file: own, path: SWITCH };
  return { file: legacyFileIn(root, LOCAL_LEGACY_FILE), path: ['enabled'] };
}

function hasOnlyOurs(root: string): boolean {
  return (
    [ownFile('project', root), ownFile('local', root)].some(isThere) &&
    ![PROJECT_LEGACY_FILE, LOCAL_LEGACY_FILE].some((path) => isThere(legacyFileIn(root, path)))
  );
}

/** Replaces the whole file and keeps its mode. Returns its resolved path. */
export function writeConfigFile(file: ConfigFile, text: string): Result<string> {
  const shown = pathOf(file);
  try {
    const place = placeOf(file.base, shown);
    if (place.kind === 'outward') return fail({ code: 'state.outside', file: shown, target: place.target });
    const { path } = place;
    if (place.kind === 'found' && !place.stats.isFile()) throw new Error('it is not a regular file');
    // Created here, because the state store makes directories private and this one is shared.
    mkdirSync(dirname(path), { recursive: true });
    writeFileAtomic(path, text, { durable: true, mode: place.kind === 'found' ? place.stats.mode : 0o644 });
    return succeed(path);
  } catch (error) {
    return fail({ code: 'state.write-failed', file: shown, detail: detailOf(error) });
  }
}

export function layerOption(command: string, { project, local }: ReqOptions) {
  if (project && local) throw cannotRun(`req ${command}: --project and --local cannot be combined.`);
  return project ? 'project' : local ? 'local' : undefined;
}

/** Prefix of every message about a config file that was not written. */
export const NOTHING_WRITTEN = 'Nothing was written';
export const CANCELLED = 'Cancelled; nothing was written.';

/** Like `writeConfigFile`, but throws a `Refusal` on failure. */
export function writeOrRefuse(file: ConfigFile, text: string): string {
  const written = writeConfigFile(file, text);
  if (!written.ok) throw new Refusal(`${NOTHING_WRITTEN}: ${sentenceOf(written.failure)}`);
  return written.value;
}

/** A value to set at a path of keys. */
export interface Edit {
  readonly path: readonly string[];
  readonly value: Json;
  /** If the first key has a list, it becomes a mapping that has the list under this key. */
  readonly listAs?: string;
}

/** Applies the edits to the current file under the project's lock. Returns its resolved path. */
export function editConfig(layout: Layout, file: ConfigFile, edits: readonly Edit[]): string {
  return underLock(layout, NOTHING_WRITTEN, () => writeOrRefuse(file, editedText(file, edits)));
}

export function editedText(file: ConfigFile, edits: readonly Edit[]): string {
  const loaded = loadText(pathOf(file));
  if (loaded.kind === 'refused')
    throw new Refusal(`${NOTHING_WRITTEN}: ${file.path}: ${loaded.finding.message}`);
  // Read again: `loadText` strips the byte order mark, which must stay in the file.
  let text = loaded.kind === 'text' ? readFileSync(pathOf(file), 'utf8') : '';
  for (const { path, value, listAs } of edits) {
    const [key = ''] = path;
    if (listAs !== undefined) text = wrapList(text, key, listAs) ?? text;
    const result =
      path.length === 1 && isJsonObject(value)
        ? setSection(text, key, value, file.yaml)
        : setValue(text, path, value, file.yaml);
    if (!result.ok) throw new Refusal(`${NOTHING_WRITTEN}: ${file.path}${editTrouble(result.failure)}`);
    text = result.value;
  }
  return text;
}

function editTrouble(trouble: EditTrouble): string {
  if (trouble.kind === 'broken') return `:${trouble.line}: ${trouble.why}. Fix that first.`;
  const key = `\`${showPath(trouble.path)}\``;
  return trouble.kind === 'not-a-mapping'
    ? `: ${key} is not a mapping, so nothing can be set in it. Fix that first.`
    : ` has no place for ${key}; set it by hand.`;
}
