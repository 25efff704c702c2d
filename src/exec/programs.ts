import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { attempt } from '../core/failure';

/** The candidate paths of a program, in the order of PATH. Relative directories are ignored. */
export function programPaths(path: string, name: string): string[] {
  const dirs = path.split(delimiter).filter((dir) => isAbsolute(dir));
  return dirs.map((dir) => join(dir, name));
}

/** The absolute path of a program on a PATH. Absolute, since a host started from a desktop has a different PATH. */
export function findProgram(path: string, name: string): string | undefined {
  return programPaths(path, name).find(isProgram);
}

/** Whether a file can be executed. A directory may have the same permission bit, but is no program. */
export function isProgram(file: string): boolean {
  // Most candidates do not exist, and a thrown error costs more than this check.
  if (!existsSync(file)) return false;
  const isFile = (): boolean => {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  };
  return attempt(isFile) ?? false;
}
