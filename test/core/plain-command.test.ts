import { describe, expect, test } from 'vitest';
import { isReadingCall, plainKind } from '../../src/core/plain-command';

const reads = (command: unknown): boolean => isReadingCall({ tool_input: { command } } as never);

describe('a command line that only reads', () => {
  test.each([
    'ls',
    'ls -la src && cat src/a.js | head -20',
    'git status',
    'git diff main -- src/a.js',
    'git log --oneline -5; git branch --show-current',
    'cd src && grep -rn foo .',
    'find . -name a.js',
    'git stash list',
  ])('is known by its words: %s', (command) => {
    expect(reads(command)).toBe(true);
  });

  test.each([
    '',
    'npm test',
    'ls > out',
    'ls "$(rm -rf src)"',
    'cat a | tee b',
    'cat a && sh b',
    'FOO=1 ls',
    './ls',
    'find . -delete',
    'find . -exec rm x',
    'git diff --output=x',
    'git branch -D x',
    'git branch x',
    'git stash',
    'git -c alias.status=x status',
    'git tag x',
    'xargs rm',
    'sort -o a b',
    'l\\s',
    'ls\nrm a',
    undefined,
  ])('is no other: %s', (command) => {
    expect(reads(command)).toBe(false);
  });
});

test.each([
  ['git status 2>&1 | head', 'reads'],
  ['npm test 2>&1 | tail -20', 'runs'],
  ['cd src && npm run build:all', 'runs'],
  ['make -j4 test', 'runs'],
  ['npx tsc', 'runs'],
  ['npx prettier --write src', undefined],
  ['npm install', undefined],
  ['npm version patch', undefined],
  ['npm test > out', undefined],
  ['npm test; git commit', undefined],
  ['cargo fmt', undefined],
])('%s: %s', (command, kind) => {
  expect(plainKind(command)).toBe(kind);
});
