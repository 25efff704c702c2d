import { isAbsolute, relative } from 'node:path';
import { expandBraces, MOST_ALTERNATIVES, matchesPath } from '../../core/glob';

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
  if (!glob.startsWith('/')) return matchesPathBelow(glob, below);
  return matchesPathBelow(glob.slice(1), below) || matchesPathBelow(glob, path.replaceAll('\\', '/'));
}

/** `./` in front says nothing; a name that ends with a slash means all that is in it. */
export function matchesPathBelow(glob: string, path: string): boolean {
  const pattern = glob.replace(/^(?:\.\/)+/, '');
  return matchesPath(pattern.endsWith('/') ? `${pattern}**` : pattern, path);
}

/** Relative to the root with forward slashes; a path outside keeps its full name. */
function belowRoot(path: string, root: string): string {
  const way = relative(root, path);
  return (/^\.\.(?:[/\\]|$)/.test(way) || isAbsolute(way) ? path : way).replaceAll('\\', '/');
}

/* Why a glob would not mean what it seems to: said when the config is read, or it would silently match nothing. */

/** Of a path below the project. */
export function pathTrouble(glob: string): string | undefined {
  if (glob.startsWith('!'))
    return `begins with \`!\`; what is left out stands in \`exclude_paths\`, and ${PLAIN}`;
  if (glob.startsWith('~')) return 'begins with `~`, which is not filled in; write the directory out';
  if (glob.split('/').includes('..')) return 'leads out of the project with `..`; write the directory out';
  return nameTrouble(glob);
}

/** Of a name, such as that of a branch. */
export function nameTrouble(glob: string): string | undefined {
  if (glob.startsWith('!')) return `begins with \`!\`, which turns nothing round here; ${PLAIN}`;
  const bare = glob.replace(/\\./gs, '_');
  if (/[?*+@!]\(/.test(bare)) return `has a group in round brackets with a sign before it; ${PLAIN}`;
  if (bare.endsWith('\\')) return 'ends with a backslash that stands before nothing';
  return classTrouble(bare) ?? braceTrouble(bare) ?? countTrouble(glob);
}

/** Of a tool, whose name has none of these signs: there only `*` and alternatives are of use. */
export function toolTrouble(glob: string): string | undefined {
  if (/[?[\]!\\]/.test(glob)) return 'takes `*` and `{a,b}` only; no tool has such a sign in its name';
  return nameTrouble(glob);
}

const PLAIN = 'a backslash before it makes it a plain sign';

function classTrouble(bare: string): string | undefined {
  const rest = bare.replace(CLASSES, (whole) => (isReversed(whole) ? '[' : ''));
  if (/\[\[?[:.=]/.test(bare)) return 'has a class such as `[[:alpha:]]`; write the signs out, as in `[a-z]`';
  if (/\[/.test(rest)) return `has a class in square brackets that is open, empty or reversed; ${PLAIN}`;
  return undefined;
}

const CLASSES = /\[[!^]?\]?[^\]/]*\]/g;

function isReversed(text: string): boolean {
  return [...text.slice(1, -1).matchAll(/(.)-(.)/gs)].some(([, from = '', to = '']) => from > to);
}

function braceTrouble(bare: string): string | undefined {
  if (/\{[^{},]*\.\.[^{},]*\}/.test(bare))
    return 'has a range in braces; write its members out, as in `{1,2,3}`';
  let depth = 0;
  for (const sign of bare) {
    depth += sign === '{' ? 1 : sign === '}' ? -1 : 0;
    if (depth < 0) break;
  }
  return depth === 0 ? undefined : `has a brace without its other half; ${PLAIN}`;
}

function countTrouble(glob: string): string | undefined {
  if (expandBraces([glob]).length <= MOST_ALTERNATIVES) return undefined;
  return `stands for more than ${MOST_ALTERNATIVES} globs; write fewer alternatives`;
}
