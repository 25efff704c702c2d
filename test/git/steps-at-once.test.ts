import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type StepsAtOnce, stepsAtOnce } from '../../src/git/steps-at-once';
import { makeScratch, type Scratch } from './scratch-repo';

let scratch: Scratch;
beforeAll(() => {
  scratch = makeScratch();
});
afterAll(() => scratch.remove());

const COMPARISON = ['diff-index', '--cached', '-r', '-z', '--name-only', '--merge-base'];
let copies = 0;

async function steps(root: string, end: readonly string[], env = {}): Promise<StepsAtOnce | undefined> {
  const index = join(scratch.dir, `index-${copies++}`);
  if (existsSync(join(root, '.git/index'))) copyFileSync(join(root, '.git/index'), index);
  const call = { cwd: root, index, env: { PATH: process.env['PATH'], HOME: scratch.dir, ...env } };
  const found = await stepsAtOnce(call, [':(top,exclude)left out'], [...COMPARISON, ...end]);
  expect(existsSync(`${index}.steps`)).toBe(false);
  return found;
}

it('tells the tree and the changed files, whatever their names', async () => {
  const root = scratch.repo('names');
  const names = ['a\nb', 'say "it"', '$(exit 1)', '\u00e9', '-c'];
  for (const name of [...names, 'left out']) writeFileSync(join(root, name), name);
  const found = await steps(root, ['main', '--']);
  expect(found?.added.code).toBe(0);
  expect(found?.compared.printed.split('\0').sort()).toEqual(['', ...names].sort());
  const listed = scratch.git(root, 'ls-tree', '-z', '--name-only', found?.tree ?? '');
  expect(listed.split('\0').sort()).toEqual(['', ...names].sort());
});

it('without a change the list is empty', async () => {
  const root = scratch.repo('same');
  expect((await steps(root, ['main', '--']))?.compared.printed).toBe('');
});

it.each([
  ['a comparison that fails', ['nowhere', '--'], {}],
  ['words that a shell would take apart', ['main', 'a b'], {}],
  ['a word with a meaning of its own to a shell', ['*', '--'], {}],
  ['no git', ['main', '--'], { PATH: '/nowhere' }],
])('with %s it has no answer', async (_name, end, env) => {
  expect(await steps(scratch.repo(`trouble-${copies}`), end, env)).toBeUndefined();
});
