import { existsSync, realpathSync } from 'node:fs';
import { isNothing } from '../exec/quick-look';
import type { Layout } from './layout';

/** Directories that an event has seen to be there and reached without a link; to look at each once is enough. */
const seen = new WeakMap<Layout, string[]>();

/** Whether a directory was seen to be there and reached without a link: then so is everything above it. */
export function isSeenStraight(layout: Layout, directory: string): boolean {
  const below = `${directory}/`;
  return seen.get(layout)?.some((known) => known === directory || known.startsWith(below)) === true;
}

/**
 * Whether a directory is reached without a link, or its nearest neighbour above that is there. A link that leads
 * nowhere counts as nothing: no directory can be made in its place.
 */
export function isStraightDirectory(layout: Layout, directory: string): boolean {
  if (isSeenStraight(layout, directory)) return true;
  // With the dot only a directory is there.
  if (existsSync(`${directory}/.`)) return isReal(layout, directory);
  return !existsSync(directory) && directory !== '' && isStraightDirectory(layout, above(directory));
}

function isReal(layout: Layout, directory: string): boolean {
  if (directory !== '' && realpathSync.native(directory) !== directory) return false;
  const known = seen.get(layout);
  if (known === undefined) seen.set(layout, [directory]);
  else known.push(directory);
  return true;
}

/**
 * Whether a file is reached without a link and, where nothing seems to be there, really nothing is. One that is
 * a link itself and leads somewhere passes: it has to be opened as a plain file.
 */
export function isReachedStraight(layout: Layout, file: string, isThere: boolean): boolean {
  const directory = above(file);
  if (isThere) return isSeenStraight(layout, directory) || isReal(layout, directory);
  if (!isStraightDirectory(layout, directory)) return false;
  for (let path = file; !isSeenStraight(layout, path); path = above(path)) {
    if (!isNothing(path)) return false;
  }
  return true;
}

/** The directory of a path that has no slash at its end. */
export function above(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
