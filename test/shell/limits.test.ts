import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectsOf } from '../../src/shell';
import { readLine } from '../../src/shell/walk';

const start = { cwd: '/repo', home: '/home/me' };

const pieces = fc.constantFrom(
  'git',
  'commit',
  'checkout',
  'cd',
  'echo',
  ' ',
  ' ',
  '\n',
  ';',
  '&&',
  '||',
  '|',
  '&',
  '(',
  ')',
  '{',
  '}',
  '$(',
  '`',
  '"',
  "'",
  '\\',
  '<<EOF',
  'EOF',
  '<<<',
  '>',
  '>>',
  '<(',
  '$x',
  '${x',
  '}',
  'if',
  'then',
  'fi',
  'for',
  'in',
  'do',
  'done',
  'while',
  'case',
  'esac',
  ';;',
  'f()',
  '[[',
  ']]',
  '((',
  '))',
  '!',
  '#',
  '*',
  '{a,b}',
  '{1..9}',
  '~',
  'bash -c',
  'eval',
  'xargs',
  'set -e',
  'sed -i',
  'é',
  '\u0000',
);

describe('no text makes it throw', () => {
  test('arbitrary text', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), reads), { numRuns: 2000, seed: 1 });
  });

  test('text that looks like a shell', () => {
    const text = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''));
    fc.assert(fc.property(text, reads), { numRuns: 4000, seed: 2 });
  });

  test('words of a shell in any order', () => {
    const text = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(' '));
    fc.assert(fc.property(text, reads), { numRuns: 4000, seed: 3 });
  });
});

describe('what is too much is given up, not guessed', () => {
  test.each([
    ['a text that is too long', `echo ${'x'.repeat(70_000)}`],
    ['too many commands', 'true;'.repeat(5000)],
    ['loops in loops in loops', `${'while [[ x ]]; do '.repeat(40)}:${'; done'.repeat(40)}`],
    [
      'functions that double',
      `${Array.from({ length: 40 }, (_, n) => `f${n + 1}() { f${n}; f${n}; }; `).join('')}f40`,
    ],
    ['deep subshells', `${'('.repeat(3000)}git commit${')'.repeat(3000)}`],
    ['deep substitutions', `echo ${'$('.repeat(400)}git commit${')'.repeat(400)}`],
    ['many steps that may fail', 'cd a; pushd b; popd; '.repeat(200)],
    [
      'many branches that may be',
      `${Array.from({ length: 300 }, (_, n) => `git switch b${n}; `).join('')}git commit`,
    ],
    ['an open quote', 'git commit -m "x'],
    ['an open subshell', '(git commit'],
    ['an open substitution', 'echo $(git commit'],
  ])('%s', (_, text) => {
    const parsed = readLine(text, start);
    const { unknown } = effectsOf(text, start);
    if (parsed.kind === 'unreadable') expect(unknown).toMatchObject([{ kind: 'code', text }]);
    else expect(unknown.length + parsed.commands.length).toBeGreaterThan(0);
  });

  test('a function that calls itself ends', () => {
    expect(readLine('f() { git commit; f; }; f', start).kind).toBe('read');
  });

  test('many braces stay words', () => {
    expect(readLine(`echo ${'{a,b}'.repeat(20)}`, start)).toMatchObject({
      kind: 'read',
      commands: [{ words: [{ value: 'echo' }, { value: undefined }] }],
    });
  });
});

function reads(text: string): void {
  const parsed = readLine(text, start);
  const effects = effectsOf(text, start);
  if (parsed.kind === 'unreadable') expect(effects.unknown).toHaveLength(1);
}
