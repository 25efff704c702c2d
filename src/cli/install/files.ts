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
import { attempt, detailOf, errorCode } from '../../core/failure';
import { processState } from '../../exec/processes';
import type { InstallTarget, Scope } from '../../hosts/setup';
import { placeOf } from '../../state/documents';
import { discard, syncDirectory, TEMPORARY, writeFileAtomic, writeTemporary } from '../../state/files';
import { cannotRun, Refusal } from '../context';
import { nearestExisting } from '../project';
import type { FileChange } from './plan';

export interface FoundFile {
  /** The resolved path: a symlink is followed, never replaced. */
  readonly path: string;
  readonly text: string | undefined;
  readonly mode: number;
}

/** Reads a file so that it can be written back byte for byte; refuses a symlink that leaves the project. */
export function readSettingsFile(file: string, scope: Scope, target: InstallTarget): FoundFile {
  try {
    const path = scope === 'user' ? followed(file) : placeInside(target.project, file);
    if (!existsSync(path)) return { path, text: undefined, mode: 0o644 };
    const stats = statSync(path);
    if (!stats.isFile()) throw cannotRun(`${file} is not a regular file.`);
    const bytes = readFileSync(path);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(bytes))
      throw cannotRun(`${file} is not UTF-8 text. It was not changed.`);
    return { path, text, mode: stats.mode & 0o777 };
  } catch (error) {
    throw error instanceof Refusal ? error : cannotRun(`${file} could not be read (${detailOf(error)}).`);
  }
}

function placeInside(project: string, file: string): string {
  const place = placeOf(project, file);
  if (place.kind !== 'outward') return place.path;
  const isInside = place.target.startsWith(`${project}/`);
  const link = `${file} is a ${isInside ? 'broken symlink' : 'symlink that leaves the project,'} to ${place.target}.`;
  throw cannotRun(`${link} Nothing was written; use --user for your own settings.`);
}

/** User settings may be a symlink to anywhere. */
function followed(file: string): string {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink) return file;
  if (!existsSync(file)) throw cannotRun(`${file} is a broken symlink.`);
  return realpathSync.native(file);
}

/** The reason, if a file may not be written. A missing write bit is respected, even by root. */
export function whyNotWritable({ path, text, mode }: FoundFile): string | undefined {
  if (text !== undefined && (mode & 0o222) === 0)
    return `${path} is read-only. Make it writable, or add the entries by hand: --dry-run shows them.`;
  try {
    accessSync(text === undefined ? nearestExisting(dirname(path)) : path, constants.W_OK);
    if (text !== undefined) accessSync(dirname(path), constants.W_OK);
    return undefined;
  } catch (error) {
    return notWritten(path, error);
  }
}

/** Where and what the problem is, without a full stop. */
export function troublePlace(file: string, { line, column, text }: SettingsTrouble): string {
  return `${file}:${line}:${column}: ${text}`;
}

export function unchangedRefusal(file: string, trouble: SettingsTrouble): Refusal {
  return cannotRun(`${troublePlace(file, trouble)}. The file was not changed.`);
}

/**
 * Writes one file of a plan atomically and keeps its mode and owner. Refuses if the file has changed since planning.
 */
export function writeChange(change: FileChange, target: InstallTarget): void {
  const { file, scope, before, after, record } = change;
  const { path, mode, text } = readSettingsFile(file, scope, target);
  const checkUnchanged = (now: string | undefined): void => {
    if (now === before) return;
    throw cannotRun(`${file} was changed by another program meanwhile. That change is kept; run this again.`);
  };
  checkUnchanged(text);
  // The first backup is the original; later writes do not touch it.
  const wanted = before === undefined ? undefined : record?.backup;
  const backup = wanted === undefined || existsSync(wanted) ? undefined : wanted;
  let temporary: string | undefined;
  try {
    if (backup !== undefined) writeFileAtomic(backup, before ?? '', { durable: true, mode });
    if (after === undefined) {
      unlinkSync(path);
      return;
    }
    mkdirSync(dirname(path), { recursive: true });
    temporary = writeTemporary(path, after, true, mode);
    if (text !== undefined) keepOwner(path, temporary);
    checkUnchanged(readSettingsFile(file, scope, target).text);
    renameSync(temporary, path);
    syncDirectory(path);
  } catch (error) {
    for (const left of [temporary, backup]) if (left !== undefined) discard(left);
    throw error instanceof Refusal ? error : cannotRun(notWritten(file, error));
  }
}

function notWritten(file: string, error: unknown): string {
  return `${file} could not be written (${detailOf(error)}).`;
}

/** If root runs this, the file must still belong to its former owner. */
export function keepOwner(path: string, temporary: string): void {
  const [had, has] = [statSync(path), statSync(temporary)];
  if (had.uid !== has.uid || had.gid !== has.gid) chownSync(temporary, had.uid, had.gid);
}

/** The directories that must be created for a file, outermost first. */
export function missingDirectories(file: string): readonly string[] {
  const directory = dirname(file);
  if (existsSync(directory) || dirname(directory) === directory) return [];
  return [...missingDirectories(directory), directory];
}

/** Removes the empty ones of these directories. Returns those that are left. */
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

/** Removes temporary files that killed installs left beside these files. */
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

/** Runs `act` on the resolved path of a project file, which need not exist. Refuses if it cannot be written. */
export function withResolvedPath<T>(root: string, path: string, act: (place: Inside) => T): T {
  try {
    const place = placeOf(root, join(root, path));
    if (place.kind !== 'outward') return act(place);
    throw cannotRun(`${path} was not written: a symlink leads outside the project, to ${place.target}`);
  } catch (error) {
    throw error instanceof Refusal ? error : cannotRun(`${path} could not be written: ${detailOf(error)}`);
  }
}

type Inside = Exclude<ReturnType<typeof placeOf>, { kind: 'outward' }>;
