import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { resolveBase, type WantedBase } from '../../src/git/base';
import type { GitHead } from '../../src/git/head';
import { type AskGit, askGit } from '../../src/git/run-git';
import { readGitHead } from './read-git-head';
import { makeScratch, type Scratch } from './scratch-repo';

const neverAsk: AskGit = () => {
  throw new Error('git was asked, though the files can tell');
};
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

let scratch: Scratch;
beforeAll(() => {
  scratch = makeScratch();
});
afterAll(() => scratch.remove());

function headOf(root: string): GitHead {
  const head = readGitHead(root, askGit);
  if (head === undefined) throw new Error(`no repository at ${root}`);
  return head;
}

/** A repository in which each of these references names a commit of its own. */
function repoWith(...refs: string[]): { git: GitHead; commitOf: (ref: string) => string } {
  const root = scratch.repo(`base ${refs.join(' ').replaceAll('/', '_')} ${Math.random()}`);
  scratch.git(root, 'checkout', '--quiet', '-b', 'work');
  scratch.git(root, 'branch', '-D', 'main');
  for (const ref of refs) {
    scratch.git(root, 'commit', '--quiet', '--allow-empty', '-m', ref);
    scratch.git(root, 'update-ref', ref, 'HEAD');
  }
  return { git: headOf(root), commitOf: (ref) => scratch.git(root, 'rev-parse', ref) };
}

describe('the base is', () => {
  type Case = { refs: string[]; wanted?: Partial<WantedBase>; ref: string; from?: string; warning?: RegExp };
  const CASES: Readonly<Record<string, Case>> = {
    'what the config says': {
      refs: ['refs/remotes/origin/main', 'refs/heads/main'],
      ref: 'origin/main',
      from: 'refs/remotes/origin/main',
    },
    'what the command line says, before all others': {
      refs: ['refs/remotes/origin/main', 'refs/heads/dev'],
      wanted: { option: 'dev', ci: 'main' },
      ref: 'dev',
      from: 'refs/heads/dev',
    },
    'on a build server the branch of the pull request, at its remote': {
      refs: ['refs/remotes/origin/main', 'refs/remotes/origin/next', 'refs/heads/next'],
      wanted: { ci: 'next' },
      ref: 'origin/next',
      from: 'refs/remotes/origin/next',
    },
    'or as it is': {
      refs: ['refs/remotes/origin/main', 'refs/heads/next'],
      wanted: { ci: 'next' },
      ref: 'next',
      from: 'refs/heads/next',
    },
    'what the config says where the pull request names nothing that is here': {
      refs: ['refs/remotes/origin/main'],
      wanted: { ci: 'next' },
      ref: 'origin/main',
      from: 'refs/remotes/origin/main',
      warning: /next.*origin\/main/,
    },
    'else main, with a warning': {
      refs: ['refs/heads/main', 'refs/heads/master'],
      ref: 'main',
      from: 'refs/heads/main',
      warning: /origin\/main does not exist here; compared with main instead/,
    },
    'else master, with a warning': {
      refs: ['refs/heads/master'],
      ref: 'master',
      from: 'refs/heads/master',
      warning: /origin\/main.*master/,
    },
    'else the empty tree, with a warning': { refs: [], ref: EMPTY_TREE, warning: /every file counts/ },
    'a tag': { refs: ['refs/tags/v1'], wanted: { configured: 'v1' }, ref: 'v1', from: 'refs/tags/v1' },
    'a full name': {
      refs: ['refs/heads/main'],
      wanted: { configured: 'refs/heads/main' },
      ref: 'refs/heads/main',
      from: 'refs/heads/main',
    },
    'where HEAD is': { refs: ['refs/heads/x'], wanted: { option: 'HEAD' }, ref: 'HEAD', from: 'HEAD' },
  };
  test.each(Object.entries(CASES))('%s', (_, { refs, wanted, ref, from, warning }) => {
    const { git, commitOf } = repoWith(...refs);
    const found = resolveBase(git, { configured: 'origin/main', ...wanted }, neverAsk);
    expect(found).toEqual({
      ok: true,
      value: {
        ref,
        ...(from && { commit: commitOf(from) }),
        ...(warning && { warning: expect.stringMatching(warning) }),
      },
    });
  });

  it('where the remote says its own head is', () => {
    const { git, commitOf } = repoWith('refs/remotes/origin/trunk');
    scratch.git(git.root, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
    expect(resolveBase(git, { configured: 'origin/main' }, neverAsk)).toMatchObject({
      value: { ref: 'origin/HEAD', commit: commitOf('refs/remotes/origin/trunk') },
    });
    expect(resolveBase(git, { configured: 'origin' }, neverAsk)).toMatchObject({ value: { ref: 'origin' } });
  });

  it('found among packed references as well', () => {
    const { git, commitOf } = repoWith('refs/remotes/origin/main');
    scratch.git(git.root, 'pack-refs', '--all');
    expect(resolveBase(git, { configured: 'origin/main' }, neverAsk)).toMatchObject({
      value: { commit: commitOf('refs/remotes/origin/main') },
    });
  });

  it.each(['HEAD~1', 'work^', 'HEAD@{0}', 'abbreviated'])('asked of git for %s', (name) => {
    const { git, commitOf } = repoWith('refs/heads/x');
    const option = name === 'abbreviated' ? commitOf('work').slice(0, 8) : name;
    expect(resolveBase(git, { configured: '', option }, askGit)).toMatchObject({
      ok: true,
      value: { ref: option, commit: commitOf(option) },
    });
  });

  it('as it stands for a commit given in full', () => {
    const { git, commitOf } = repoWith();
    const option = commitOf('work');
    expect(resolveBase(git, { configured: '', option }, neverAsk)).toEqual({
      ok: true,
      value: { ref: option, commit: option },
    });
  });
});

test.each(['nope', '', '--help', 'main; touch x', '../../HEAD', 'a b', 'nope~1'])(
  'no such base: %j from the command line is an error',
  (option) => {
    const { git } = repoWith('refs/heads/main');
    expect(resolveBase(git, { configured: 'main', option }, askGit)).toEqual({
      ok: false,
      failure: `No branch or commit ${JSON.stringify(option)} to compare with.`,
    });
  },
);
