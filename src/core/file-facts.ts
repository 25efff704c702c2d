import { closeSync, constants, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, resolve, sep } from 'node:path';
import { textOf } from '../exec/text-of';
import { detailOf } from './failure';
import { markOf } from './file-mark';
import type { FileAsk, FileFact } from './snapshot';

/** Reads what a guard wants to know of a file, and never more of its text than it asked for. */
export function readFileFact(root: string, ask: FileAsk): FileFact {
  const file = isAbsolute(ask.path) ? ask.path : resolve(root, ask.path);
  try {
    // Most of what is asked for is not there, and to see that costs less than to look closely.
    if (!existsSync(file) && existsSync(dirname(file))) return { kind: 'missing' };
    const mark = ask.markOnly === true ? markOf(file) : undefined;
    if (mark !== undefined) return { kind: 'marked', mark };
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return { kind: 'missing' };
    if (ask.within !== undefined && !liesBelow(ask.within, file)) {
      return { kind: 'unreadable', why: `is reached by a link that leaves ${ask.within}` };
    }
    if (stat.isDirectory()) return { kind: 'directory', mtimeMs: stat.mtimeMs };
    if (!stat.isFile()) return { kind: 'unreadable', why: 'is not a plain file' };
    const fact = { kind: 'file', size: stat.size, mtimeMs: stat.mtimeMs } as const;
    if (ask.maxTextBytes === undefined) return fact;
    return { ...fact, text: readStart(file, Math.min(stat.size, ask.maxTextBytes)) };
  } catch (error) {
    return { kind: 'unreadable', why: detailOf(error) };
  }
}

function liesBelow(dir: string, file: string): boolean {
  return realpathSync.native(file).startsWith(realpathSync.native(dir) + sep);
}

function readStart(file: string, bytes: number): string {
  const start = new Uint8Array(bytes);
  const fd = openSync(file, constants.O_RDONLY);
  try {
    return textOf(start, 0, readSync(fd, start, 0, bytes, 0), 'utf8');
  } finally {
    closeSync(fd);
  }
}
