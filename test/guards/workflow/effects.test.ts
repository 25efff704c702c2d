import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runEffect } from '../../../src/guards/workflow/effects';
import { makeScratch, type Scratch } from '../../git/scratch-repo';

let scratch: Scratch;
let root: string;
beforeEach(() => {
  scratch = makeScratch();
  root = scratch.repo('project');
  write('src/a.ts', 'one');
  scratch.git(root, 'add', '--all');
  scratch.git(root, 'commit', '--quiet', '-m', 'second');
});
afterEach(() => scratch.remove());

function write(path: string, text: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const found = (dir = root) =>
  runEffect('tree', dir, {
    projectRoot: dir,
    env: { PATH: process.env['PATH'], HOME: join(scratch.dir, 'home') },
    deadline: Date.now() + 60_000,
  });

describe('the tree that evidence is bound to', () => {
  test('is told with the commit', async () => {
    expect(await found()).toEqual({
      tree: scratch.git(root, 'rev-parse', 'HEAD^{tree}'),
      head: scratch.git(root, 'rev-parse', 'HEAD'),
    });
  });

  test.each<[sentence: string, act: () => void]>([
    ['an edit', () => write('src/a.ts', 'two')],
    ['a new file', () => write('src/b.ts', 'new')],
    ['a file beside the docs', () => write('src/docs/a.ts', 'new')],
    ['a name that only begins like docs', () => write('docs.ts', 'new')],
  ])('is another after %s', async (_, act) => {
    const before = await found();
    act();
    expect(await found()).not.toMatchObject({ tree: (before as { tree: string }).tree });
  });

  test.each<[sentence: string, act: () => void]>([
    ['what was edited has been committed', () => scratch.git(root, 'commit', '--quiet', '-am', 'third')],
    ['the state of the workflow is written', () => write('.isdlc/state.json', '{}')],
    [
      'even where that is committed',
      () => {
        write('.isdlc/state.json', '{"a":1}');
        scratch.git(root, 'add', '--force', '.isdlc');
        scratch.git(root, 'commit', '--quiet', '-m', 'state');
      },
    ],
    ['a page of the docs is written', () => write('docs/guide/a.html', 'x')],
    ['a text is written anywhere', () => write('src/deep/NOTES.md', 'x')],
    ['a text at the top is written', () => write('README.md', 'x')],
    ['the index is changed alone', () => scratch.git(root, 'add', '--all')],
  ])('is the same after %s', async (_, act) => {
    write('src/a.ts', 'edited');
    const { tree } = (await found()) as { tree: string };
    act();
    expect(await found()).toMatchObject({ tree });
  });

  test('leaves the index as it was', async () => {
    write('src/b.ts', 'new');
    await found();
    expect(scratch.git(root, 'status', '--porcelain')).toBe('?? src/b.ts');
  });

  test('a branch without a commit has none', async () => {
    const young = join(scratch.dir, 'young');
    mkdirSync(young);
    scratch.git(young, 'init', '--quiet', '-b', 'main');
    expect(await found(young)).toMatchObject({ head: null });
  });

  test('is in trouble where there is no repository', async () => {
    expect(await found(scratch.dir)).toEqual({ trouble: 'there is no repository' });
  });
});
