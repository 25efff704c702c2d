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
  return (way.startsWith('..') || isAbsolute(way) ? path : way).replaceAll('\\', '/');
}

/** `*` stays inside one directory, `**` crosses them, a directory's name means all that is in it. */
export function matchesPath(glob: string, path: string): boolean {
  const pattern = glob.endsWith('/') ? `${glob}**` : glob;
  return matchSegments(pattern.split('/'), path.split('/'));
}

function matchSegments(globs: readonly string[], parts: readonly string[]): boolean {
  const [glob, ...rest] = globs;
  if (glob === undefined) return parts.length === 0;
  if (glob === '**') {
    if (rest.length === 0) return true;
    return parts.some((_, skip) => matchSegments(rest, parts.slice(skip)));
  }
  const [part, ...more] = parts;
  return part !== undefined && matchSegment(glob, part) && matchSegments(rest, more);
}

/** `*` any run and `?` any one character, by walking back to the last star. */
function matchSegment(glob: string, part: string): boolean {
  let [g, p, star, mark] = [0, 0, -1, 0];
  while (p < part.length) {
    if (glob[g] === '*') {
      star = g++;
      mark = p;
    } else if (glob[g] === '?' || glob[g] === part[p]) {
      g++;
      p++;
    } else if (star >= 0) {
      g = star + 1;
      p = ++mark;
    } else return false;
  }
  while (glob[g] === '*') g++;
  return g === glob.length;
}
