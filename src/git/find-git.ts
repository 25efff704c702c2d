import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { detailOf } from '../core/failure';
import type { GitPlace } from '../core/git-head';

/**
 * The first `.git` upward from a directory. Symlinks are resolved before walking, as git does it: the parents of a
 * linked directory are those of its target. A bare repository has no work tree and is not found; a place inside `.git`
 * belongs to the work tree around it.
 */
export function findGit(start: string): GitPlace | undefined {
  if (!isAbsolute(start)) return undefined;
  let dir = nearestExisting(start);
  for (;;) {
    const place = placeAt(dir);
    if (place !== undefined) return place;
    const parent = dirname(dir);
    if (parent === dir) return undefined;
    dir = parent;
  }
}

/** The repository of a git directory itself, such as `GIT_DIR` names; `undefined` if it is not one. */
export function placeOfGitDir(dir: string): GitPlace | undefined {
  const isOne = existsSync(`${dir}/HEAD`) && (existsSync(`${dir}/objects`) || existsSync(`${dir}/commondir`));
  return isOne ? withCommonDir(dirname(dir), dir) : undefined;
}

function nearestExisting(start: string): string {
  for (let dir = start; ; dir = dirname(dir)) {
    try {
      return realpathSync.native(dir);
    } catch {
      if (dirname(dir) === dir) return dir;
    }
  }
}

/** Like git, this ignores a `.git` that is a device, or a directory with nothing of git in it. */
function placeAt(root: string): GitPlace | undefined {
  const file = root === '/' ? '/.git' : `${root}/.git`;
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      const isGit = existsSync(`${file}/HEAD`) || existsSync(`${file}/objects`);
      return isGit ? withCommonDir(root, file) : undefined;
    }
    return stat?.isFile() ? followFile(root, file) : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined;
    return inTrouble(root, file, file, detailOf(error));
  }
}

/** `.git` as a file, as in linked work trees and submodules. All but the line end is the path. */
function followFile(root: string, file: string): GitPlace {
  const text = withoutLineEnd(readFileSync(file, 'utf8'));
  const target = text.startsWith('gitdir: ') ? text.slice(8) : '';
  if (target === '') return inTrouble(root, file, file, 'it names no git directory');
  return withCommonDir(root, resolve(root, target));
}

function withCommonDir(root: string, gitDir: string): GitPlace {
  const file = `${gitDir}/commondir`;
  if (!existsSync(file)) return { root, gitDir, commonDir: gitDir };
  try {
    const commonDir = resolve(gitDir, withoutLineEnd(readFileSync(file, 'utf8')));
    const linked = basename(dirname(gitDir)) === 'worktrees';
    return { root, gitDir, commonDir, ...(linked && { worktree: basename(gitDir) }) };
  } catch (error) {
    return inTrouble(root, gitDir, file, detailOf(error));
  }
}

function withoutLineEnd(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}

function inTrouble(root: string, gitDir: string, file: string, why: string): GitPlace {
  return { root, gitDir, commonDir: gitDir, trouble: { kind: 'unreadable', file, why } };
}
