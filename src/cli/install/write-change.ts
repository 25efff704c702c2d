import { chownSync, existsSync, mkdirSync, renameSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../../core/error-code';
import { detailOf, fail, type Result, succeed } from '../../core/failure';
import type { Ground } from '../../hosts/setup';
import { discard, syncDirectory, writeTemporary } from '../../state/write-file';
import * as say from './messages';
import type { FileChange } from './plan';
import { type FoundFile, readSettingsFile } from './settings-file';
import { writeWhole } from './write-whole';

/**
 * Writes one file of a plan, whole or not at all: beside it first, then in its place, with the mode and the owner
 * it had. A file that is no longer as it was planned for is left alone.
 */
export function writeChange(change: FileChange, ground: Ground): Result<undefined, string> {
  const { file, before, after, record } = change;
  const found = readSettingsFile(file, change.scope, ground);
  if (!found.ok) return found;
  if (found.value.text !== before) return fail(say.changedMeanwhile(file));
  let made: string | undefined;
  try {
    if (record?.backup !== undefined && before !== undefined)
      made = keepBackup(record.backup, before, found.value.mode);
    if (after === undefined) {
      unlinkSync(found.value.path);
      return succeed(undefined);
    }
    const replaced = replace(change, found.value, after, ground);
    if (!replaced.ok && made !== undefined) discard(made);
    return replaced;
  } catch (error) {
    if (made !== undefined) discard(made);
    return fail(say.notWritten(file, detailOf(error)));
  }
}

/** Takes away directories that we made, as far as nothing is in them. Tells which are left. */
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

/** The first backup is the original; a later write does not touch it. Tells what was made. */
function keepBackup(backup: string, text: string, mode: number): string | undefined {
  if (existsSync(backup)) return undefined;
  writeWhole(backup, text, mode);
  return backup;
}

function replace(
  { file, scope, before }: FileChange,
  { path, mode, text }: FoundFile,
  after: string,
  ground: Ground,
): Result<undefined, string> {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = writeTemporary(path, after, true, mode);
  try {
    if (text !== undefined) keepOwner(path, temporary);
    const now = readSettingsFile(file, scope, ground);
    if (!now.ok || now.value.text !== before) {
      discard(temporary);
      return fail(say.changedMeanwhile(file));
    }
    renameSync(temporary, path);
  } catch (error) {
    discard(temporary);
    throw error;
  }
  syncDirectory(path);
  return succeed(undefined);
}

/** Somebody who may do everything must not make a file of another person his own. */
export function keepOwner(path: string, temporary: string): void {
  const [had, has] = [statSync(path), statSync(temporary)];
  if (had.uid !== has.uid || had.gid !== has.gid) chownSync(temporary, had.uid, had.gid);
}
