import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newNonce } from '../../state/write-file';

/** Of copies that are not needed any more, one stays: a process may still be reading it. */
const KEPT = 2;

/** The name of the copy of these very files. It tells the content, so a copy that is there is whole. */
export function copyName(dist: string, version: string): string {
  return `${version}-${digestOf(dist, filesOf(dist))}`;
}

/** Copies the hook's files below the home, for the day on which the package is gone. */
export function copyHook(dist: string, library: string, name: string): void {
  const temporary = join(library, `.${newNonce()}`);
  mkdirSync(temporary, { recursive: true });
  for (const file of filesOf(dist)) copyFileSync(join(dist, file), join(temporary, file));
  moveInto(temporary, join(library, name));
}

/** Removes older copies, but for the one that was in use before this. */
export function forgetCopies(library: string, used: readonly string[]): void {
  const keep = used.slice(0, KEPT);
  for (const name of existsSync(library) ? readdirSync(library) : []) {
    if (!keep.includes(name)) rmSync(join(library, name), { recursive: true, force: true });
  }
}

function filesOf(dist: string): readonly string[] {
  return readdirSync(dist)
    .filter((name) => name.endsWith('.cjs'))
    .sort();
}

/** Somebody who was faster has made the same. */
function moveInto(temporary: string, place: string): void {
  try {
    renameSync(temporary, place);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
}

function digestOf(dist: string, files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(dist, file)));
  return hash.digest('hex').slice(0, 16);
}
