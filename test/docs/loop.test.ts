import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeIn, ROOT, textOf } from './documents';

const GUIDE = textOf('docs/loop.md');

function run(...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: join(ROOT, 'nowhere') };
  const file = join(ROOT, 'dist', 'holdpoint.cjs');
  return spawnSync(process.execPath, [file, ...args], { cwd: ROOT, env, encoding: 'utf8' }).stdout;
}

test('the guide of loops names every command', () => {
  const known = [...run('loop', 'help').matchAll(/^ {2}(\w+) {2}/gm)].flatMap(([, name = '']) =>
    name === 'help' ? [] : [name],
  );
  expect(known.length).toBeGreaterThan(5);
  expect(known.filter((name) => !GUIDE.includes(`holdpoint loop ${name}`))).toEqual([]);
});

test('the guide of loops names every option of start', () => {
  const options = [...new Set(run('loop', 'start', '--help').match(/--[a-z-]+/g))].filter(
    (option) => option !== '--help',
  );
  expect(options.length).toBeGreaterThan(10);
  const named = codeIn(GUIDE).map((code) => code.split(' ')[0]);
  expect(options.filter((option) => !named.includes(option))).toEqual([]);
});
