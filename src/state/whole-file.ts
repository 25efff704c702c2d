import { closeSync, fchmodSync, fsyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../core/error-code';
import { temporaryBeside } from './nonce';
import { inPrivateDirectory } from './private-directory';

/**
 * Writes the text whole to a new file beside `file`, ready to be renamed over it. Leaves nothing when it
 * throws. Without a mode it is for the owner only.
 */
export function writeTemporary(file: string, text: string, durable: boolean, mode?: number): string {
  const temporary = temporaryBeside(file);
  inPrivateDirectory(file, () => writeNew(temporary, text, durable, mode));
  return temporary;
}

/** Writes a file that must not be there yet. Leaves nothing when it throws. Without a mode it is for the owner only. */
export function writeNew(file: string, text: string, durable: boolean, mode?: number): void {
  const fd = openSync(file, 'wx', 0o600);
  let whole = false;
  try {
    writeText(fd, text);
    if (mode !== undefined) fchmodSync(fd, mode & 0o777);
    if (durable) fsyncSync(fd);
    whole = true;
  } finally {
    closeSync(fd);
    if (!whole) discard(file);
  }
}

/** All of a text to an open file. One write is nearly always enough, and costs a tenth of `writeFileSync`. */
export function writeText(fd: number, text: string): void {
  // Bytes tell how many they are; of a text only `Buffer.byteLength` does, which no event uses otherwise.
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
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
