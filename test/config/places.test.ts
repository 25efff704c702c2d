import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { frontMatterOf } from '../../src/config/front-matter';
import { compileConfig } from '../../src/pipeline/compile-config';

let dir = '';
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-places-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

const compile = () => compileConfig(join(dir, 'w'), join(dir, 'home'));

test.each([
  ['gates', 'w/.gauntlet/config.yml', 'base_branch: main\n', { base_branch: 'main' }],
  ['gates', 'w/.gauntlet/checks/lint.yml', 'command: x\n', { checks: { lint: { command: 'x' } } }],
  [
    'gates',
    'w/.gauntlet/reviews/code.md',
    '---\nnum_reviews: 2\n---\nLook.\n',
    { reviews: { code: { num_reviews: 2 } } },
  ],
  ['gates', 'home/.config/agent-gauntlet/config.yml', 'debug_log: {}\n', { debug_log: {} }],
  ['workflow', 'w/.isdlc/config/phases.json', '{"a": 1}', { phases: { a: 1 } }],
  ['workflow', 'w/.claude/hooks/config/skills.json', '{"b": 2}', { skills: { b: 2 } }],
  ['workflow', 'w/.isdlc/monorepo.json', '{"c": 3}', { monorepo: { c: 3 } }],
] as const)('%s is read from %s, and said not to be enforced', (section, path, text, expected) => {
  write(path, text);
  const { valid, diagnostics } = compile();
  expect(valid).toEqual({ [section]: expected });
  expect(diagnostics).toMatchObject([{ code: 'config.not-enforced', severity: 'warning' }]);
});

test('a mistake in the head of a Markdown file is shown at its own line', () => {
  write('w/.gauntlet/reviews/code.md', '---\nnum: [\n---\nLook.\n');
  expect(compile().diagnostics[0]).toMatchObject({
    code: 'config.syntax',
    place: { file: '.gauntlet/reviews/code.md', line: 2 },
  });
});

test.each([
  ['', ''],
  ['no head\n---\na: 1\n---\n', ''],
  ['---\na: 1\n', ''],
  ['---\r\na: 1\r\n---\r\nbody', '\na: 1\r'],
])('the head of %j is %j', (text, head) => {
  expect(frontMatterOf(text)).toBe(head);
});

test('a directory that is missing is watched instead of all that could be in it', () => {
  write('w/.holdpoint/config.yaml', 'version: 1\n');
  const stamps = new Map(compile().stamps);
  expect(stamps.get(join(dir, 'w/.gauntlet'))).toBe('-');
  expect(stamps.has(join(dir, 'w/.gauntlet/config.yml'))).toBe(false);
  write('w/.gauntlet/config.yml', 'a: 1\n');
  const after = new Map(compile().stamps);
  expect(after.has(join(dir, 'w/.gauntlet/config.yml'))).toBe(true);
});
