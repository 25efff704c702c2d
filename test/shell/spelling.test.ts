import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLine } from '../../src/shell/walk';
import { times } from '../stress';

/*
 * Words are spelled in the many ways that bash knows, bash itself says what they become, and the words we read
 * have to be the same or unknown.
 */

const codes = (text: string, show: (code: number) => string) =>
  `$'${Array.from(text, (char) => show(char.charCodeAt(0))).join('')}'`;
const hex = (code: number, width: number) => code.toString(16).padStart(width, '0');
const inDouble = (text: string) => `"${text.replace(/["$`\\]/g, '\\$&')}"`;

/** Ways to write a text so that bash reads it as that text again. */
const SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text.replace(/[^\w.:/+-]/g, '\\$&'),
  (text) => text.replace(/./g, '\\$&'),
  (text) => `'${text.replaceAll("'", `'\\''`)}'`,
  (text) => inDouble(text),
  (text) => `$${inDouble(text)}`,
  (text) => `$'${text.replace(/['\\]/g, '\\$&')}'`,
  (text) => codes(text, (code) => `\\x${hex(code, 2)}`),
  (text) => codes(text, (code) => `\\u${hex(code, 4)}`),
  (text) => codes(text, (code) => `\\U${hex(code, 8)}`),
  (text) => codes(text, (code) => `\\${code.toString(8).padStart(3, '0')}`),
];
/** What adds nothing to a word. */
const NOTHING = ["''", '""', "$''", '$""', '\\\n', '"\\\n"'];

const spelling = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.constantFrom(...SPELLINGS)).map(([value, spell]) => spell(value));

/** A text in pieces, each spelled in its own way, with nothings between; some of them in variables. */
function spelled(text: string, name: string): fc.Arbitrary<{ readonly word: string; readonly set: string }> {
  const cut = fc.integer({ min: 0, max: text.length });
  const form = fc.constantFrom('', `$${name}`, `\${${name}}`, `"$${name}"`);
  const spell = fc.constantFrom(...SPELLINGS);
  return fc
    .tuple(cut, form, spell, spell, fc.constantFrom(...NOTHING))
    .map(([at, variable, first, second, nothing]) => {
      const [head, tail] = [first(text.slice(0, at)), second(text.slice(at))];
      // Behind a bare variable, quotes end its name.
      const between = variable === `$${name}` && nothing.startsWith('\\') ? "''" : nothing;
      return variable === ''
        ? { set: '', word: `${head}${nothing}${tail}` }
        : { set: `${name}=${head}; `, word: `${variable}${between}${tail}` };
    });
}

const pushes = fc
  .tuple(spelled('git', 'a'), spelled('push', 'b'), spelled('origin', 'c'), spelled('HEAD:main', 'd'))
  .map((words) => `${words.map(({ set }) => set).join('')}${words.map(({ word }) => word).join(' ')}`);

const CHARS = [...'gitpush:/-+ \'"$`\\*?[]{}~!#&|;()<>=,.\t%@^'];
const text = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom('g', 'i', 't', 'git', 'push', 'co', 'mmit', 'HEAD', ':main', '-m'),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom(...CHARS), { minLength: 1, maxLength: 4 }).map((all) => all.join('')),
  },
);
/** What the shell expands. */
const EXPANDED = [
  ...['{a,b}', '{,git}', '{1..3}', '{c..a}', '{Z..a}', '{a..3}', '{a,{b,c}}', '{git,push}', '{', '}', '{a}'],
  ...[
    '$v',
    '"$v"',
    `\${v}`,
    `"\${v}"`,
    '$w',
    '"$w"',
    `\${v:-git}`,
    `\${v:=git}`,
    `\${unset}`,
    '"$unset"',
    '$((v=2))',
  ],
  ...['$@', '"$@"', '$1', '$2', '$*', '~', '~/', '*', '[g]', '$(echo x)', '!', '#', '=', 'x=', ...NOTHING],
];
const word = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: spelling(text) },
      { weight: 2, arbitrary: fc.constantFrom(...EXPANDED) },
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((all) => all.join(''));
const before = fc.oneof(
  fc
    .tuple(fc.constantFrom('v', 'w', 'v', 'w', 'IFS'), spelling(text))
    .map(([name, value]) => `${name}=${value}`),
  fc.tuple(word, word).map(([one, two]) => `set -- ${one} ${two}`),
  fc.constantFrom('shift', 'declare -u v', 'unset v', 'v+=it', 'false && v=no', 'read w <<< git'),
);
const lines = fc
  .tuple(
    fc.array(fc.tuple(before, fc.constantFrom('; ', '\n')), { maxLength: 3 }),
    fc.array(word, { minLength: 1, maxLength: 4 }),
  )
  .map(([first, words]) => `${first.flat().join('')}${words.join(' ')}`);

/** Prints the arguments of every command that is run, with their number before them. */
const DRIVER = `
command_not_found_handle() { printf '%s\\0' "$#" "$@"; }
while IFS= read -r -d '' line; do
  ( PATH=/nowhere; eval "$line" ) 2> /dev/null < /dev/null
  printf 'end\\0'
done`;

/** The commands that bash runs for each line, as lists of words. */
function runInBash(all: readonly string[]): readonly (readonly (readonly string[])[])[] {
  const options = { cwd: '/', env: { HOME: '/home/me', LC_ALL: 'C.UTF-8' }, encoding: 'utf8' } as const;
  const input = all.map((line) => `${line}\0`).join('');
  const fields = execFileSync('/bin/bash', ['--norc', '-c', DRIVER], { ...options, input }).split('\0');
  const ran: string[][][] = [[]];
  for (let at = 0; at < fields.length - 1; ) {
    const count = Number(fields[at]);
    if (Number.isNaN(count)) ran.push([]);
    else ran.at(-1)?.push(fields.slice(at + 1, at + 1 + count));
    at += Number.isNaN(count) ? 1 : 1 + count;
  }
  return ran.slice(0, -1);
}

/** The last command of a line as we read it; unknown words are `undefined`. */
function lastRead(line: string): readonly (string | undefined)[] {
  const found = readLine(line, { cwd: '/', home: '/home/me' });
  if (found.kind === 'unreadable') return [undefined];
  const commands = found.commands.filter(({ words }) => words.length > 1 || words[0]?.value !== '');
  return commands.findLast(({ guessed }) => !guessed)?.words.map(({ value }) => value) ?? [];
}

test('a push is read as bash reads it, however it is spelled', () => {
  const all = fc.sample(pushes, { numRuns: times(150, 500), seed: 1 });
  const target = ['git', 'push', 'origin', 'HEAD:main'];
  const real = runInBash(all);
  expect(all.filter((_, at) => real[at]?.[0]?.join(' ') !== target.join(' '))).toEqual([]);
  expect(all.filter((line) => lastRead(line).join(' ') !== target.join(' '))).toEqual([]);
});

test('words are read as bash reads them, or are unknown', () => {
  const all = fc.sample(lines, { numRuns: times(600, 2000), seed: 2 });
  const real = runInBash(all);
  const seen = { run: 0, known: 0 };
  const wrong = all.flatMap((line, at) => {
    const argv = real[at]?.at(-1);
    // What only changes variables, or is a builtin, is not printed.
    if (argv === undefined || argv.join('') === '') return [];
    const read = lastRead(line);
    const isKnown = !read.includes(undefined);
    seen.run++;
    seen.known += isKnown ? 1 : 0;
    const isRight = isKnown
      ? JSON.stringify(read) === JSON.stringify(argv)
      : read[0] === undefined || read[0] === argv[0];
    return isRight ? [] : [{ line, argv, read }];
  });
  expect(wrong).toEqual([]);
  expect(seen.run).toBeGreaterThan(times(300, 1000));
  expect(seen.known).toBeGreaterThan(seen.run / 3);
});
