import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandBraces, matchesName } from '../../../src/core/text';
import { appliesToPaths, matchesPathBelow as matchesPath } from '../../../src/guards/requirements/judge';

describe('a path glob', () => {
  test.each([
    ['src/a.ts', 'src/a.ts', true],
    ['src/a.ts', 'src/a.tsx', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/*', 'src/.env', true],
    ['*', 'a.ts', true],
    ['*', 'src/a.ts', false],
    ['**', 'a', true],
    ['**', 'src/deep/a.ts', true],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'src/deep/a.ts', true],
    ['**/*.ts', 'src/a.js', false],
    ['src/**', 'src/deep/a.ts', true],
    ['src/**', 'src', true],
    ['src/**', 'source/a.ts', false],
    ['src/**/a.ts', 'src/a.ts', true],
    ['src/**/a.ts', 'src/x/y/a.ts', true],
    ['src/**/x/**/a.ts', 'src/1/x/2/3/a.ts', true],
    ['src/**/x/**/a.ts', 'src/1/y/2/a.ts', false],
    ['**/migrations/**', 'db/migrations/1.sql', true],
    ['src/', 'src/deep/a.ts', true],
    ['src/', 'other/a.ts', false],
    ['./src/*.ts', 'src/a.ts', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a?c', 'a/c', false],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b*', 'xxbxxaxx', false],
    ['a.b', 'axb', false],
    ['(a|b)+', '(a|b)+', true],
    ['日*', '日本', true],
    ['', 'a', false],
    ['[abc].ts', 'b.ts', true],
    ['[abc].ts', 'd.ts', false],
    ['[abc].ts', '[abc].ts', false],
    ['[!a].ts', 'b.ts', true],
    ['[!a].ts', 'a.ts', false],
    ['[^a].ts', 'a.ts', false],
    ['[a-cx].ts', 'x.ts', true],
    ['[a-cx].ts', 'd.ts', false],
    ['v[0-9]*', 'v10', true],
    ['v[0-9]*', 'vx', false],
    ['[]a]', ']', true],
    ['[!]a]', ']', false],
    ['[a-]', '-', true],
    ['[a\\-c]', 'b', false],
    ['[a\\]]', ']', true],
    ['[\\\\]', '\\', true],
    ['a[/]b', 'a/b', false],
    ['**/[st]*/*.ts', 'x/src/a.ts', true],
    ['app/\\[id\\]/page.tsx', 'app/[id]/page.tsx', true],
    ['\\[id]', '[id]', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['\\!a', '!a', true],
    ['\\{a,b\\}', '{a,b}', true],
    ['[a', '[a', true],
    ['a\\', 'a\\', true],
  ])('%s and %s: %s', (glob, path, expected) => {
    expect(matchesPath(glob, path)).toBe(expected);
  });

  test('never throws, and a path means itself', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (glob, path) => typeof matchesPath(glob, path) === 'boolean'),
    );
    const part = fc.string({ minLength: 1 }).filter((text) => !/[*?/[\\]/.test(text) && text !== '.');
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), (parts) => matchesPath(parts.join('/'), parts.join('/'))),
    );
  });

  test('answers at once, however long the path and however many the stars', () => {
    const path = 'a/'.repeat(200_000).concat('b');
    expect(matchesPath('**/'.repeat(20).concat('c'), path)).toBe(false);
    expect(matchesPath('*a'.repeat(30).concat('c'), 'a'.repeat(50_000))).toBe(false);
  }, 10_000);
});

describe('a name', () => {
  test.each([
    ['release/*', 'release/1', true],
    ['release/*', 'release/1/x', true],
    ['v[0-9].?', 'v1.x', true],
    ['v[0-9].?', 'v1.xx', false],
    ['*', 'main', true],
    ['main', 'maint', false],
  ])('%s and %s: %s', (glob, name, expected) => {
    expect(matchesName(glob, name)).toBe(expected);
  });
});

describe('the paths of a call', () => {
  const root = '/w';
  test.each<[string, string[], string[], string[], boolean]>([
    ['are meant where no path is named', ['/w/a.ts'], [], [], true],
    ['are meant where there is none', [], ['src/**'], ['**'], true],
    ['are meant by one that is named', ['/w/src/a.ts'], ['src/**'], [], true],
    ['are not meant by others', ['/w/docs/a.md'], ['src/**'], [], false],
    ['are meant if only one of several is', ['/w/docs/a.md', '/w/src/a.ts'], ['src/**'], [], true],
    ['are not meant where they are excluded', ['/w/src/a.test.ts'], ['src/**'], ['**/*.test.ts'], false],
    ['are meant where nothing but others is excluded', ['/w/src/a.ts'], [], ['**/*.md'], true],
    ['are not meant where all of them are excluded', ['/w/a.md', '/w/b.md'], [], ['*.md'], false],
    ['outside the project keep their names', ['/etc/passwd'], ['/etc/*'], [], true],
    ['with a slash in front begin at the root of the project', ['/w/src/a.ts'], ['/src/**'], [], true],
    ['with a slash in front do not lie deeper', ['/w/x/src/a.ts'], ['/src/**'], [], false],
    ['of the project may be written out whole', ['/w/src/a.ts'], ['/w/src/**'], [], true],
    ['outside the project are not below it', ['/etc/passwd'], ['*'], [], false],
    ['that begin like the project are outside', ['/wx/a'], ['*'], [], false],
    ['that begin with two dots are inside', ['/w/..a'], ['..a'], [], true],
    ['that climb out and back are inside', ['/w/../w/a.ts'], ['a.ts'], [], true],
  ])('%s', (_sentence, paths, wanted, excluded, expected) => {
    expect(appliesToPaths(paths, root, wanted, excluded)).toBe(expected);
  });
});

describe('alternatives in braces', () => {
  test.each<[string, string[]]>([
    ['*.{ts,tsx}', ['*.ts', '*.tsx']],
    ['{a,b}/{c,d}', ['a/c', 'a/d', 'b/c', 'b/d']],
    ['a{,.x}', ['a', 'a.x']],
    ['{a,{b,c}}', ['a', 'b', 'c']],
    ['{a}', ['{a}']],
    ['a{b', ['a{b']],
    ['\\{a,b\\}', ['\\{a,b\\}']],
    ['{a\\{,b}', ['a\\{', 'b']],
    ['plain', ['plain']],
  ])('%s', (glob, globs) => {
    expect(expandBraces([glob]).sort()).toEqual([...globs].sort());
  });

  test('stay within bounds', () => {
    expect(expandBraces(['{a,b}'.repeat(30)]).length).toBeLessThan(1000);
  });
});
