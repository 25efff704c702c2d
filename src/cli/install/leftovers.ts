import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { processState } from '../../exec/processes';
import { discard, TEMPORARY } from '../../state/write-file';

/** Removes what killed installations left beside these files: they lie in directories that git and people look at. */
export function removeLeftovers(files: readonly string[]): void {
  for (const file of files.map(realPath)) {
    const start = `${basename(file)}.`;
    for (const name of namesIn(dirname(file))) {
      const writer = Number(name.slice(start.length).split('.')[0]);
      if (name.startsWith(start) && TEMPORARY.test(name) && processState(writer) === 'dead')
        discard(join(dirname(file), name));
    }
  }
}

function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file;
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
