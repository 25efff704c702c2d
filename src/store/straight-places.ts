import { existsSync, realpathSync } from 'node:fs';
import { isNothing } from '../process/quick-look';
import type { Layout } from './layout';

/** Directories that an event has seen to be there and reached without a link; to look at each once is enough. */
const seen = new WeakMap<Layout, Set<string>>();

/**
 * Whether a directory is reached without a link, or its nearest neighbour above that is there. A link that leads
 * nowhere counts as nothing: no directory can be made in its place.
 */
export function isStraightDirectory(layout: Layout, directory: string): boolean {
  const known = seen.get(layout) ?? new Set();
  if (known.has(directory)) return true;
  // With the dot only a directory is there.
  if (!existsSync(`${directory}/.`)) {
    return !existsSync(directory) && directory !== '' && isStraightDirectory(layout, above(directory));
  }
  if (directory !== '' && realpathSync.native(directory) !== directory) return false;
  // Nor is there a link on the way to what lies above it.
  for (let path = directory; !known.has(path); path = above(path)) known.add(path);
  seen.set(layout, known);
  return true;
}

/**
 * Whether a file is reached without a link and, where nothing seems to be there, really nothing is. One that is
 * a link itself and leads somewhere passes: it has to be opened as a plain file.
 */
export function isReachedStraight(layout: Layout, file: string, isThere: boolean): boolean {
  if (!isStraightDirectory(layout, above(file))) return false;
  if (isThere) return true;
  const known = seen.get(layout);
  for (let path = file; !known?.has(path); path = above(path)) if (!isNothing(path)) return false;
  return true;
}

/** The directory of a path that has no slash at its end. */
export function above(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
