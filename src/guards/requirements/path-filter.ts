import { isAbsolute, relative } from 'node:path';

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
    const isWanted = wanted.length === 0 || wanted.some((glob) => matchesPath(glob, below));
    return isWanted && !excluded.some((glob) => matchesPath(glob, below));
  });
}

/** Relative to the root with forward slashes; a path outside keeps its full name. */
function belowRoot(path: string, root: string): string {
  const way = relative(root, path);
  return (/^\.\.(?:[/\\]|$)/.test(way) || isAbsolute(way) ? path : way).replaceAll('\\', '/');
}

/** `*` stays inside one directory, `**` crosses them, a name that ends with a slash means all that is in it. */
export function matchesPath(glob: string, path: string): boolean {
  const pattern = glob.replace(/^(?:\.\/)+/, '');
  const globs = (pattern.endsWith('/') ? `${pattern}**` : pattern).split('/');
  return matchRun(globs, path.split('/'), '**', matchSegment);
}

/** `*` any run and `?` any one character. */
function matchSegment(glob: string, part: string): boolean {
  return matchRun(glob, part, '*', (sign, letter) => sign === '?' || sign === letter);
}

/**
 * Matches item by item; `star` stands for any run of them. Walks back to the last star only, so that
 * no pattern and no path, however long, can make it hang.
 */
function matchRun(
  globs: ArrayLike<string>,
  parts: ArrayLike<string>,
  star: string,
  fits: (glob: string, part: string) => boolean,
): boolean {
  let [g, p, last, mark] = [0, 0, -1, 0];
  while (p < parts.length) {
    const glob = globs[g];
    if (glob === star) {
      last = g++;
      mark = p;
    } else if (glob !== undefined && fits(glob, parts[p] ?? '')) {
      g++;
      p++;
    } else if (last >= 0) {
      g = last + 1;
      p = ++mark;
    } else return false;
  }
  while (globs[g] === star) g++;
  return g === globs.length;
}
