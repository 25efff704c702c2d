import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitHead, readHeadCommit } from '../../src/git/head';
import type { AskGit } from '../../src/git/run-git';
import { readGitHead } from './read-git-head';
import { makeScratch, type Scratch } from './scratch-repo';

const neverAsk: AskGit = () => {
  throw new Error('git was asked, though the files can tell');
};

let scratch: Scratch;
beforeAll(() => {
  scratch = makeScratch();
});
afterAll(() => scratch.remove());

function headAt(start: string): GitHead {
  const head = readGitHead(start, neverAsk);
  if (head === undefined) throw new Error(`no repository found from ${start}`);
  return head;
}

function commitWith(root: string, file: string, text: string): void {
  writeFileSync(join(root, file), text);
  scratch.git(root, 'add', '--all');
  scratch.git(root, 'commit', '--quiet', '-m', text);
}

/** `topic` and `main` change the same line, and `topic` is being rebased onto `main`. */
function rebaseInConflict(name: string, backend: '--merge' | '--apply', from = 'topic'): string {
  const root = scratch.repo(name);
  commitWith(root, 'a', 'base');
  scratch.git(root, 'switch', '--quiet', '-c', 'topic');
  commitWith(root, 'a', 'ours');
  scratch.git(root, 'switch', '--quiet', 'main');
  commitWith(root, 'a', 'theirs');
  scratch.git(root, 'checkout', '--quiet', ...(from === 'topic' ? ['topic'] : ['--detach', 'topic']));
  scratch.failingGit(root, 'rebase', backend, 'main');
  return root;
}

interface Case {
  /** Makes the repository; returns where we start from and where git can be asked. */
  make(): { start: string; work: string };
  kind: 'branch' | 'detached' | 'rebase';
  branch?: string;
  worktree?: string;
}

const at = (root: string) => ({ start: root, work: root });

const CASES: Record<string, Case> = {
  'a plain branch': { kind: 'branch', branch: 'main', make: () => at(scratch.repo('plain')) },
  'a branch with a slash': {
    kind: 'branch',
    branch: 'feature/auth/x',
    make() {
      const root = scratch.repo('slash');
      scratch.git(root, 'switch', '--quiet', '-c', 'feature/auth/x');
      return at(root);
    },
  },
  'a branch whose name is not ASCII': {
    kind: 'branch',
    branch: 'füße/日本語-🚀',
    make() {
      const root = scratch.repo('non-ascii');
      scratch.git(root, 'switch', '--quiet', '-c', 'füße/日本語-🚀');
      return at(root);
    },
  },
  'a branch without a commit': {
    kind: 'branch',
    branch: 'new',
    make() {
      const root = join(scratch.dir, 'unborn');
      mkdirSync(root);
      scratch.git(root, 'init', '--quiet', '-b', 'new');
      return at(root);
    },
  },
  'a detached head': {
    kind: 'detached',
    make() {
      const root = scratch.repo('detached');
      scratch.git(root, 'checkout', '--quiet', '--detach');
      return at(root);
    },
  },
  'a linked work tree': {
    kind: 'branch',
    branch: 'side',
    worktree: 'linked',
    make() {
      const root = scratch.repo('with-linked');
      scratch.git(root, 'worktree', 'add', '--quiet', '-b', 'side', '../linked');
      commitWith(join(scratch.dir, 'linked'), 'a', 'only here');
      return at(join(scratch.dir, 'linked'));
    },
  },
  'a linked work tree that is detached': {
    kind: 'detached',
    worktree: 'linked-detached',
    make() {
      const root = scratch.repo('with-detached');
      scratch.git(root, 'worktree', 'add', '--quiet', '--detach', '../linked-detached');
      commitWith(root, 'a', 'the main tree moves on');
      return at(join(scratch.dir, 'linked-detached'));
    },
  },
  'a linked work tree of a bare repository': {
    kind: 'branch',
    branch: 'main',
    worktree: 'from-bare',
    make() {
      const root = scratch.repo('for-bare');
      scratch.git(scratch.dir, 'clone', '--quiet', '--bare', root, 'bare.git');
      scratch.git(join(scratch.dir, 'bare.git'), 'worktree', 'add', '--quiet', '../from-bare', 'main');
      return at(join(scratch.dir, 'from-bare'));
    },
  },
  'a submodule': {
    kind: 'branch',
    branch: 'main',
    make() {
      const inner = scratch.repo('inner');
      const outer = scratch.repo('outer');
      scratch.git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
      return at(join(outer, 'sub'));
    },
  },
  'a linked work tree of a submodule': {
    kind: 'branch',
    branch: 'side',
    worktree: 'linked-sub',
    make() {
      const inner = scratch.repo('inner-2');
      const outer = scratch.repo('outer-2');
      scratch.git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
      const linked = join(scratch.dir, 'linked-sub');
      scratch.git(join(outer, 'sub'), 'worktree', 'add', '--quiet', '-b', 'side', linked);
      return at(linked);
    },
  },
  'a rebase that merges': {
    kind: 'rebase',
    branch: 'topic',
    make: () => at(rebaseInConflict('rebase-merge', '--merge')),
  },
  'a rebase that applies': {
    kind: 'rebase',
    branch: 'topic',
    make: () => at(rebaseInConflict('rebase-apply', '--apply')),
  },
  'a rebase of a detached head': {
    kind: 'detached',
    make: () => at(rebaseInConflict('rebase-detached', '--merge', 'detached')),
  },
  'a branch checked out in the middle of a rebase': {
    kind: 'branch',
    branch: 'elsewhere',
    make() {
      const root = rebaseInConflict('rebase-left', '--merge');
      scratch.git(root, 'reset', '--quiet', '--hard');
      scratch.git(root, 'checkout', '--quiet', '-b', 'elsewhere');
      return at(root);
    },
  },
  'packed references': {
    kind: 'branch',
    branch: 'main',
    make() {
      const root = scratch.repo('packed');
      scratch.git(root, 'tag', '-a', '-m', 'a tag that gets a peeled line', 'main-1');
      scratch.git(root, 'update-ref', 'refs/backup/refs/heads/main', 'HEAD');
      commitWith(root, 'a', 'newer than the backup, whose name ends like ours');
      scratch.git(root, 'pack-refs', '--all');
      return at(root);
    },
  },
  'a branch without a commit beside a packed one that begins like it': {
    kind: 'branch',
    branch: 'mai',
    make() {
      const root = scratch.repo('packed-longer');
      scratch.git(root, 'pack-refs', '--all');
      scratch.git(root, 'symbolic-ref', 'HEAD', 'refs/heads/mai');
      return at(root);
    },
  },
  'a git directory that shares another without being one of its work trees': {
    kind: 'branch',
    branch: 'main',
    make() {
      const shared = scratch.repo('shared');
      const root = join(scratch.dir, 'sharing');
      mkdirSync(join(root, '.git'), { recursive: true });
      writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
      writeFileSync(join(root, '.git/commondir'), join(shared, '.git'));
      return at(root);
    },
  },
  'a reference of its own that is newer than the packed one': {
    kind: 'branch',
    branch: 'main',
    make() {
      const root = scratch.repo('packed-then-moved');
      scratch.git(root, 'pack-refs', '--all');
      commitWith(root, 'a', 'newer');
      return at(root);
    },
  },
  'a packed branch under whose name a directory is left': {
    kind: 'branch',
    branch: 'main',
    make() {
      const root = scratch.repo('packed-directory');
      scratch.git(root, 'pack-refs', '--all');
      mkdirSync(join(root, '.git/refs/heads/main/gone'), { recursive: true });
      return at(root);
    },
  },
  'a linked work tree whose branch is packed': {
    kind: 'branch',
    branch: 'side',
    worktree: 'linked-packed',
    make() {
      const root = scratch.repo('with-packed');
      scratch.git(root, 'worktree', 'add', '--quiet', '-b', 'side', '../linked-packed');
      scratch.git(root, 'pack-refs', '--all');
      return at(join(scratch.dir, 'linked-packed'));
    },
  },
  'packed references of SHA-256': {
    kind: 'branch',
    branch: 'main',
    make() {
      const root = join(scratch.dir, 'sha256');
      mkdirSync(root);
      scratch.git(root, 'init', '--quiet', '-b', 'main', '--object-format=sha256');
      scratch.git(root, 'commit', '--quiet', '--allow-empty', '-m', 'first');
      scratch.git(root, 'pack-refs', '--all');
      return at(root);
    },
  },
  'a start in a subdirectory': {
    kind: 'branch',
    branch: 'main',
    make() {
      const root = scratch.repo('from-below');
      mkdirSync(join(root, 'a/b/c'), { recursive: true });
      return { start: join(root, 'a/b/c'), work: join(root, 'a/b/c') };
    },
  },
  'a start that is a file': {
    kind: 'branch',
    branch: 'main',
    make() {
      const root = scratch.repo('from-file');
      writeFileSync(join(root, 'file'), '');
      return { start: join(root, 'file'), work: root };
    },
  },
  'a start that has been deleted': {
    kind: 'branch',
    branch: 'main',
    make() {
      const root = scratch.repo('from-gone');
      return { start: join(root, 'gone/further/down'), work: root };
    },
  },
  'a start that no path can name': {
    kind: 'branch',
    branch: 'main',
    make() {
      const root = scratch.repo('from-nul');
      return { start: join(root, 'a\0b'), work: root };
    },
  },
  'a start behind a link from another repository': {
    kind: 'branch',
    branch: 'target',
    make() {
      const root = scratch.repo('link-target');
      scratch.git(root, 'switch', '--quiet', '-c', 'target');
      mkdirSync(join(root, 'below'));
      const other = scratch.repo('link-source');
      symlinkSync(join(root, 'below'), join(other, 'link'));
      return { start: join(other, 'link'), work: join(root, 'below') };
    },
  },
  'a path with spaces and line ends': {
    kind: 'branch',
    branch: 'main',
    make: () => at(scratch.repo('with space/and\nline end ')),
  },
  'a submodule below a path with spaces and line ends': {
    kind: 'branch',
    branch: 'main',
    make() {
      const inner = scratch.repo('inner-3');
      const outer = scratch.repo('spaced out/two\nlines');
      scratch.git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 's u b');
      return at(join(outer, 's u b'));
    },
  },
  'a git directory apart from its work tree': {
    kind: 'branch',
    branch: 'main',
    make() {
      const root = join(scratch.dir, 'apart');
      mkdirSync(root);
      scratch.git(
        root,
        'init',
        '--quiet',
        '-b',
        'main',
        '--separate-git-dir',
        join(scratch.dir, 'apart of git'),
      );
      scratch.git(root, 'commit', '--quiet', '--allow-empty', '-m', 'first');
      return at(root);
    },
  },
  'a .git file with the line ends of Windows': {
    kind: 'branch',
    branch: 'main',
    make() {
      const root = scratch.repo('crlf');
      renameSync(join(root, '.git'), join(root, 'the git directory'));
      writeFileSync(join(root, '.git'), 'gitdir: the git directory\r\n');
      return at(root);
    },
  },
  'a head that is a symbolic link': {
    kind: 'branch',
    branch: 'main',
    make() {
      const root = scratch.repo('old-style');
      rmSync(join(root, '.git/HEAD'));
      symlinkSync('refs/heads/main', join(root, '.git/HEAD'));
      return at(root);
    },
  },
  'a head that is a symbolic link to a branch without a commit': {
    kind: 'branch',
    branch: 'new',
    make() {
      const root = scratch.repo('old-style-unborn');
      rmSync(join(root, '.git/HEAD'));
      symlinkSync('refs/heads/new', join(root, '.git/HEAD'));
      return at(root);
    },
  },
  'a .git directory with nothing in it, which git passes over': {
    kind: 'branch',
    branch: 'main',
    make() {
      const root = scratch.repo('around-empty');
      mkdirSync(join(root, 'below/.git'), { recursive: true });
      return at(join(root, 'below'));
    },
  },
};

function gitSays(cwd: string, ...args: string[]): string | undefined {
  try {
    return scratch.git(cwd, ...args);
  } catch {
    return undefined;
  }
}

describe('the head agrees with git on', () => {
  it.each(Object.entries(CASES))('%s', (_, { make, kind, branch, worktree }) => {
    const { start, work } = make();
    const head = headAt(start);
    const commit = gitSays(work, 'rev-parse', '--verify', '--quiet', 'HEAD');

    expect(head.root).toBe(scratch.git(work, 'rev-parse', '--show-toplevel'));
    expect(head.gitDir).toBe(scratch.git(work, 'rev-parse', '--absolute-git-dir'));
    expect(head.commonDir).toBe(scratch.git(work, 'rev-parse', '--path-format=absolute', '--git-common-dir'));
    expect(head.worktree).toBe(worktree);
    expect(head.position).toEqual({
      kind,
      ...(branch !== undefined && { branch }),
      ...(kind !== 'branch' && { commit }),
    });
    expect(gitSays(work, 'symbolic-ref', '--quiet', 'HEAD')).toBe(
      kind === 'branch' ? `refs/heads/${branch}` : undefined,
    );
    expect(readHeadCommit(head, neverAsk)).toBe(commit);
  });
});
