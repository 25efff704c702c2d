import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { detailOf } from '../domain/failure';
import type { FileAsk, FileFact } from '../domain/snapshot';

/** Reads what a guard wants to know of a file, and never more of its text than it asked for. */
export function readFileFact(root: string, ask: FileAsk): FileFact {
  const file = resolve(root, ask.path);
  try {
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
  const buffer = Buffer.alloc(bytes);
  const fd = openSync(file, 'r');
  try {
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, bytes, 0));
  } finally {
    closeSync(fd);
  }
}
