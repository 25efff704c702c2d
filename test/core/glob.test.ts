import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { globMatches, isIgnoredBy } from '../../src/core/text';

describe('a pattern', () => {
  test.each<[string, string, string, boolean]>([
    ['without a star matches the same name', 'Edit', 'Edit', true],
    ['without a star matches nothing longer', 'Edit', 'MultiEdit', false],
    ['without a star tells capitals apart', 'edit', 'Edit', false],
    ['of one star matches everything', '*', 'Bash', true],
    ['of one star matches the empty name', '*', '', true],
    ['of nothing matches only the empty name', '', 'Bash', false],
    ['of nothing matches the empty name', '', '', true],
    ['with a star at its end', 'mcp__*', 'mcp__github__push', true],
    ['with a star at its end, and nothing left for it', 'mcp__*', 'mcp__', true],
    ['with a star at its start', '*Edit', 'MultiEdit', true],
    ['with a star in the middle', 'mcp__*__push', 'mcp__github__push', true],
    ['whose two ends would share characters', 'ab*ba', 'aba', false],
    ['whose two ends just touch', 'ab*ba', 'abba', true],
    ['whose middle lies inside its end only', '*a*a', 'a', false],
    ['whose middle must come in order', '*b*a*', 'ab', false],
    ['whose first middle must leave room for the next', 'a*b*b', 'ab', false],
    ['with two stars beside each other', 'a**b', 'a-b', true],
    ['with signs that regular expressions know', 'a.c', 'abc', false],
    ['with a question mark, which is only itself', 'a?', 'ab', false],
    ['across slashes and line ends', 'a*z', 'a/b\nz', true],
  ])('%s', (_, pattern, name, expected) => {
    expect(globMatches(pattern, name)).toBe(expected);
  });

  test('agrees with the slow and obvious way for every pattern and name', () => {
    const word = (letters: string): fc.Arbitrary<string> =>
      fc.array(fc.constantFrom(...letters), { maxLength: 9 }).map((chars) => chars.join(''));
    fc.assert(
      fc.property(word('ab*'), word('ab'), (pattern, name) => {
        expect(globMatches(pattern, name)).toBe(matchesSlowly(pattern, name));
      }),
      { numRuns: 5000 },
    );
  });

  test('made to keep a backtracking matcher busy for years is answered', () => {
    expect(globMatches(`${'a*'.repeat(2000)}b`, 'a'.repeat(20_000))).toBe(false);
  });
});

/** Tries every length for every star. */
function matchesSlowly(pattern: string, name: string): boolean {
  if (pattern === '') return name === '';
  if (pattern[0] !== '*') return pattern[0] === name[0] && matchesSlowly(pattern.slice(1), name.slice(1));
  return matchesSlowly(pattern.slice(1), name) || (name !== '' && matchesSlowly(pattern, name.slice(1)));
}

test.each([
  ['dist/out.js', true],
  ['web/dist/out.js', true],
  ['distant/out.js', false],
  ['build/out.js', true],
  ['web/build/out.js', false],
  ['logs/a.log', true],
  ['logs/keep.log', false],
  ['docs/gen/a/b.html', true],
  ['docs/a.html', false],
  ['#a', true],
  ['src/a.js', false],
])('what a .gitignore leaves out: %s is %s', (path, isIgnored) => {
  const lines = ['# out', 'dist/', '', '/build', '!src', '*.log', '!keep.log', 'docs/gen/**/*.html', '\\#a'];
  expect(isIgnoredBy(`${lines.join('\r\n')}\n`, path)).toBe(isIgnored);
});
