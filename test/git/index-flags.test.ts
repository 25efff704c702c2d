import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { findGit } from '../../src/git/head';
import { flaggedIn, takeSnapshot } from '../../src/git/snapshot-tree';

const space = mkdtempSync(join(tmpdir(), 'flags-'));
afterAll(() => rmSync(space, { recursive: true, force: true }));

it.each([
  ['2', 'sha1'],
  ['3', 'sha1'],
  ['4', 'sha1'],
  ['4', 'sha256'],
])('an index of version %s with %s shows its marks, and a snapshot ignores them', async (version, format) => {
  const root = join(space, `v${version}-${format}`);
  mkdirSync(join(root, 'src/deep'), { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  git('init', '-q', `--object-format=${format}`);
  const names = ['a', 'ab', 'src/a.js', 'src/deep/a b.js', 'src/deep/ä.js', 'src/deep/z'];
  for (const name of names) writeFileSync(join(root, name), name);
  git('add', '-A');
  git('update-index', '--index-version', version);
  const index = join(root, '.git/index');
  expect(flaggedIn(index, join(root, '.git'))).toEqual({ assumed: [], skipped: [] });
  git('update-index', '--assume-unchanged', 'ab', 'src/deep/ä.js');
  git('update-index', '--skip-worktree', 'src/deep/a b.js', 'src/deep/z');
  const flagged = { assumed: ['ab', 'src/deep/ä.js'], skipped: ['src/deep/a b.js', 'src/deep/z'] };
  expect(flaggedIn(index, join(root, '.git'))).toEqual(flagged);
  for (const name of names.slice(0, -1)) writeFileSync(join(root, name), 'changed');
  rmSync(join(root, 'src/deep/z'));
  const place = findGit(root);
  if (place === undefined) throw new Error('no repository');
  const taken = await takeSnapshot(place, { env: process.env, leaveOut: [] });
  if (!taken.ok) throw new Error(taken.failure);
  const listed = git('ls-tree', '-r', '-z', taken.value.tree).split('\0').filter(Boolean);
  taken.value.dispose();
  const blob = execFileSync('git', ['hash-object', '--stdin'], {
    cwd: root,
    input: 'changed',
    encoding: 'utf8',
  }).trim();
  expect(listed.map((line) => line.split(/[\s]/)[2])).toEqual(names.slice(0, -1).map(() => blob));
  expect(flaggedIn(index, join(root, '.git'))).toEqual(flagged);
});

it('what is no index has no marks', () => {
  writeFileSync(join(space, 'odd'), 'DIRC\0\0\0\x02\0\0\0\x05');
  expect(flaggedIn(join(space, 'odd'), space)).toEqual({ assumed: [], skipped: [] });
  expect(flaggedIn(join(space, 'none'), space)).toEqual({ assumed: [], skipped: [] });
});
