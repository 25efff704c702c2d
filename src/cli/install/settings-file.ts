import { accessSync, constants, existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { detailOf, fail, type Result, succeed } from '../../core/failure';
import type { Ground, Scope } from '../../hosts/setup';
import { placeOf } from '../../state/place';
import * as say from './messages';

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
    const path = scope === 'user' ? followed(file) : placeInside(ground.project, file);
    if (!path.ok) return path;
    if (!existsSync(path.value)) return succeed({ path: path.value, text: undefined, mode: NEW_FILE_MODE });
    const stats = statSync(path.value);
    if (!stats.isFile()) return fail(say.notAFile(file));
    const bytes = readFileSync(path.value);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(bytes)) return fail(say.notUtf8(file));
    return succeed({ path: path.value, text, mode: stats.mode & 0o777 });
  } catch (error) {
    return fail(say.notRead(file, detailOf(error)));
  }
}

/** Why a file may not be written, if it may not. Nobody's write bit is a wish, even to somebody who may do all. */
export function writeHindrance({ path, text, mode }: FoundFile): string | undefined {
  const place = text === undefined ? nearestDirectory(dirname(path)) : path;
  if (text !== undefined && (mode & 0o222) === 0) return say.readOnly(path);
  try {
    accessSync(place, constants.W_OK);
    if (text !== undefined) accessSync(dirname(path), constants.W_OK);
    return undefined;
  } catch (error) {
    return say.notWritten(path, detailOf(error));
  }
}

/** The nearest directory above that is there. */
function nearestDirectory(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestDirectory(dirname(path));
}

function placeInside(project: string, file: string): Result<string, string> {
  const place = placeOf(project, file);
  return place.kind === 'outward' ? fail(say.leadsOut(file, place.target)) : succeed(place.path);
}

/** A person's own settings may be a link to wherever that person keeps them. */
function followed(file: string): Result<string, string> {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats?.isSymbolicLink()) return succeed(file);
  return existsSync(file) ? succeed(realpathSync.native(file)) : fail(say.leadsNowhere(file));
}
