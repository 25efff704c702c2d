import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

/** The directories that have to be made for a file, outer ones first. */
export function missingDirectories(file: string): readonly string[] {
  const directory = dirname(file);
  if (existsSync(directory) || dirname(directory) === directory) return [];
  return [...missingDirectories(directory), directory];
}
