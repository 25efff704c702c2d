import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newNonce } from '../../store/nonce';

/** Of copies that are not needed any more, one stays: a process may still be reading it. */
const KEPT = 2;

/**
 * Copies the hook's files below the home, for the day on which the package is gone. The name tells the content,
 * so a copy that is there is whole. Tells the name.
 */
export function copyHook(dist: string, library: string, version: string): string {
  const files = readdirSync(dist)
    .filter((name) => name.endsWith('.cjs'))
    .sort();
  const name = `${version}-${digestOf(dist, files)}`;
  if (!existsSync(join(library, name))) {
    const temporary = join(library, `.${newNonce()}`);
    mkdirSync(temporary, { recursive: true });
    for (const file of files) copyFileSync(join(dist, file), join(temporary, file));
    moveInto(temporary, join(library, name));
  }
  return name;
}

/** Removes older copies, but for the one that was in use before this. */
export function forgetCopies(library: string, used: readonly string[]): void {
  const keep = used.slice(0, KEPT);
  for (const name of existsSync(library) ? readdirSync(library) : []) {
    if (!keep.includes(name)) rmSync(join(library, name), { recursive: true, force: true });
  }
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
