import type { Context } from './guard';

/* Which paths are the project's. */

/** The paths that lie in this project once all links are followed. What lies in another one is held by its own rules. */
export function projectPaths(paths: readonly string[], ctx: Context): string[] {
  const root = ctx.realPath(ctx.projectRoot);
  return paths.flatMap((path) => {
    const real = ctx.realPath(path);
    if (!isBelow(real, root)) return [];
    return path !== real && isBelow(path, ctx.projectRoot) ? [path, real] : [real];
  });
}

/** The directory itself included. Both have no `..` in them any more. */
export function isBelow(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir === '/' ? dir : `${dir}/`);
}

/** Writing a plan is how one gets a requirement satisfied, so it is never held; but a link among the plans is no plan. */
export function isPlan(path: string, { projectRoot, home, realPath, file }: Context): boolean {
  // Another name of a file that lies elsewhere is no plan either.
  const fact = file({ path, linksOnly: true });
  if (fact.kind === 'file' && fact.linked !== undefined) return false;
  const real = realPath(path);
  const root = realPath(projectRoot);
  const dirs = [`${root}/.claude/plans`, `${root}/docs/plans`, `${realPath(home)}/.claude/plans`];
  return real.endsWith('.md') && dirs.some((dir) => isBelow(real, dir));
}
