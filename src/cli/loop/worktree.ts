import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fail, type Result, succeed } from '../../core/failure';
import { branchLabel } from '../../core/git-head';
import { findGit } from '../../git/find-git';
import { readHead } from '../../git/head';
import type { Context } from '../verb';
import * as say from './messages';

/**
 * The directory in which a loop shall work, as an absolute path. Where the branch is named too it must be
 * the one that is checked out there: on some file systems two issues may share a directory unnoticed.
 */
export function worktreeAt(
  path: string,
  branch: string | undefined,
  context: Context,
): Result<string, string> {
  const dir = resolve(context.cwd, path);
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return fail(say.noWorktree(dir));
  if (branch === undefined) return succeed(dir);
  const git = findGit(dir);
  const here = git === undefined ? undefined : branchLabel(readHead(git, context.chunks.askGit));
  return here === branch ? succeed(dir) : fail(say.otherBranch(dir, here, branch));
}
