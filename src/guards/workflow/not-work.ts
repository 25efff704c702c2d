import { globMatches } from '../../core/glob';

/**
 * What tests do not depend on, relative to the root: what a workflow writes itself, its plan among it, and
 * texts for people. Evidence must not lapse because it was recorded, a task was ticked off, or the work was
 * described. The patterns mean the same to git, for which a `*` goes beyond a slash too.
 */
export const NOT_WORK = ['.isdlc/*', '.holdpoint/*', 'docs/*', '*.md'];

/** Whether a path is that of a file in the project which tests may depend on. */
export function isWork(path: string, root: string): boolean {
  if (!path.startsWith(`${root}/`)) return false;
  const name = path.slice(root.length + 1);
  return !NOT_WORK.some((pattern) => globMatches(pattern, name));
}
