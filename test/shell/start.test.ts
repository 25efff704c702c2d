import { describe, expect, test } from 'vitest';
import type { PossibleValues } from '../../src/core/command-effects';
import { effectsOf } from '../../src/shell';
import type { Start } from '../../src/shell/scope';

const here: Start = {
  cwd: '/repo',
  repositoryAt: (directory) => (directory === '/repo' ? { root: '/repo', branch: 'main' } : undefined),
};

describe('where only one directory is known', () => {
  test.each<[sentence: string, line: string, branch: PossibleValues]>([
    ['the start directory is on the given branch', 'git commit', ['main']],
    ['so it is after coming back', 'cd sub && cd .. && git commit', ['main']],
    ['a directory below may be another repository', 'cd sub && git commit', [undefined]],
    ['a directory beside is another one', 'cd /other && git commit', [undefined]],
    ['a branch chosen there is known there', 'cd sub && git switch x && git commit', ['x']],
    ['and makes the one here uncertain', 'cd sub && git switch x && cd .. && git commit', [undefined]],
    ['also if it was met before', 'git add . && git -C sub switch x && git commit', [undefined]],
    ['a branch chosen in an unknown place as well', 'git -C "$D" switch x && git commit', [undefined]],
  ])('%s', (_, line, branch) => {
    expect(effectsOf(line, here).git.at(-1)).toMatchObject({ operation: 'commit', branch });
  });
});

test('without anybody to ask, no branch is known until one is chosen', () => {
  const { git } = effectsOf('git commit; git switch x && git commit', { cwd: '/repo' });
  expect(git.map(({ branch }) => branch)).toEqual([[undefined], [undefined], ['x']]);
});

test('directories are asked about only when git is called there', () => {
  const asked: string[] = [];
  const repositoryAt = (directory: string) => {
    asked.push(directory);
    return { root: '/repo', branch: 'topic' };
  };
  const { git } = effectsOf('cd a && ls && cd b && git commit', { ...here, repositoryAt });
  expect(asked).toEqual(['/repo/a/b']);
  expect(git[0]?.branch).toEqual(['topic']);
});

test('the home directory is unknown unless it is told', () => {
  expect(effectsOf('echo x > ~/a', here).writes[0]).toEqual({
    path: [undefined],
    text: '~/a',
    how: 'redirect',
  });
});

describe('a directory that does not exist', () => {
  test.each<[line: string, paths: readonly string[]]>([
    ['cd gone && echo x > a', ['/repo/gone/a']],
    ['cd gone && true; echo x > a', ['/repo/gone/a', '/repo/a']],
    ['cd gone || true; echo x > a', ['/repo/gone/a', '/repo/a']],
    ['cd gone; echo x > a', ['/repo/gone/a', '/repo/a']],
    ['mkdir -p gone; cd gone; echo x > a', ['/repo/gone/a', '/repo/a']],
    ['mkdir -p gone && cd gone && echo x > a', ['/repo/gone/a']],
  ])('%s', (line, paths) => {
    const { writes } = effectsOf(line, { ...here, isDirectory: (path) => path === '/repo' });
    const redirects = writes.filter(({ how }) => how === 'redirect');
    expect(redirects.flatMap(({ path }) => path)).toEqual(paths);
    expect(redirects.some(({ aside }) => aside)).toBe(line.startsWith('mkdir -p gone;'));
  });

  test('likely leaves the line where it was too', () => {
    const repositoryAt = (root: string) => ({ root, branch: root === '/repo' ? 'main' : 'other' });
    const isDirectory = (path: string) => path === '/repo';
    const [commit] = effectsOf('cd gone; git commit', { ...here, repositoryAt, isDirectory }).git;
    const written = commit?.likely?.refsWritten.flatMap(({ ref }) => ref);
    expect(written).toEqual(['other', 'main']);
  });
});

describe('going back to the branch before', () => {
  const heads = ['work', 'main'];
  const commitOf = (ref: string) => (heads.some((name) => ref === `refs/heads/${name}`) ? 'c' : undefined);
  const onWork: Start = {
    cwd: '/repo',
    repositoryAt: () => ({ root: '/repo', branch: 'work', previous: () => 'release', commitOf }),
  };
  test.each<[line: string, branches: readonly (string | undefined)[]]>([
    ['git stash; git switch main; npm test; git switch -; git stash pop; git commit -am x', ['work']],
    ['git checkout main; npm test; git checkout -; git commit -m x', ['work']],
    ['git switch main && git switch - && git commit -m x', ['work']],
    ['git switch -; git commit -m x', ['release']],
    ['git switch main; git commit -m x', ['main']],
    // Where the first switch fails, the second one goes to the branch before that.
    ['git switch gone; git switch -; git commit -m x', ['work', 'release']],
  ])('%s', (line, branches) => {
    const { branch, likely, refsWritten } = effectsOf(line, onWork).git.at(-1) ?? {};
    const written = (likely?.refsWritten ?? refsWritten ?? []).flatMap(({ ref }) => ref);
    expect([branch === undefined, [...written].sort()]).toEqual([false, [...branches].sort()]);
  });
});
