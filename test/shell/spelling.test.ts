import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { simpleCommands, type Word } from '../../src/shell';

const hex = (char: string) => char.charCodeAt(0).toString(16);

/** Ways to write a piece of text so that bash reads it as that text again. */
const SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text.replace(/[^\w.:/+-]/g, '\\$&'),
  (text) => text.replace(/\n/g, '').replace(/[^\n]/g, '\\$&'),
  (text) => `'${text.replaceAll("'", `'\\''`)}'`,
  (text) => `"${text.replace(/["$`\\]/g, '\\$&')}"`,
  (text) => `$"${text.replace(/["$`\\]/g, '\\$&')}"`,
  (text) => `$'${text.replace(/['\\]/g, '\\$&')}'`,
  (text) => `$'${[...text].map((char) => `\\x${hex(char)}`).join('')}'`,
  (text) => `$'${[...text].map((char) => `\\u${hex(char).padStart(4, '0')}`).join('')}'`,
  (text) => `$'${[...text].map((char) => `\\U${hex(char).padStart(8, '0')}`).join('')}'`,
  (text) => `$'${[...text].map((char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')}'`,
];
const NOTHING = ["''", '""', "$''", '$""', '\\\n', '"\\\n"', '${unset_}', '"$unset_"'];
const CHARS = [...'gitpushcommiHEAD:main/-+ \'"$`\\*?[]{}~!#&|;()<>=,.\t%@^'];

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('g', 'i', 't', 'git', 'push', 'co', 'mmit', 'HEAD', ':main', '-m') },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...CHARS), { minLength: 1, maxLength: 4 }).map((c) => c.join('')) },
);
const spelled = fc.tuple(piece, fc.constantFrom(...SPELLINGS)).map(([text, spell]) => spell(text));
const other = fc.constantFrom(...NOTHING, '{a,b}', '{,x}', '{1..3}', '{c..a}', '{a,{b,c}}', '$v', '${v}', '"$v"', '"${v}"', '$w', '"$w"', '~', '*', '[g]', '$((1+1))', '$(echo x)', '!', '#', '=', '{', '}', '{a}', 'x=', '~/');
const word = fc.array(fc.oneof({ weight: 5, arbitrary: spelled }, { weight: 1, arbitrary: other }), { minLength: 1, maxLength: 4 }).map((all) => all.join(''));
const assignment = fc.tuple(fc.constantFrom('v', 'w'), spelled).map(([name, value]) => `${name}=${value}`);
const line = fc.record({
  prelude: fc.array(fc.tuple(assignment, fc.constantFrom('; ', '\n', ' && ')), { maxLength: 2 }),
  words: fc.array(word, { minLength: 1, maxLength: 4 }),
}).map(({ prelude, words }) => `${prelude.map((p) => p.join('')).join('')}${words.join(' ')}`);

const DRIVER = `
PATH=/nowhere
command_not_found_handle() { printf '%s\\0' "$#" "$@"; }
while IFS= read -r -d '' line; do ( eval "$line" ) 2>/dev/null </dev/null; printf 'end\\0'; done
`;

function argvOf(lines: readonly string[]): string[][][] {
  const out = execFileSync('bash', ['--norc', '-c', DRIVER], { input: lines.map((l) => `${l}\0`).join(''), cwd: '/', env: { HOME: '/home/me', LC_ALL: 'C.UTF-8' }, encoding: 'utf8', maxBuffer: 1e9 });
  const fields = out.split('\0');
  const all: string[][][] = [];
  let now: string[][] = [];
  for (let i = 0; i < fields.length - 1; ) {
    const f = fields[i]!;
    if (f === 'end') { all.push(now); now = []; i++; continue; }
    const n = Number(f);
    now.push(fields.slice(i + 1, i + 1 + n)); i += 1 + n;
  }
  return all;
}

test('words', () => {
  const lines = fc.sample(line, { numRuns: 12000, seed: 11 });
  const real = argvOf(lines);
  expect(real.length).toBe(lines.length);
  const show = (w: Word) => (w.kind === 'known' ? w.value : undefined);
  let known = 0, ran = 0; const wrong: unknown[] = [];
  lines.forEach((text, at) => {
    const argv = real[at]!;
    if (argv.length === 0 || argv.at(-1)?.join('') === '' || text.includes('~') || text.includes('{,x}')) return;
    ran++;
    const parsed = simpleCommands(text, { cwd: '/', home: '/home/me' });
    if (parsed.kind === 'unparsable') { wrong.push([text, argv, parsed.why]); return; }
    const cmds = parsed.commands.filter((c) => !(c.name.kind === 'known' && c.name.value === '' && c.args.length === 0)).map((c) => [c.name, ...c.args].map(show));
    const last = cmds.at(-1) ?? [];
    if (last.every((w) => w !== undefined)) { known++; if (JSON.stringify(last) !== JSON.stringify(argv.at(-1)) || cmds.length !== argv.length) wrong.push([text, argv, cmds]); }
    else if (last[0] !== undefined && last[0] !== argv.at(-1)?.[0]) wrong.push([text, argv, cmds]);
  });
  console.log({ known, ran, wrong: wrong.length });
  for (const w of wrong.slice(0, 40)) console.log(JSON.stringify(w));
});
