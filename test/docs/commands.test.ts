import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Cli } from '../../src/cli/command';
import { holdpoint } from '../../src/cli/commands/holdpoint';
import { blocksIn, codeIn, DOCUMENTS, ROOT, textOf } from './documents';

const program = holdpoint();
const below = (cli: Cli): Cli[] => cli.createHelp().visibleCommands(cli) as Cli[];
const named = (cli: Cli, name: string): Cli | undefined => below(cli).find((one) => one.name() === name);
const PROGRAMS = new Map([
  ['holdpoint', program],
  ['req', named(program, 'req')],
  ['agent-gauntlet', named(program, 'gates')],
]);

const flagsOf = (cli: Cli): string[] => [
  '--help',
  ...cli.options.flatMap(({ short, long }) => [short, long]).filter((flag) => flag != null),
];
const allCommands = (cli: Cli): Cli[] => [cli, ...below(cli).flatMap(allCommands)];

/** Flags of other programs, and those that a workflow defines. */
const FOREIGN = ['--plugin-dir', '--no-scan', '--no-tracing'];

/** What the status line says begins like a call. */
const STATES = ['on', 'paused', 'off'];

/** Every call of one of our commands that a document shows, as words. */
function callsIn(text: string): string[][] {
  const code = [...codeIn(text), ...blocksIn(text, 'sh'), ...blocksIn(text, 'text')];
  const lines = code.flatMap((each) => each.split(/\n|&& | \| |\$\(|, /));
  const calls = lines.map((line) => line.replace(/^\$ /, '').replace(/ #.*|[)"]*$/g, ''));
  return calls
    .map((call) => call.split(/\s+/))
    .filter(([first = '', next = '']) => PROGRAMS.has(first) && !STATES.includes(next.replace(':', '')));
}

/** What is wrong with a call, if anything: a command or a flag that is not there. */
function lieIn([first = '', ...words]: readonly string[]): string | undefined {
  let cli = PROGRAMS.get(first);
  while (words[0] !== undefined && cli !== undefined && below(cli).length > 0) {
    const name = words[0];
    if (!/^[a-z][\w-]*$/.test(name) || name === 'help') break;
    cli = named(cli, name);
    if (cli === undefined) return `${first} … ${name}: no such command`;
    words.shift();
  }
  const known = cli === undefined ? [] : flagsOf(cli);
  const flag = words.find((word) => /^--?[a-z]/.test(word) && !known.includes(word.replace(/=.*/, '')));
  return flag && `${cli?.path}: no such flag ${flag}`;
}

describe.each(DOCUMENTS)('%s', (document) => {
  test('calls our commands as they are', () => {
    expect(callsIn(textOf(document)).flatMap((call) => lieIn([...call]) ?? [])).toEqual([]);
  });

  test('names flags that are there', () => {
    const flags = codeIn(textOf(document)).flatMap((code) => /^--?[a-z][\w-]*/.exec(code)?.[0] ?? []);
    const known = [...FOREIGN, ...allCommands(program).flatMap(flagsOf)];
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
  });
});

test('a call that is wrong would be found', () => {
  expect(lieIn(['holdpoint', 'flow', 'statr'])).toContain('no such command');
  expect(lieIn(['req', 'satisfy', 'NAME', '--nope'])).toContain('no such flag');
});

describe('the list of commands', () => {
  const listed = codeIn(textOf('docs/commands.md'));

  test.each(['holdpoint', 'req'])('has every command of %s', (name) => {
    const known = below(PROGRAMS.get(name) as Cli).map((one) => `${name} ${one.name()}`);
    expect(known.length).toBeGreaterThan(10);
    const told = listed.map((code) => code.split(' ').slice(0, 2).join(' '));
    expect(known.filter((one) => !told.includes(one) && !one.endsWith(' help'))).toEqual([]);
  });

  test('says which commands take no --json', () => {
    const [, without = ''] = /All commands but (.+?) take `--json`/.exec(textOf('docs/commands.md')) ?? [];
    const leaves = allCommands(program).filter((one) => below(one).length === 0);
    const silent = leaves.filter((one) => !flagsOf(one).includes('--json')).map((one) => one.name());
    expect([...new Set(silent)].filter((name) => !['help', 'stop-hook'].includes(name)).sort()).toEqual(
      codeIn(without).sort(),
    );
  });
});

test('scripts of npm that the documents name are there', () => {
  const code = DOCUMENTS.map(textOf).flatMap((text) => [...codeIn(text), ...blocksIn(text, 'sh')]);
  const scripts = code.flatMap((each) => [...each.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name));
  const known = Object.keys(JSON.parse(textOf('package.json')).scripts);
  expect(scripts.length).toBeGreaterThan(5);
  expect(scripts.filter((name) => !known.includes(name ?? ''))).toEqual([]);
});

test('to run and to test a fresh clone are one line each', () => {
  expect(blocksIn(textOf('README.md'), 'sh')).toEqual(['npm ci && npm run try\n', 'npm ci && npm test\n']);
});

test('the findings of doctor that the page lists are those of the sources', () => {
  const sources = ['src/cli/doctor', 'src/cli/commands', 'src/cli/req', 'src/hosts'].flatMap((dir) =>
    readdirSync(join(ROOT, dir), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && existsSync(join(ROOT, dir, name)))
      .map((name) => readFileSync(join(ROOT, dir, name), 'utf8')),
  );
  const text = sources.join('\n');
  const listed = codeIn(textOf('docs/troubleshooting.md')).filter((code) =>
    /^(?:runtime|project|state|hook)\.[a-z-]+$/.test(code),
  );
  expect(listed.length).toBeGreaterThan(25);
  expect(listed.filter((id) => !text.includes(`'${id}'`) && !text.includes(`'${id.split('.')[1]}'`))).toEqual(
    [],
  );
});

/** Prose in the words that everything else uses. */
test.each(DOCUMENTS.filter((one) => one !== 'docs/reference.md'))('%s uses the agreed words', (document) => {
  const prose = textOf(document)
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/`[^`\n]+`/g, '');
  expect(
    prose.match(/\b(?:den(?:y|ied|ies)|mistakes? of ours|set off|bypass\w*|armed|refused stops?)\b/gi),
  ).toBeNull();
});
