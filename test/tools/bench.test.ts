import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overBudget } from '../../bench/budgets.mjs';

const PROJECT = join(import.meta.dirname, '../..');

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdpoint-bench-test-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** The bench, with a temporary directory of its own so that what it leaves behind is seen. */
function bench(...args: string[]) {
  return benchOf(process.env, args);
}

function benchOf(environment: NodeJS.ProcessEnv, args: readonly string[]) {
  return spawnSync(process.execPath, ['bench/bench.mjs', '--rounds', '1', ...args], {
    cwd: PROJECT,
    env: { ...environment, TMPDIR: dir },
    encoding: 'utf8',
  });
}

/** A build whose hook is nothing but this. */
function buildWith(hook: string): NodeJS.ProcessEnv {
  const dist = mkdtempSync(join(dir, 'dist-'));
  writeFileSync(join(dist, 'hook.cjs'), hook);
  return { ...process.env, HOLDPOINT_DIST: dist };
}

describe('a budget', () => {
  const budgets = { events: { 'edit denied': 1.15 }, growth: { 'many sessions': 1.6 } };
  const edit = (cpuRatio: number) => ({ name: 'edit denied', cpuRatio });
  const many = (growth: number) => ({ name: 'many sessions', cpuRatio: 9, smallest: 'one session', growth });

  const CASES: Record<string, [rows: Parameters<typeof overBudget>[0], isWhole: boolean, said: string[]]> = {
    'is kept when it is met': [[edit(1.15), many(1.6)], true, []],
    'is broken by an event that costs more': [
      [edit(1.151), many(1)],
      true,
      ['edit denied: 1.151 of node -e 0 is over its budget of 1.15'],
    ],
    'is broken by what grows more than its smallest sibling': [
      [edit(1), many(1.7)],
      true,
      ['many sessions: 1.700 of one session is over its budget of 1.6'],
    ],
    'is nobody else’s': [[{ name: 'node -e 0', cpuRatio: 1 }, edit(1)], false, []],
    'that nothing answers to is told of in a whole run': [
      [edit(1)],
      true,
      ['budgets.json has a budget for "many sessions", which was not measured'],
    ],
    'that nothing answers to is no trouble where a part was asked for': [[edit(1)], false, []],
  };
  it.each(Object.entries(CASES))('%s', (_, [rows, isWhole, said]) => {
    expect(overBudget(rows, budgets, isWhole)).toEqual(said);
  });
});

it('prints and keeps a row for node alone and for every event asked for, and leaves nothing behind', () => {
  const file = join(dir, 'figures.json');
  const { stdout, stderr, status } = bench('--only', 'no guard', '--json', file);
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  const { rows, wrong, foot } = JSON.parse(readFileSync(file, 'utf8'));
  const names = rows.map(({ name }: { name: string }) => name);
  expect(names.slice(0, 2)).toEqual(['node -e 0', 'node empty.cjs']);
  expect(names).toContain('no guard: edit, no config');
  for (const name of names) expect(stdout).toContain(`\n${name} `);
  expect(rows[0]).toMatchObject({ cpuRatio: 1, wallRatio: 1 });
  for (const row of rows) expect(Math.min(row.wall50, row.cpu50, row.megabytes), row.name).toBeGreaterThan(1);
  expect(wrong).toEqual([]);
  for (const line of foot) expect(stdout).toContain(line);
  expect(readdirSync(dir)).toEqual(['figures.json']);
});

it('takes no figures of a hook that answers wrongly', () => {
  const { stdout, status } = benchOf(buildWith(''), ['--only', 'requirements: edit denied']);
  expect(stdout).toContain('! requirements: edit denied: answered {"status":0,"stdout":"","stderr":""}');
  expect(status).toBe(1);
});

it('fails over a budget where it was asked to', () => {
  const slow = buildWith('const end = Date.now() + 60; while (Date.now() < end);');
  const said = '! no guard: settings changed: ';
  for (const [args, status] of [
    [[], 0],
    [['--check'], 1],
  ] as const) {
    const ended = benchOf(slow, ['--only', 'settings changed', ...args]);
    expect(ended).toMatchObject({ stdout: expect.stringContaining(said), status });
  }
});

it('has a row for every budget', () => {
  const { events, growth } = JSON.parse(readFileSync(join(PROJECT, 'bench/budgets.json'), 'utf8'));
  const list = bench('--list', '--growth').stdout.split('\n');
  expect([...Object.keys(events), ...Object.keys(growth)].filter((name) => !list.includes(name))).toEqual([]);
});

it.each([
  ['--rounds wants a number from 1 on, not 0', ['--rounds', '0']],
  ['--only wants a regular expression', ['--only', '(']],
])('says what it does not understand: %s', (said, args) => {
  const { stderr, status } = bench(...args);
  expect({ stderr, status }).toEqual({ stderr: expect.stringContaining(said), status: 2 });
});
