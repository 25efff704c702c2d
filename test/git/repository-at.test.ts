import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { remoteDefault, repositoryAt } from '../../src/git/head';
import type { AskGit } from '../../src/git/run-git';
import { readGitHead } from './read-git-head';
import { makeScratch, type Scratch } from './scratch-repo';

const neverAsk: AskGit = () => {
  throw new Error('git was asked, though the files can tell');
};

let scratch: Scratch;
let root: string;
beforeAll(() => {
  scratch = makeScratch();
  root = scratch.repo('project');
  mkdirSync(join(root, 'sub'));
  scratch.git(root, 'branch', 'topic');
  scratch.git(root, 'worktree', 'add', '--quiet', '../linked', 'topic');
  scratch.git(root, 'worktree', 'add', '--quiet', '--detach', '../loose');
  scratch.repo('project/nested');
  symlinkSync(join(root, 'sub'), join(scratch.dir, 'link'));
  mkdirSync(join(scratch.dir, 'plain'));
});
afterAll(() => scratch.remove());

const here = (path: string) => repositoryAt(join(scratch.dir, path), neverAsk);

describe('the repository of a directory', () => {
  test.each<[sentence: string, path: string, repository: string, branch: string]>([
    ['its root', 'project', 'project/.git', 'main'],
    ['a directory in it', 'project/sub', 'project/.git', 'main'],
    ['one that is yet to be made', 'project/sub/new/deep', 'project/.git', 'main'],
    ['a linked work tree has its own branch', 'linked', 'project/.git', 'topic'],
    ['one without a branch', 'loose', 'project/.git', 'HEAD'],
    ['a link leads to where it points', 'link', 'project/.git', 'main'],
    ['a repository inside another is its own', 'project/nested', 'project/nested/.git', 'main'],
    ['a git directory, as GIT_DIR names one', 'project/.git', 'project/.git', 'main'],
    ['that of a linked work tree', 'project/.git/worktrees/linked', 'project/.git', 'topic'],
  ])('%s', (_, path, repository, branch) => {
    expect(here(path)).toMatchObject({ commonDir: join(scratch.dir, repository), branch });
  });

  test('a place without one is a repository of its own, on no branch that is known', () => {
    const path = join(scratch.dir, 'plain');
    const { branch, ...rest } = here('plain');
    expect(branch).toBeUndefined();
    expect(rest).toMatchObject({ root: path, commonDir: path });
  });
});

describe("the remote's default branch", () => {
  const asked = (path: string): string | undefined => {
    const head = readGitHead(join(scratch.dir, path), neverAsk);
    return head && remoteDefault(head, neverAsk);
  };

  test('is not known where nobody said', () => {
    expect(asked('project')).toBeUndefined();
  });

  test('is what the remote called HEAD, also in a linked work tree', () => {
    scratch.git(root, 'update-ref', 'refs/remotes/origin/trunk', 'HEAD');
    scratch.git(root, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
    expect(asked('project')).toBe('trunk');
    expect(asked('linked')).toBe('trunk');
  });

  test('is no name that git would refuse', () => {
    const file = join(root, '.git/refs/remotes/origin/HEAD');
    rmSync(file, { force: true });
    writeFileSync(file, 'ref: refs/remotes/origin/../../x\n');
    expect(asked('project')).toBeUndefined();
  });
});
