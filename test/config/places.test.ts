import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { splitFrontMatter } from '../../src/config/read-config';
import { compileConfig } from '../../src/core/compile-config';

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
  ['.isdlc/config', 'workflows', '{"rules": {"a": 1}}', { rules: { a: 1 } }],
  ['.claude/hooks/config', 'skills-manifest', '{"version": "4"}', { version: '4' }],
  ['.isdlc', 'monorepo', '{"default_project": "api"}', { default_project: 'api' }],
] as const)('below %s the file %s.json is read with all its keys', (directory, name, text, expected) => {
  write(`w/${directory}/${name}.json`, text);
  expect(compile().valid).toEqual({ '.isdlc': { [name]: { [directory]: expected } } });
});

test('a mistake in the head of a Markdown file is shown at its own line', () => {
  write('w/.gauntlet/reviews/code.md', '---\nnum: [\n---\nLook.\n');
  expect(compile().diagnostics[0]).toMatchObject({
    code: 'config.syntax',
    place: { file: '.gauntlet/reviews/code.md', line: 2 },
  });
});

test.each([
  ['', '', '', 1],
  ['no head\n---\na: 1\n---\n', '', 'no head\n---\na: 1\n---', 1],
  ['---\na: 1\n', '', '---\na: 1', 1],
  ['---\r\na: 1\r\n---\r\nbody', '\na: 1', 'body', 4],
  ['---\na: 1\n---\n\n\n# Title\n\ntext\n', '\na: 1', '# Title\n\ntext', 6],
  ['---\na: 1\n---\n', '\na: 1', '', 4],
  ['---\n---\nbody', '', 'body', 3],
])('%j has the head %j and the body %j from line %i on', (text, head, body, bodyLine) => {
  expect(splitFrontMatter(text)).toEqual({ head, body, bodyLine });
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

test('a link that leads nowhere is told of, unless it is how an editor marks what it has open', () => {
  write(
    'w/.gauntlet/config.yml',
    '{cli: {default_preference: [claude]}, entry_points: [{path: ".", checks: [lint]}]}\n',
  );
  write('w/.gauntlet/checks/lint.yml', 'command: "true"\n');
  symlinkSync('me@host.4711:1', join(dir, 'w/.gauntlet/checks/.#lint.yml'));
  expect(compile().diagnostics).toEqual([]);
  symlinkSync('/nonexist', join(dir, 'w/.gauntlet/checks/test.yml'));
  expect(compile().diagnostics).toMatchObject([
    {
      code: 'config.unreadable',
      message: 'the file is a broken symlink',
      place: { file: '.gauntlet/checks/test.yml' },
    },
  ]);
});
