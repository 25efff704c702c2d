import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { commandFile } from '../e2e/rig';
import { blocksIn, codeIn, DOCUMENTS, textOf } from './documents';

const home = mkdtempSync(join(tmpdir(), 'holdpoint-docs-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function run(command: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: home };
  const { stdout, stderr } = spawnSync(process.execPath, [commandFile(command), ...args], {
    cwd: home,
    env,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

/** The names that follow a program wherever a document shows it being called. */
function namesAfter(program: string): string[] {
  const code = DOCUMENTS.map(textOf).flatMap((text) => [...codeIn(text), ...blocksIn(text, 'sh')]);
  const calls = code.flatMap((each) => each.split(/&&|\n/)).map((call) => call.trim().split(/\s+/));
  const width = program.split(' ').length;
  const after = calls.filter((words) => words.slice(0, width).join(' ') === program && words.length > width);
  return [...new Set(after.map((words) => words[width] ?? ''))];
}

describe('the commands that the documents name', () => {
  test.each([
    ['holdpoint', () => [...run('holdpoint', 'help').matchAll(/^ {2}(\w+) {2}/gm)].map(([, name]) => name)],
    ['req', () => /Known: ([\w, ]+)\./.exec(run('req', 'nothing'))?.[1]?.split(', ') ?? []],
    ['npm run', () => Object.keys(JSON.parse(textOf('package.json')).scripts)],
  ])('of %s are there', (program, known) => {
    const named = namesAfter(program);
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((name) => !known().includes(name))).toEqual([]);
  });

  test.each(['docs/commands.md', 'docs/requirements.md'])('of req are all told in %s', (document) => {
    const told = codeIn(textOf(document)).map((code) => code.split(' ').slice(0, 2).join(' '));
    const known = /Known: ([\w, ]+)\./.exec(run('req', 'nothing'))?.[1]?.split(', ') ?? [];
    expect(known.length).toBeGreaterThan(10);
    expect(known.filter((name) => name !== 'help' && !told.includes(`req ${name}`))).toEqual([]);
  });

  test('take --json, but for those of which it is said that they do not', () => {
    const [, without = ''] = /^All but (.+?) take `--json`/m.exec(textOf('docs/commands.md')) ?? [];
    const all = JSON.parse(run('holdpoint', 'help', '--json')) as { command: string }[];
    const usageOf = (command: string): string =>
      JSON.parse(run('holdpoint', 'help', command, '--json')).usage;
    // A noun only passes on what follows it.
    const silent = all.filter(({ command }) => !/--json|\[command\]/.test(usageOf(command)));
    expect(silent.map(({ command }) => command).sort()).toEqual(codeIn(without).sort());
  });

  test('to run and to test a fresh clone are one line each', () => {
    expect(blocksIn(textOf('README.md'), 'sh')).toEqual(['npm ci && npm run try\n', 'npm ci && npm test\n']);
  });
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

/** The keys of a schema, those of mappings inside it by their whole way. */
function keysOf({ properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([key, inner]) =>
    inner.properties === undefined ? [key] : keysOf(inner).map((name) => `${key}.${name}`),
  );
}

test('the guide of requirements names every key', () => {
  const { properties = {} } = JSON.parse(run('holdpoint', 'schema')) as Schema;
  const entry = properties['requirements']?.additionalProperties;
  const own = typeof entry === 'object' ? Object.keys(entry.properties ?? {}) : [];
  const hooks = keysOf(properties['hooks'] ?? {});
  expect(Math.min(own.length, hooks.length)).toBeGreaterThan(10);
  const named = codeIn(textOf('docs/requirements.md'));
  expect([...own, ...hooks].filter((key) => !named.includes(key))).toEqual([]);
});
