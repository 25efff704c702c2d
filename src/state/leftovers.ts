import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../core/error-code';
import { TEMPORARY } from './nonce';

const OLD_MS = 60 * 60 * 1000;

/** Removes what killed processes left in a directory, once nobody can still be at work on it; tells what went. */
export function removeLeftovers(dir: string, now: number): readonly string[] {
  return namesIn(dir)
    .filter((name) => TEMPORARY.test(name))
    .map((name) => join(dir, name))
    .filter((file) => {
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (!stats?.isFile() || now - stats.mtimeMs < OLD_MS) return false;
      unlinkSync(file);
      return true;
    });
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
