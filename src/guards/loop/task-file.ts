import { dirname, isAbsolute, normalize, relative, resolve, sep } from 'node:path';
import type { DocumentRef } from '../../core/document';
import type { JsonObject } from '../../core/json';
import type { FileAsk } from '../../core/snapshot';

/** The directories in which a loop keeps its things. */
export interface LoopDirs {
  readonly own: string;
  /** That of the message store, where the loop is kept in one. */
  readonly store?: string;
}

/** Where the task of a frame is said to lie, and in which directory of the loop's own that is, if in one. */
export interface TaskFile {
  readonly path: string;
  readonly dir?: string;
}

/** Below the directory of a loop. Their names are the ids of frames. */
export const TASKS = 'loop-prompts';

/** A state may name any path; only what lies in a directory of the loop's own counts. */
export function taskFileOf(frame: JsonObject, { own, store }: LoopDirs): TaskFile | undefined {
  const given = frame['prompt_file'];
  if (typeof given !== 'string' || given === '') return undefined;
  const dirs = store === undefined ? [own] : [store, own];
  const path = isAbsolute(given) ? normalize(given) : resolve(dirs[0] ?? own, given);
  const dir = dirs.find((one) => isBelow(one, path));
  return dir === undefined ? { path: given } : { path, dir };
}

/** The question after a task. A link that leads out of the loop's directory is not followed. */
export function taskAsk({ path, dir }: TaskFile, maxTextBytes?: number): FileAsk[] {
  if (dir === undefined) return [];
  return [{ path, within: dir, ...(maxTextBytes !== undefined && { maxTextBytes }) }];
}

/** A task that `loop start` has written, as a document; `undefined` for a file that is somebody else's. */
export function taskDocument({ path, dir }: TaskFile, { own }: LoopDirs): DocumentRef | undefined {
  const name = dir === undefined ? '' : relative(dir, path).replaceAll(sep, '/');
  if (!/^loop-prompts\/[\w-]+\.txt$/.test(name)) return undefined;
  return { base: dir === own ? 'own' : 'messages', path: name, format: 'text', keeping: 'bookkeeping' };
}

function isBelow(dir: string, path: string): boolean {
  for (let at = dirname(path); ; at = dirname(at)) {
    if (at === dir) return true;
    if (dirname(at) === at) return false;
  }
}
