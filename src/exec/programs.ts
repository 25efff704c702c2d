import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Where programs of this name may stand, in the order of a PATH. Directories that depend on where we stand do not count. */
export function placesOn(path: string, name: string): string[] {
  const dirs = path.split(delimiter).filter((dir) => isAbsolute(dir));
  return dirs.map((dir) => join(dir, name));
}

/** The absolute path of a program: a host that was started from a desktop has another PATH. */
export function programOn(path: string, name: string): string | undefined {
  return placesOn(path, name).find(isProgram);
}

/** A directory can be entered, but not run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
