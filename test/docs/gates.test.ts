import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksIn, codeIn, ROOT, textOf } from './documents';

const GUIDE = textOf('docs/gates.md');
const SAMPLES = blocksIn(GUIDE, 'yaml')
  .map((text) => ({ path: /^# (\S+)\n/.exec(text)?.[1] ?? '', text }))
  // The sample for CI is of a project of ours; the file is the same in both.
  .map(({ path, text }) => ({ path: path.replace('.holdpoint/ci.yml', '.gauntlet/ci.yml'), text }))
  .filter(({ path }) => path.startsWith('.gauntlet/'));

let scratch = '';
beforeAll(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-docs-')));
  spawnSync('git', ['init', '--quiet', scratch]);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function run(...args: string[]): { stdout: string; stderr: string } {
  const env = { PATH: process.env['PATH'], HOME: join(ROOT, 'nowhere') };
  const file = join(ROOT, 'dist', 'agent-gauntlet.cjs');
  return spawnSync(process.execPath, [file, ...args], { cwd: scratch, env, encoding: 'utf8' });
}

test('the guide of gates names every command', () => {
  const known = [...run('help').stdout.matchAll(/^ {2}(\w[\w-]*) {2}/gm)].flatMap(([, name = '']) =>
    name === 'help' ? [] : [name],
  );
  expect(known.length).toBeGreaterThan(10);
  expect(known.filter((name) => !GUIDE.includes(`\`holdpoint gates ${name}`))).toEqual([]);
});

test.each([['run'], ['init'], ['detect']])('the guide of gates names every option of %s', (verb) => {
  const { stdout } = run(verb, '--help');
  const options = [...new Set(stdout.match(/(?<=[ [])--?[a-z-]+/g))].filter(
    (option) => !['--yes', '-h', '--help'].includes(option),
  );
  expect(options.length).toBeGreaterThan(3);
  const named = codeIn(GUIDE).flatMap((code) => code.split(/[ =]/));
  expect(options.filter((option) => !named.includes(option))).toEqual([]);
});

test('the samples of the guide of gates are one valid config', () => {
  expect(SAMPLES.map(({ path }) => path)).toEqual([
    '.gauntlet/config.yml',
    '.gauntlet/checks/lint.yml',
    '.gauntlet/ci.yml',
  ]);
  const others = [
    { path: '.gauntlet/reviews/code-quality.md', text: 'Be strict.\n' },
    { path: '.gauntlet/docs/lint.md', text: 'Run the formatter.\n' },
  ];
  for (const { path, text } of [...SAMPLES, ...others]) {
    mkdirSync(dirname(join(scratch, path)), { recursive: true });
    writeFileSync(join(scratch, path), text);
  }
  expect(run('validate')).toMatchObject({ stdout: 'All config files are valid.\n', stderr: '', status: 0 });
  expect(run('ci', 'list-jobs')).toMatchObject({ stdout: expect.stringContaining('lint'), stderr: '' });
});
