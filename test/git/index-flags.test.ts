import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { findGit } from '../../src/git/head';
import { takeSnapshot } from '../../src/git/snapshot-tree';

const space = mkdtempSync(join(tmpdir(), 'flags-'));
afterAll(() => rmSync(space, { recursive: true, force: true }));

it.each([
  ['2', 'sha1'],
  ['3', 'sha1'],
  ['4', 'sha1'],
  ['4', 'sha256'],
  ['2, split in two files,', 'sha1'],
])(
  'the marks of an index of version %s with %s are ignored by a snapshot, and stay',
  async (version, format) => {
    const root = join(space, `v${version}-${format}`);
    for (const dir of ['src/deep', 'aa']) mkdirSync(join(root, dir), { recursive: true });
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
    git('init', '-q', `--object-format=${format}`);
    // In version 4, two bytes say how much shorter the name after it is, and the second is a zero.
    const long = `aa/${'l'.repeat(126)}`;
    const names = ['a', long, 'ab', 'src/a.js', 'src/deep/a b.js', 'src/deep/ä.js', 'src/deep/z'];
    for (const name of names) writeFileSync(join(root, name), name);
    git('add', '-A');
    git('update-index', '--index-version', version.slice(0, 1));
    const marked = (): string => git('ls-files', '-v', '-z');
    git('update-index', '--assume-unchanged', 'ab', 'src/deep/ä.js');
    git('update-index', '--skip-worktree', 'src/deep/a b.js', 'src/deep/z');
    if (version.includes('split')) git('update-index', '--split-index');
    const before = marked();
    expect(before).toBe(
      `H a\0H ${long}\0h ab\0H src/a.js\0S src/deep/a b.js\0S src/deep/z\0h src/deep/ä.js\0`,
    );
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
    expect(listed.map((line) => line.split(/\s/)[2])).toEqual(names.slice(0, -1).map(() => blob));
    expect(marked()).toBe(before);
  },
);
