import { posix } from 'node:path';
import type { Options } from './possible';

/** A path as seen from each of the directories. An absolute one does not need them. */
export function resolveFrom(directories: Options, path: string | undefined): Options {
  if (path === undefined) return [undefined];
  if (posix.isAbsolute(path)) return [posix.resolve(path)];
  return directories.map((directory) =>
    directory === undefined ? undefined : posix.resolve('/', directory, path),
  );
}

export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);
}

/** The last part of a path; a program's name without its directory. */
export function baseName(path: string): string {
  return posix.basename(path);
}
