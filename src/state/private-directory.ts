import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../core/error-code';

/** Runs what creates `file`, making its directory (for the owner only) when that is what is missing. */
export function inPrivateDirectory<T>(file: string, create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return create();
}
