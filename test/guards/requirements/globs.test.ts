import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesName, matchesPath } from '../../../src/core/glob';
import {
  arePathsMeant,
  nameTrouble,
  pathTrouble,
  toolTrouble,
  writtenOut,
} from '../../../src/guards/requirements/path-globs';

describe('a path glob', () => {
  test.each<[glob: string, matches: string[], others: string[]]>([
    ['src/a.ts', ['src/a.ts'], ['src/a.tsx']],
    ['src/*.ts', ['src/a.ts'], ['src/deep/a.ts']],
    ['src/*', ['src/.env'], []],
    ['*', ['a.ts'], ['src/a.ts']],
    ['**', ['a', 'src/deep/a.ts'], []],
    ['**/*.ts', ['a.ts', 'src/deep/a.ts'], ['src/a.js']],
    ['src/**', ['src/deep/a.ts', 'src'], ['source/a.ts']],
    ['src/**/a.ts', ['src/a.ts', 'src/x/y/a.ts'], []],
    ['src/**/x/**/a.ts', ['src/1/x/2/3/a.ts'], ['src/1/y/2/a.ts']],
    ['**/migrations/**', ['db/migrations/1.sql'], []],
    ['src/', ['src/deep/a.ts'], ['other/a.ts']],
    ['./src/*.ts', ['src/a.ts'], []],
    ['a?c', ['abc'], ['ac', 'a/c']],
    ['*a*b*', ['xxaxxbxx'], ['xxbxxaxx']],
    ['a.b', [], ['axb']],
    ['(a|b)+', ['(a|b)+'], []],
    ['日*', ['日本'], []],
    ['', [], ['a']],
    ['[abc].ts', ['b.ts'], ['d.ts', '[abc].ts']],
    ['[!a].ts', ['b.ts'], ['a.ts']],
    ['[^a].ts', [], ['a.ts']],
    ['[a-cx].ts', ['x.ts'], ['d.ts']],
    ['v[0-9]*', ['v10'], ['vx']],
    ['[]a]', [']'], []],
    ['[!]a]', [], [']']],
    ['[a-]', ['-'], []],
    ['[a\\-c]', [], ['b']],
    ['[a\\]]', [']'], []],
    ['[\\\\]', ['\\'], []],
    ['a[/]b', [], ['a/b']],
    ['**/[st]*/*.ts', ['x/src/a.ts'], []],
    ['app/\\[id\\]/page.tsx', ['app/[id]/page.tsx'], []],
    ['a\\*', ['a*'], ['ab']],
    ['\\{a,b\\}', ['{a,b}'], []],
    ['[a', ['[a'], []],
    ['a\\', ['a\\'], []],
  ])('%s', (glob, matches, others) => {
    expect(matches.filter((path) => !matchesPath(glob, path))).toEqual([]);
    expect(others.filter((path) => matchesPath(glob, path))).toEqual([]);
  });

  test('never throws, and a path means itself', () => {
    const answers = (glob: string, path: string) => typeof matchesPath(glob, path) === 'boolean';
    fc.assert(fc.property(fc.string(), fc.string(), answers));
    const part = fc.string({ minLength: 1 }).filter((text) => !/[*?/[\\]/.test(text) && text !== '.');
    const path = fc.array(part, { minLength: 1 }).map((parts) => parts.join('/'));
    fc.assert(fc.property(path, (one) => matchesPath(one, one)));
  });

  test('answers at once, however long the path and however many the stars', () => {
    expect(matchesPath('**/'.repeat(20).concat('c'), 'a/'.repeat(200_000).concat('b'))).toBe(false);
    expect(matchesPath('*a'.repeat(30).concat('c'), 'a'.repeat(50_000))).toBe(false);
  }, 10_000);

  test('of a name crosses slashes', () => {
    const matching = ['release/1', 'release/1/x', 'main'].filter((name) => matchesName('release/*', name));
    expect(matching).toEqual(['release/1', 'release/1/x']);
    expect(['v1.x', 'v1.xx'].map((name) => matchesName('v[0-9].?', name))).toEqual([true, false]);
  });
});

test.each<[string, string[], string[], string[], boolean]>([
  ['are meant where no path is named', ['/w/a.ts'], [], [], true],
  ['are meant where there is none', [], ['src/**'], ['**'], true],
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
])('the paths of a call %s', (_sentence, paths, wanted, excluded, expected) => {
  expect(arePathsMeant(paths, '/w', wanted, excluded)).toBe(expected);
});

test.each<[string, string[]]>([
  ['*.{ts,tsx}', ['*.ts', '*.tsx']],
  ['{a,b}/{c,d}', ['a/c', 'a/d', 'b/c', 'b/d']],
  ['a{,.x}', ['a', 'a.x']],
  ['{a,{b,c}}', ['a', 'b', 'c']],
  ['{a}', ['{a}']],
  ['a{b', ['a{b']],
  ['\\{a,b\\}', ['\\{a,b\\}']],
  ['{a\\{,b}', ['a\\{', 'b']],
])('the alternatives of %s are written out', (glob, globs) => {
  expect(writtenOut([glob]).sort()).toEqual([...globs].sort());
  expect(writtenOut(['{a,b}'.repeat(30)]).length).toBeLessThan(1000);
});

test.each<[(glob: string) => string | undefined, string, string | undefined]>([
  [pathTrouble, '!src/**', 'begins with `!`'],
  [pathTrouble, 'src/[ab', 'square brackets'],
  [pathTrouble, 'src/[z-a].ts', 'square brackets'],
  [pathTrouble, 'src/[a/b]', 'square brackets'],
  [pathTrouble, '[[:alpha:]]*', '[[:alpha:]]'],
  [pathTrouble, 'src/{a,b', 'without its other half'],
  [pathTrouble, 'src/a,b}', 'without its other half'],
  [pathTrouble, 'v{1..3}', 'range in braces'],
  [pathTrouble, 'src/+(a|b).ts', 'round brackets'],
  [pathTrouble, 'src/!(a).ts', 'round brackets'],
  [pathTrouble, '~/src/**', '`~`'],
  [pathTrouble, '../other/**', '`..`'],
  [pathTrouble, 'src\\', 'backslash'],
  [pathTrouble, '{a,b}'.repeat(9), 'more than 200'],
  [nameTrouble, '!main', 'begins with `!`'],
  [toolTrouble, 'mcp__[ab]__x', 'no tool has such a sign'],
  [toolTrouble, '!Edit', 'no tool has such a sign'],
  [toolTrouble, 'Edi?', 'no tool has such a sign'],
  [toolTrouble, 'mcp__{a', 'without its other half'],
  ...['src/[abc]*.ts', '[!a]', 'a/{b,{c,d}}/**', '(group)/x', '{one}', '/src/**', 'src/'].map(
    (glob) => [pathTrouble, glob, undefined] as [typeof pathTrouble, string, undefined],
  ),
  [pathTrouble, 'app/\\[id\\]/page.tsx', undefined],
  [pathTrouble, '\\!keep', undefined],
  [pathTrouble, '\\{a,b\\}', undefined],
  [toolTrouble, 'mcp__{github,gitlab}__*', undefined],
])('%o finds in %s: %s', (trouble, glob, words) => {
  if (words === undefined) expect(trouble(glob)).toBeUndefined();
  else expect(trouble(glob)).toContain(words);
});
