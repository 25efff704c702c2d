import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

describe('there is no repository', () => {
  const NONE: Record<string, () => string> = {
    'where there is no git': () => {
      mkdirSync(join(scratch.dir, 'none'));
      return join(scratch.dir, 'none');
    },
    'in a bare repository': () => {
      scratch.git(scratch.dir, 'init', '--quiet', '--bare', 'lonely.git');
      return join(scratch.dir, 'lonely.git/refs');
    },
    'for a relative start': () => 'src',
    'for an empty start': () => '',
  };
  it.each(Object.entries(NONE))('%s', (_, make) => {
    expect(readGitHead(make(), neverAsk)).toBeUndefined();
  });
});

it('takes a start inside .git for the work tree around it', () => {
  const root = scratch.repo('inside');
  expect(headAt(join(root, '.git/hooks')).root).toBe(root);
  expect(headAt(join(root, '.git')).position).toEqual({ kind: 'branch', branch: 'main' });
});

describe('the head is unreadable, and nothing is thrown, for', () => {
  const head = (text: string) => (root: string) => {
    writeFileSync(join(root, '.git/HEAD'), text);
    return join(root, '.git/HEAD');
  };
  const gitFile = (text: string) => (root: string) => {
    rmSync(join(root, '.git'), { recursive: true });
    writeFileSync(join(root, '.git'), text);
    return join(root, '.git');
  };
  const ODD: Record<string, (root: string) => string> = {
    'a head that is missing': (root) => {
      rmSync(join(root, '.git/HEAD'));
      return join(root, '.git/HEAD');
    },
    'a head that is a directory': (root) => {
      rmSync(join(root, '.git/HEAD'));
      mkdirSync(join(root, '.git/HEAD'));
      return join(root, '.git/HEAD');
    },
    'a head that leads to a device without an end': (root) => {
      rmSync(join(root, '.git/HEAD'));
      symlinkSync('/dev/zero', join(root, '.git/HEAD'));
      return join(root, '.git/HEAD');
    },
    'a way to a shared directory that is a pipe': (root) => {
      execFileSync('mkfifo', [join(root, '.git/commondir')]);
      return join(root, '.git/commondir');
    },
    'a way to a shared directory that is longer than any path': (root) => {
      writeFileSync(join(root, '.git/commondir'), `${'\n'.repeat(70_000)}x`);
      return join(root, '.git/commondir');
    },
    'an empty head': head(''),
    'a head of garbage': head('\0\x01\x02 garbage'),
    'a name without its prefix': head('refs/heads/main\n'),
    'a commit cut short': head('0123456789abcdef\n'),
    'a commit with something behind it': head(`${'a'.repeat(41)}\n`),
    'a tag': head('ref: refs/tags/v1\n'),
    'a name that leads out of the directory': head('ref: refs/heads/../../../etc/passwd\n'),
    'a name that git forbids': head('ref: refs/heads/a b\n'),
    'a .git file of garbage': gitFile('garbage\n'),
    'a .git file that names nothing': gitFile('gitdir: \n'),
    'an empty .git file': gitFile(''),
  };
  it.each(Object.entries(ODD))('%s', (name, spoil) => {
    const root = scratch.repo(`odd ${name}`);
    const file = spoil(root);
    const found = headAt(root);
    expect(found).toMatchObject({ root, position: { kind: 'unreadable', file } });
    expect(found.position).toHaveProperty('why', expect.stringMatching(/\S/));
    expect(readHeadCommit(found, neverAsk)).toBeUndefined();
  });

  it('a .git file whose target is gone', () => {
    const root = scratch.repo('target gone');
    gitFile('gitdir: ../nowhere\n')(root);
    const nowhere = join(scratch.dir, 'nowhere');
    expect(headAt(root)).toMatchObject({
      gitDir: nowhere,
      position: { kind: 'unreadable', file: join(nowhere, 'HEAD') },
    });
  });

  it('a linked work tree whose way to the shared directory is unreadable', () => {
    const root = scratch.repo('broken common');
    scratch.git(root, 'worktree', 'add', '--quiet', '-b', 'side', '../broken-linked');
    const file = join(root, '.git/worktrees/broken-linked/commondir');
    rmSync(file);
    mkdirSync(file);
    expect(headAt(join(scratch.dir, 'broken-linked')).position).toMatchObject({ kind: 'unreadable', file });
  });
});

describe('the commit is unknown for', () => {
  const SPOILT: Record<string, string> = {
    'a branch file that is empty': '',
    'a branch file of garbage': 'garbage\n',
    'symbolic references in a circle': 'ref: refs/heads/main\n',
    'a symbolic reference that leads out': 'ref: ../../outside\n',
  };
  it.each(Object.entries(SPOILT))('%s', (name, text) => {
    const root = scratch.repo(`commit ${name}`);
    writeFileSync(join(scratch.dir, 'outside'), 'a'.repeat(40));
    writeFileSync(join(root, '.git/refs/heads/main'), text);
    expect(readHeadCommit(headAt(root), neverAsk)).toBeUndefined();
  });

  it('follows a branch that is a symbolic reference', () => {
    const root = scratch.repo('alias');
    scratch.git(root, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    scratch.git(root, 'symbolic-ref', 'HEAD', 'refs/heads/alias');
    expect(readHeadCommit(headAt(root), neverAsk)).toBe(scratch.git(root, 'rev-parse', 'HEAD'));
  });
});
