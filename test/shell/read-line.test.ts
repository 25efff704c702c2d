import { describe, expect, test } from 'vitest';
import { type RunCommand, readLine } from '../../src/shell/walk';
import type { Word } from '../../src/shell/words';

const start = { cwd: '/repo', home: '/home/me' };

describe('words', () => {
  test.each<[sentence: string, line: string, words: readonly string[]]>([
    ['quotes vanish', `a 'b c' "d e" f\\ g`, ['a', 'b c', 'd e', 'f g']],
    ['quotes inside of words join', `a'b'"c"d`, ['abcd']],
    ['ansi quotes are read', `a $'x\\ty'`, ['a', 'x\ty']],
    ['a line continuation vanishes', 'a b\\\nc', ['a', 'bc']],
    ['braces are expanded', 'a x{1,2}y {1..3}', ['a', 'x1y', 'x2y', '?{1..3}']],
    ['quoted braces are not', `a '{1,2}' "{1,2}"`, ['a', '{1,2}', '{1,2}']],
    ['the home directory is known', 'a ~ ~/x ~/"y z"', ['a', '/home/me', '/home/me/x', '/home/me/y z']],
    ['other homes are not', 'a ~you/x', ['a', '?~you/x']],
    ['a quoted tilde is a tilde', `a '~' \\~/x`, ['a', '~', '~/x']],
    ['globs are unknown', 'a *.ts x? [ab] \\*', ['a', '?*.ts', '?x?', '?[ab]', '*']],
    ['variables are unknown', `a $x "\${y}z" $1`, ['a', '?$x', `?"\${y}z"`, '?$1']],
    ['variables set before are known', `x=1; y="2 3"; a $x "$y" \${x}z`, ['a', '1', '2 3', '1z']],
    ['an unquoted one splits', 'y="2 3"; a $y', ['a', '2', '3']],
    ['an empty one vanishes', 'y=; a $y "$y"', ['a', '']],
    ['one that may not be set is unknown', 'true && [ -f q ] && x=1; a $x', ['a', '?$x']],
    ['one that is read is unknown', 'x=1; read x; a $x', ['a', '?$x']],
    ['one changed in a subshell is not', 'x=1; (x=2); a $x', ['a', '1']],
    ['one that arithmetic touches is unknown', 'x=1; ((x++)); a $x', ['a', '?$x']],
    [
      'operations on variables are unknown',
      `x=1; a \${x:-2} \${#x} \${x%1}`,
      ['a', `?\${x:-2}`, `?\${#x}`, `?\${x%1}`],
    ],
    ['substitutions are unknown', 'a $(ls) `ls` $((1+1))', ['a', '?$(ls)', '?`ls`', '?$((1+1))']],
    ['the working directory is known', 'cd sub && a $PWD "$(pwd)"', ['a', '/repo/sub', '/repo/sub']],
    ['a comment is nothing', 'a # b', ['a']],
  ])('%s', (_, line, words) => {
    expect(wordsOf(commandsOf(line).at(-1))).toEqual(words);
  });
});

describe('order and certainty', () => {
  test.each<[line: string, commands: readonly string[]]>([
    ['a && b', ['a certain', 'b certain']],
    ['a || b', ['a', 'b']],
    ['a; b', ['a', 'b certain']],
    ['a & b', ['a', 'b certain']],
    ['a | b', ['a', 'b certain']],
    ['set -o pipefail; a | b', ['set certain', 'a certain', 'b certain']],
    ['set -e; a; b', ['set certain', 'a certain', 'b certain']],
    ['set -e; a && b; c', ['set certain', 'a', 'b', 'c certain']],
    ['set -e; if a; then b; fi; c', ['set certain', 'a', 'b', 'c certain']],
    ['! a', ['a']],
    ['! a && b', ['a', 'b certain']],
    ['a && b || c', ['a', 'b', 'c']],
    ['{ a; b; } && c', ['a', 'b certain', 'c certain']],
    ['(a; exit 1); b', ['a', 'exit certain', 'b certain']],
    ['(exit 1) && b', ['exit']],
    ['a || exit 1; b', ['a certain', 'exit', 'b certain']],
    ['a && exit; b', ['a', 'exit', 'b']],
    ['exit; b', ['exit certain']],
    ['if a; then b; else c; fi', ['a', 'b', 'c']],
    ['while a; do b; done', ['a', 'b', 'a', 'b']],
    ['for x in 1 2; do b; done', ['b', 'b certain']],
    ['for x in $y; do b; done', ['b', 'b']],
    ['for x in 1 2; do a && break; b; done', ['a', 'break', 'b', 'a', 'break', 'b']],
    ['case $x in 1) a;; 2) b;; esac', ['a', 'b']],
    ['f() { a; }; b', ['b certain']],
    ['f() { a; }; f && b', ['a certain', 'b certain']],
    ['f() { a && return; b; }; f', ['a', 'return', 'b']],
    ['echo $(a)', ['a', 'echo certain']],
    ['time a', ['a certain']],
    ['true && a', ['true certain', 'a certain']],
    ['false && a', ['false']],
    ['exec a; b', ['a certain']],
  ])('%s', (line, commands) => {
    expect(commandsOf(line).map((each) => `${wordsOf(each)[0]}${each.certain ? ' certain' : ''}`)).toEqual(
      commands,
    );
  });
});

test('redirections and assignments belong to their command', () => {
  expect(commandsOf('A=1 B=$x cmd < in 2>&1 >> out')).toMatchObject([
    {
      assignments: [
        { name: 'A', value: { value: '1' } },
        { name: 'B', value: { value: undefined, text: '$x' } },
      ],
      outputs: [{ target: { value: 'out' }, append: true }],
    },
  ]);
});

function commandsOf(line: string): readonly RunCommand[] {
  const parsed = readLine(line, start);
  if (parsed.kind === 'unreadable') throw new Error(`unreadable: ${line}`);
  return parsed.commands.filter(({ guessed }) => !guessed);
}

function wordsOf(command: RunCommand | undefined): readonly string[] {
  return command === undefined ? [] : command.words.map(show);
}

function show(word: Word): string {
  return word.value ?? `?${word.text}`;
}
