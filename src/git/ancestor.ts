import type { GitPlace } from '../core/git-head';
import { runGit } from './run-git';

type Env = Readonly<Record<string, string | undefined>>;

/** Whether a commit has come into the base since the base was at `before`. What git cannot tell has not. */
export async function hasBeenMerged(
  git: GitPlace,
  commit: string,
  before: string | undefined,
  after: string,
  env: Env,
): Promise<boolean> {
  if (before === after || !(await isAncestor(git, commit, after, env))) return false;
  return before === undefined || !(await isAncestor(git, commit, before, env));
}

async function isAncestor(git: GitPlace, commit: string, of: string, env: Env): Promise<boolean> {
  if (commit === of) return true;
  // A name that looks like an option would be one to git.
  if (commit.startsWith('-') || of.startsWith('-')) return false;
  const { code } = await runGit({ cwd: git.root, env, args: ['merge-base', '--is-ancestor', commit, of] });
  return code === 0;
}
