import { isAbsolute, relative } from 'node:path';
import { matchesPath } from './glob-match';

/**
 * Whether a call that touches these paths is meant: it touches one that is named and not excluded.
 * Without any path nothing can be left out, so it is meant.
 */
export function arePathsMeant(
  paths: readonly string[],
  root: string,
  wanted: readonly string[],
  excluded: readonly string[],
): boolean {
  if (paths.length === 0 || (wanted.length === 0 && excluded.length === 0)) return true;
  return paths.some((path) => {
    const below = belowRoot(path, root);
    const isWanted = wanted.length === 0 || wanted.some((glob) => isMeant(glob, below, path));
    return isWanted && !excluded.some((glob) => isMeant(glob, below, path));
  });
}

/** A slash in front means the root of the project, and where that is not meant, the root of the machine. */
function isMeant(glob: string, below: string, path: string): boolean {
  if (!glob.startsWith('/')) return matchesPath(glob, below);
  return matchesPath(glob.slice(1), below) || matchesPath(glob, path.replaceAll('\\', '/'));
}

/** Relative to the root with forward slashes; a path outside keeps its full name. */
function belowRoot(path: string, root: string): string {
  const way = relative(root, path);
  return (/^\.\.(?:[/\\]|$)/.test(way) || isAbsolute(way) ? path : way).replaceAll('\\', '/');
}
