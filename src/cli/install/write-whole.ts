import { renameSync } from 'node:fs';
import { discard, writeTemporary } from '../../state/write-file';

/** Writes a file of ours, whole or not at all; nothing is left where that fails. Without a mode it is for the owner only. */
export function writeWhole(file: string, text: string, mode?: number): void {
  const temporary = writeTemporary(file, text, true, mode);
  try {
    renameSync(temporary, file);
  } catch (error) {
    discard(temporary);
    throw error;
  }
}
