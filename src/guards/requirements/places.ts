import { dirname, isAbsolute, join, relative } from 'node:path';
import type { Context } from '../../core/guard';

/* Which paths are the project's. */

/** No file has a longer name. */
const LONGEST_PATH = 4096;

/** What tells a directory of a project with rules of its own. */
const PROJECT_MARKS = ['.holdpoint', '.claude/requirements.yaml', '.gauntlet', '.isdlc'];

/**
 * The paths that lie in this project once all links are followed. What lies in another project with rules, such as
 * a second work tree of the same repository, is kept too: nobody else holds it.
 */
export function projectPaths(paths: readonly string[], ctx: Context): string[] {
  const root = ctx.realPath(ctx.projectRoot);
  return paths.flatMap((path) => {
    const real = ctx.realPath(path);
    if (!isBelow(real, root)) return isInProject(real, ctx) ? [real] : [];
    return path !== real && isBelow(path, ctx.projectRoot) ? [path, real] : [real];
  });
}

function isInProject(path: string, ctx: Context): boolean {
  const home = ctx.realPath(ctx.home);
  if (path.length > LONGEST_PATH) return false;
  for (let dir = dirname(path); dir !== home && dir !== dirname(dir); dir = dirname(dir)) {
    if (PROJECT_MARKS.some((mark) => ctx.file({ path: join(dir, mark) }).kind !== 'missing')) return true;
  }
  return false;
}

/** The directory itself included. */
export function isBelow(path: string, dir: string): boolean {
  const way = relative(dir, path);
  return !/^\.\.(?:[/\\]|$)/.test(way) && !isAbsolute(way);
}

/** Writing a plan is how one gets a requirement satisfied, so it is never held; but a link among the plans is no plan. */
export function isPlan(path: string, { projectRoot, home, realPath }: Context): boolean {
  const real = realPath(path);
  const root = realPath(projectRoot);
  const dirs = [`${root}/.claude/plans`, `${root}/docs/plans`, `${realPath(home)}/.claude/plans`];
  return real.endsWith('.md') && dirs.some((dir) => isBelow(real, dir));
}
