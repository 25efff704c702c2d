import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { discard, temporaryBeside } from '../../state/write-file';
import type { StartFile } from './plan';

/**
 * Writes a program of ours, whole or not at all, unless it is there already. One that runs goes on: its file is
 * replaced, not written to. Tells what it wrote.
 */
export function writeProgram(file: string, image: Uint8Array): readonly StartFile[] {
  const isThere = existsSync(file);
  if (isThere && readFileSync(file).equals(image)) return [];
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = temporaryBeside(file);
  try {
    writeFileSync(temporary, image, { mode: 0o755, flag: 'wx', flush: true });
    renameSync(temporary, file);
  } catch (error) {
    discard(temporary);
    throw error;
  }
  return [{ file, action: isThere ? 'changed' : 'created' }];
}
