import { createHash } from 'node:crypto';
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SettingsTrouble } from '../../config/settings/parse';
import { detailOf, errorCode, fail, type Result, succeed } from '../../core/failure';
import { processState } from '../../exec/processes';
import type { Ground, Scope } from '../../hosts/setup';
import { discard, syncDirectory, TEMPORARY, writeTemporary } from '../../state/files';
import { placeOf } from '../../state/layout';
import { nearestThere } from '../project';
import type { FileChange } from './plan';

/** A file that is about to be changed. */
export interface FoundFile {
  /** Where it really is: a link is followed, never replaced. */
  readonly path: string;
  /** Absent where there is no file yet. */
  readonly text: string | undefined;
  readonly mode: number;
}

const NEW_FILE_MODE = 0o644;

/** Reads a file so that it can be written back byte for byte. What leads out of a project is left alone. */
export function readSettingsFile(file: string, scope: Scope, ground: Ground): Result<FoundFile, string> {
  try {
    const place = scope === 'user' ? followed(file) : placeInside(ground.project, file);
    if (!place.ok) return place;
    const path = place.value;
    if (!existsSync(path)) return succeed({ path, text: undefined, mode: NEW_FILE_MODE });
    const stats = statSync(path);
    if (!stats.isFile()) return fail(`${file} is not a regular file.`);
    const bytes = readFileSync(path);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(bytes))
      return fail(`${file} is not UTF-8 text. The file was left as it is.`);
    return succeed({ path, text, mode: stats.mode & 0o777 });
  } catch (error) {
    return fail(`${file} could not be read (${detailOf(error)}).`);
  }
}

/** Why a file may not be written, if it may not. A missing write bit is respected, even by root. */
export function whyNotWritable({ path, text, mode }: FoundFile): string | undefined {
  if (text !== undefined && (mode & 0o222) === 0)
    return `${path} is read-only. Make it writable, or put the entries in by hand: --dry-run shows them.`;
  try {
    accessSync(text === undefined ? nearestThere(dirname(path)) : path, constants.W_OK);
    if (text !== undefined) accessSync(dirname(path), constants.W_OK);
    return undefined;
  } catch (error) {
    return notWritten(path, error);
  }
}

/** Why a document is left alone, for people. */
export function settingsTrouble(file: string, trouble: SettingsTrouble): string {
  return `${troublePlace(file, trouble)}. The file was left as it is.`;
}

/** The same without its end, for who only looks. */
export function troublePlace(file: string, { line, column, text }: SettingsTrouble): string {
  return `${file}:${line}:${column}: ${text}`;
}

/**
 * Writes one file of a plan, whole or not at all, with the mode and the owner it had. A file that is no longer as it
 * was planned for is left alone.
 */
export function writeChange(
  change: Pick<FileChange, 'file' | 'scope' | 'before' | 'after' | 'record'>,
  ground: Ground,
): Result<undefined, string> {
  const { file, scope, before, after, record } = change;
  const found = readSettingsFile(file, scope, ground);
  if (!found.ok) return found;
  const { path, mode, text } = found.value;
  const changed = fail(
    `${file} was changed by somebody else at the same moment. Nothing of that was lost; run it again.`,
  );
  if (text !== before) return changed;
  // The first backup is the original; a later write does not touch it.
  const wanted = before === undefined ? undefined : record?.backup;
  const backup = wanted === undefined || existsSync(wanted) ? undefined : wanted;
  const isStillPlanned = (temporary: string): boolean => {
    if (text !== undefined) keepOwner(path, temporary);
    const now = readSettingsFile(file, scope, ground);
    return now.ok && now.value.text === before;
  };
  try {
    if (backup !== undefined) writeWhole(backup, before ?? '', mode);
    if (after === undefined) {
      unlinkSync(path);
      return succeed(undefined);
    }
    mkdirSync(dirname(path), { recursive: true });
    if (writeWhole(path, after, mode, isStillPlanned)) {
      syncDirectory(path);
      return succeed(undefined);
    }
    if (backup !== undefined) discard(backup);
    return changed;
  } catch (error) {
    if (backup !== undefined) discard(backup);
    return fail(notWritten(file, error));
  }
}

/**
 * Writes a file whole or not at all: beside it first, then in its place unless the last look says no. Without a mode it
 * is for the owner only. Tells whether it was written.
 */
export function writeWhole(
  file: string,
  text: string,
  mode?: number,
  isStillWanted: (temporary: string) => boolean = () => true,
): boolean {
  const temporary = writeTemporary(file, text, true, mode);
  try {
    if (isStillWanted(temporary)) {
      renameSync(temporary, file);
      return true;
    }
  } catch (error) {
    discard(temporary);
    throw error;
  }
  discard(temporary);
  return false;
}

/** Root must not become the owner of a file of another person. */
export function keepOwner(path: string, temporary: string): void {
  const [had, has] = [statSync(path), statSync(temporary)];
  if (had.uid !== has.uid || had.gid !== has.gid) chownSync(temporary, had.uid, had.gid);
}

/** What a look at the file system brings; `undefined` where it fails. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The text of a file; `undefined` where there is none, or none that can be read. */
export function textIn(file: string): string | undefined {
  return attempt(() => readFileSync(file, 'utf8'));
}

/** SHA-256 of a text's UTF-8 bytes, in hexadecimal. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** The directories that have to be made for a file, outer ones first. */
export function missingDirectories(file: string): readonly string[] {
  const directory = dirname(file);
  if (existsSync(directory) || dirname(directory) === directory) return [];
  return [...missingDirectories(directory), directory];
}

/** Removes directories that we made, as far as nothing is in them. Tells which are left. */
export function removeDirectories(directories: readonly string[]): readonly string[] {
  return [...directories].reverse().filter((directory) => {
    try {
      rmdirSync(directory);
      return false;
    } catch (error) {
      return errorCode(error) !== 'ENOENT';
    }
  });
}

/** Removes temporary files that killed installations left beside these files. */
export function removeLeftovers(files: readonly string[]): void {
  for (const file of files.map((each) => attempt(() => realpathSync.native(each)) ?? each)) {
    const start = `${basename(file)}.`;
    for (const name of attempt(() => readdirSync(dirname(file))) ?? []) {
      const writer = Number(name.slice(start.length).split('.')[0]);
      if (name.startsWith(start) && TEMPORARY.test(name) && processState(writer) === 'dead')
        discard(join(dirname(file), name));
    }
  }
}

function notWritten(file: string, error: unknown): string {
  return `${file} could not be written (${detailOf(error)}).`;
}

function placeInside(project: string, file: string): Result<string, string> {
  const place = placeOf(project, file);
  if (place.kind !== 'outward') return succeed(place.path);
  const where = `${file} leads out of the project, to ${place.target}.`;
  return fail(`${where} Nothing is written there; --user is for your own settings.`);
}

/** A person's own settings may be a link to wherever that person keeps them. */
function followed(file: string): Result<string, string> {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink) return succeed(file);
  return existsSync(file)
    ? succeed(realpathSync.native(file))
    : fail(`${file} is a link that leads nowhere.`);
}
