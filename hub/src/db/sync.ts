import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Writes a file, or the names in a directory, to the disk. */
export function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
