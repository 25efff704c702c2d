import { closeSync, fsyncSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../domain/error-code';
import { temporaryBeside } from './nonce';
import { inPrivateDirectory } from './private-directory';

/** Writes the text whole to a new file beside `file`, ready to be renamed over it. Leaves nothing when it throws. */
export function writeTemporary(file: string, text: string, durable: boolean): string {
  const temporary = temporaryBeside(file);
  const fd = inPrivateDirectory(file, () => openSync(temporary, 'wx', 0o600));
  let whole = false;
  try {
    writeFileSync(fd, text);
    if (durable) fsyncSync(fd);
    whole = true;
  } finally {
    closeSync(fd);
    if (!whole) discard(temporary);
  }
  return temporary;
}

/** Removes a temporary file; one that resists is a leftover and is found as such later. */
export function discard(temporary: string): void {
  try {
    unlinkSync(temporary);
  } catch {
    // The failure that brought us here is the one to tell of.
  }
}

/** Makes a rename survive a power cut, where the file system has directories that can be synced. */
export function syncDirectory(file: string): void {
  try {
    const fd = openSync(dirname(file), 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EISDIR'].includes(errorCode(error))) throw error;
  }
}
