import { isAbsolute, resolve } from 'node:path';
import type { Json } from '../core/json';

/**
 * The texts among `found` as absolute paths, each once. A relative path without a known
 * directory is dropped: our own process may stand anywhere.
 */
export function absolutePaths(cwd: string, found: readonly (Json | undefined)[]): string[] {
  const paths = new Set<string>();
  for (const path of found) {
    if (typeof path !== 'string' || path === '') continue;
    if (isAbsolute(path)) paths.add(resolve(path));
    else if (isAbsolute(cwd)) paths.add(resolve(cwd, path));
  }
  return [...paths];
}
