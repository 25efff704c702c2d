import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RULE_NAMES } from '../../src/guards/workflow/model';
import { blocksIn, codeIn, ROOT, textOf } from './documents';

const GUIDE = textOf('docs/workflow.md');
const DIST = process.env['HOLDPOINT_DIST'] ?? join(ROOT, 'dist');
const [sample = ''] = blocksIn(GUIDE, 'yaml');

let scratch = '';
beforeAll(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-docs-')));
  spawnSync('git', ['init', '--quiet', '-b', 'main', scratch]);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function run(...args: string[]): { stdout: string; stderr: string } {
  const env = { PATH: process.env['PATH'], HOME: join(scratch, 'home') };
  return spawnSync(process.execPath, [join(DIST, 'holdpoint.cjs'), ...args], {
    cwd: scratch,
    env,
    encoding: 'utf8',
  });
}

test('the guide of workflows names every command', () => {
  const known = [...run('flow', 'help').stdout.matchAll(/^ {2}([\w-]+) {2}/gm)].flatMap(([, name = '']) =>
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

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** The keys of a schema and of all that is in it. */
function keysOf({ properties = {}, additionalProperties: more, items, anyOf = [] }: Schema): string[] {
  const inner = [...Object.values(properties), ...anyOf];
  const others = [...(typeof more === 'object' ? [more] : []), ...(items ? [items] : [])];
  return [...new Set([...Object.keys(properties), ...[...inner, ...others].flatMap(keysOf)])];
}

test('the guide of workflows names every key of the config', () => {
  const { properties } = JSON.parse(run('schema').stdout) as { properties: { workflow: Schema } };
  const keys = keysOf(properties.workflow);
  expect(keys.length).toBeGreaterThan(30);
  const named = [...codeIn(GUIDE), ...(sample.match(/[\w-]+(?=:)/g) ?? [])];
  expect(keys.filter((key) => !named.includes(key))).toEqual([]);
});

test('the sample config is accepted without a word', () => {
  mkdirSync(join(scratch, '.holdpoint'));
  writeFileSync(join(scratch, '.holdpoint', 'config.yaml'), sample);
  const { stdout, stderr } = run('flow', 'start', 'hotfix', '--no-audit');
  expect(stderr).toBe('');
  expect(stdout).toContain('Started hotfix HOT-0001: 7 phases');
});
