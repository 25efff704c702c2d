import { isAbsolute, relative, sep } from 'node:path';

/** The way from a directory to a place below it, with slashes; `undefined` for a place that lies elsewhere. */
export function wayBelow(root: string, path: string): string | undefined {
  // What nearly every place is; the rest of it takes a new process long to get ready.
  const rest = path.slice(root.length + 1);
  const isStraight = rest !== '' && !path.includes('/.') && !path.includes('//') && !path.endsWith('/');
  if (sep === '/' && isStraight && path.startsWith(`${root}/`)) return rest;
  const way = relative(root, path).split(sep).join('/');
  const isElsewhere = way === '..' || way.startsWith('../') || isAbsolute(way);
  return isElsewhere ? undefined : way;
}
