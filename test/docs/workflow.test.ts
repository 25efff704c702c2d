import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RULE_NAMES } from '../../src/guards/workflow/model';
import { runNow } from '../e2e/rig';
import { blocksIn, codeIn, textOf } from './documents';

const GUIDE = textOf('docs/workflow.md');
const SAMPLES = blocksIn(GUIDE, 'yaml');

let scratch = '';
beforeAll(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-docs-')));
  spawnSync('git', ['init', '--quiet', '-b', 'main', scratch]);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function run(...args: string[]): { stdout: string; stderr: string } {
  const env = { PATH: process.env['PATH'] ?? '', HOME: join(scratch, 'home') };
  return runNow('holdpoint', args, '', { cwd: scratch, env });
}

test('the guide of workflows names every command', () => {
  const known = [...run('flow', 'help').stdout.matchAll(/^ {2}(\w[\w-]*) {2}/gm)].flatMap(([, name = '']) =>
    name === 'help' ? [] : [name],
  );
  expect(known.length).toBeGreaterThan(8);
  expect(known.filter((name) => !GUIDE.includes(`\`holdpoint flow ${name}`))).toEqual([]);
});

test('the guide of workflows names every option of start', () => {
  const options = [...new Set(run('flow', 'start', '--help').stdout.match(/--[a-z-]+/g))].filter(
    (option) => option !== '--help',
  );
  expect(options.length).toBeGreaterThan(6);
  const named = codeIn(GUIDE).map((code) => code.split(' ')[0]);
  expect(options.filter((option) => !named.includes(option))).toEqual([]);
});

test('the guide of workflows names every rule', () => {
  const named = codeIn(GUIDE);
  expect(RULE_NAMES.filter((name) => !named.includes(name))).toEqual([]);
});

test('the guide of workflows has the built-in ones with their phases', () => {
  const { stdout } = run('flow', 'start', '--help');
  expect(stdout).toContain('WORKFLOW');
  const rows = [...GUIDE.matchAll(/^\| `([\w-]+)` \| ((?:\w\w-[\w-]+(?:, )?)+)/gm)];
  expect(rows).toHaveLength(7);
  for (const [, name = '', phases = ''] of rows) {
    run('flow', 'start', name, '--branch', `try/${name}`);
    const { phases: known } = JSON.parse(run('flow', 'status', '--json').stdout) as {
      phases: { name: string }[];
    };
    expect(known.map((phase) => phase.name)).toEqual(phases.split(', '));
    run('flow', 'cancel', '--reason', 'seen');
  }
});

test.each([
  ['change', 'CHG-0001'],
  ['hotfix', 'HOT-0001'],
])('the workflow %s of the samples starts', (name, artifact) => {
  mkdirSync(join(scratch, '.holdpoint'), { recursive: true });
  const sample = SAMPLES.find((text) => text.includes(`${name}:`)) ?? '';
  writeFileSync(join(scratch, '.holdpoint', 'config.yaml'), sample);
  const { stdout } = run('flow', 'start', name);
  run('flow', 'cancel', '--reason', 'seen');
  expect(stdout).toContain(`Started ${name} ${artifact}`);
});
