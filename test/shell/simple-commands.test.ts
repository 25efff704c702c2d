import { describe, expect, test } from 'vitest';
import { type SimpleCommand, simpleCommands, type Word } from '../../src/shell';

const start = { cwd: '/repo', home: '/home/me' };

describe('words', () => {
  test.each<[sentence: string, line: string, words: readonly string[]]>([
    ['quotes vanish', `a 'b c' "d e" f\\ g`, ['a', 'b c', 'd e', 'f g']],
    ['quotes inside of words join', `a'b'"c"d`, ['abcd']],
    ['ansi quotes are read', `a $'x\\ty'`, ['a', 'x\ty']],
    ['a line continuation vanishes', 'a b\\\nc', ['a', 'bc']],
    ['braces are expanded', 'a x{1,2}y {1..3} {c..a}', ['a', 'x1y', 'x2y', '1', '2', '3', 'c', 'b', 'a']],
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

describe('order and reach', () => {
  test.each<[line: string, commands: readonly string[]]>([
    ['a && b', ['a always certain', 'b maybe certain']],
    ['a || b', ['a always', 'b maybe']],
    ['a; b', ['a always', 'b always certain']],
    ['a & b', ['a maybe', 'b always certain']],
    ['a | b', ['a always', 'b always certain']],
    ['set -o pipefail; a | b', ['set always certain', 'a always certain', 'b always certain']],
    ['set -e; a; b', ['set always certain', 'a always certain', 'b maybe certain']],
    ['set -e; a && b; c', ['set always certain', 'a always', 'b maybe', 'c always certain']],
    ['set -e; if a; then b; fi; c', ['set always certain', 'a always', 'b maybe', 'c maybe certain']],
    ['! a', ['a always']],
    ['! a && b', ['a always', 'b maybe certain']],
    ['a && b || c', ['a always', 'b maybe', 'c maybe']],
    ['{ a; b; } && c', ['a always', 'b always certain', 'c maybe certain']],
    ['(a; exit 1); b', ['a always', 'exit always certain', 'b always certain']],
    ['(exit 1) && b', ['exit always']],
    ['a || exit 1; b', ['a always certain', 'exit maybe', 'b maybe certain']],
    ['a && exit; b', ['a always', 'exit maybe', 'b maybe']],
    ['exit; b', ['exit always certain']],
    ['if a; then b; else c; fi', ['a always', 'b maybe', 'c maybe']],
    ['while a; do b; done', ['a always', 'b maybe', 'a maybe']],
    ['for x in 1 2; do b; done', ['b always', 'b always certain']],
    ['for x in $y; do b; done', ['b maybe']],
    ['for x in 1 2; do a && break; b; done', ['a always', 'break maybe', 'b maybe', 'a maybe']],
    ['case $x in 1) a;; 2) b;; esac', ['a maybe', 'b maybe']],
    ['f() { a; }; b', ['b always certain']],
    ['f() { a; }; f && b', ['a always certain', 'b maybe certain']],
    ['f() { a && return; b; }; f', ['a always', 'return maybe', 'b maybe']],
    ['echo $(a)', ['a maybe', 'echo always certain']],
    ['time a', ['a always certain']],
    ['true && a', ['true always certain', 'a always certain']],
    ['false && a', ['false always']],
    ['exec a; b', ['a always certain']],
  ])('%s', (line, commands) => {
    expect(
      commandsOf(line).map(
        (each) => `${wordsOf(each)[0]} ${each.condition}${each.certain ? ' certain' : ''}`,
      ),
    ).toEqual(commands);
  });
});

test('a command knows where it stands in the text', () => {
  const line = 'a && git commit -m x; c';
  const { at } = commandsOf(line)[1] as SimpleCommand;
  expect(line.slice(at.start, at.end)).toBe('git commit -m x');
});

test('code in a text stands where the text stands', () => {
  const line = `a; bash -c 'x; y'`;
  expect(
    commandsOf(line)
      .slice(1)
      .map(({ at }) => line.slice(at.start, at.end)),
  ).toEqual([`bash -c 'x; y'`, `bash -c 'x; y'`]);
});

test('redirections and assignments belong to their command', () => {
  expect(commandsOf('A=1 B=$x cmd < in 2>&1 >> out')).toMatchObject([
    {
      assignments: [
        { name: 'A', value: { kind: 'known', value: '1' } },
        { name: 'B', value: { kind: 'unknown', text: '$x' } },
      ],
      redirections: [
        { operator: '<', target: { value: 'in' } },
        { operator: '>>', target: { value: 'out' } },
      ],
    },
  ]);
});

function commandsOf(line: string): readonly SimpleCommand[] {
  const parsed = simpleCommands(line, start);
  if (parsed.kind === 'unparsable') throw new Error(parsed.why);
  return parsed.commands;
}

function wordsOf(command: SimpleCommand | undefined): readonly string[] {
  return command === undefined ? [] : [command.name, ...command.args].map(show);
}

function show(word: Word): string {
  return word.kind === 'known' ? word.value : `?${word.text}`;
}
