import { isAbsolute, relative, sep } from 'node:path';

/** The way from a directory to a place below it, with slashes; `undefined` for a place that lies elsewhere. */
export function wayBelow(root: string, path: string): string | undefined {
  const way = relative(root, path).split(sep).join('/');
  const isElsewhere = way === '..' || way.startsWith('../') || isAbsolute(way);
  return isElsewhere ? undefined : way;
}
