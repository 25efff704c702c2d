import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { temporaryBeside } from '../../store/nonce';
import { discard } from '../../store/whole-file';

/**
 * Writes a program of ours, whole or not at all, unless it is there already. One that runs goes on: its file is
 * replaced, not written to.
 */
export function writeProgram(file: string, image: Uint8Array): void {
  if (existsSync(file) && readFileSync(file).equals(image)) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = temporaryBeside(file);
  try {
    writeFileSync(temporary, image, { mode: 0o755, flag: 'wx', flush: true });
    renameSync(temporary, file);
  } catch (error) {
    discard(temporary);
    throw error;
  }
}
