import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Command, PastCall, RuleContext } from '../../../src/api';
import type { Event, Operation } from '../../../src/core/event';
import type { Json } from '../../../src/core/json';
import { BUILT_IN } from '../../../src/guards/rules/built-in';
import { times } from '../../stress';

/* Whatever a host sends, and whatever stands in files: a built-in rule answers, or says nothing. */

const PIECES = [
  'git',
  'commit',
  '-m',
  '-F',
  '-',
  '--message=',
  'feat: x',
  'npm',
  'install',
  '-D',
  'pip',
  'python3',
  '-m',
  '<<EOF\n',
  '\nEOF',
  '>',
  '>>',
  '$(',
  ')',
  '`',
  '"',
  "'",
  '\\',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of a shell line
  '${X}',
  'sed',
  '-i',
  'a/b',
  '..',
  '',
  '\u0000',
  '\ud800',
  '🙂',
  '-----BEGIN PRIVATE KEY-----',
  'postgres://a:b@',
  'eyJhbGciOi.eyJhbGciOi.',
  'api_key=',
  '"dependencies": {',
  '[project]',
  'dependencies = [',
  ']',
  '<dependency>',
  '// Code generated',
  '@generated',
  '\r\n',
  '(((((',
  'a'.repeat(200),
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 20 })), {
    maxLength: 12,
  })
  .map((parts) => parts.join(' '));
const path = fc
  .oneof(
    fc.constantFrom(
      'package.json',
      'pyproject.toml',
      'pom.xml',
      'go.mod',
      'Cargo.toml',
      'build.gradle',
      'Gemfile',
      '.env',
    ),
    fc.constantFrom('src/a.ts', 'dist/a.js', 'test/a.test.ts', '', '..', '/'),
    text,
  )
  .map((name) => `/p/${name}`);
const command: fc.Arbitrary<Command> = fc.record(
  {
    program: fc.oneof(
      fc.constantFrom('git', 'npm', 'pip', 'python', 'cargo', 'echo', 'sed', 'constructor', '__proto__'),
      text,
    ),
    arguments: fc.array(
      fc.oneof(fc.constantFrom('commit', 'add', 'install', '-m', '-F', '-a', '-A', '--', 'x'), text),
      { maxLength: 6 },
    ),
    cwd: path,
  },
  { requiredKeys: ['program', 'arguments'] },
);
const ops = fc.constantFrom<Operation>('shell', 'write', 'edit', 'patch', 'delete', 'read', 'mcp', 'other');
const input = fc.dictionary(
  fc.constantFrom('old_string', 'new_string', 'edits', 'content', 'message', 'path', 'x'),
  fc.oneof(text, fc.jsonValue({ maxDepth: 3 })) as fc.Arbitrary<Json>,
);
const call = fc.record(
  {
    nativeName: text,
    names: fc.array(text, { maxLength: 2 }),
    op: ops,
    input,
    command: text,
    paths: fc.array(path, { maxLength: 3 }),
    newText: text,
  },
  { requiredKeys: ['nativeName', 'names', 'op', 'input', 'paths'] },
);
const past: fc.Arbitrary<PastCall> = fc.record({
  tool: text,
  op: ops,
  paths: fc.array(path, { maxLength: 3 }),
  commands: fc.array(command, { maxLength: 3 }),
  outcome: fc.constantFrom('success', 'failure', 'unknown'),
  at: fc.nat(),
});
const event = fc.oneof(
  fc.record({ kind: fc.constant('tool.before'), cwd: path, call }),
  fc.constant({ kind: 'turn.stop', cwd: '/p', continuing: false }),
  fc.constant({ kind: 'other', cwd: '' }),
) as fc.Arbitrary<unknown> as fc.Arbitrary<Event>;
const context = fc.record({
  commands: fc.array(command, { maxLength: 4 }),
  paths: fc.array(path, { maxLength: 4 }),
  branch: text,
  history: fc.array(past, { maxLength: 6 }),
  state: fc.dictionary(fc.constantFrom('told', 'x'), fc.jsonValue()),
  file: fc.option(text, { nil: undefined }),
});

test('no odd event or file makes a built-in rule throw or take long', () => {
  const begun = Date.now();
  fc.assert(
    fc.property(event, context, (odd, { file, ...given }) => {
      const ctx: RuleContext = {
        ...given,
        root: '/p',
        effects: [{ kind: 'delete', paths: given.paths.slice(1), certainty: 'likely' }],
        read: () => file,
        projectState: {},
      };
      for (const rule of BUILT_IN) {
        const said = rule.decide(odd, ctx);
        expect(said === undefined || ('kind' in said && said.reason !== '')).toBe(true);
      }
    }),
    { numRuns: times(2000, 50_000) },
  );
  expect(Date.now() - begun).toBeLessThan(times(60_000, 600_000));
});

/** Texts that make patterns with nested repetition slow. */
const LONG = [
  'a',
  '"',
  ' ',
  '=',
  '-',
  '[',
  '<dependency>',
  'x:',
  '://a:',
  '\n',
  'eyJa.',
  '/* ',
  'sk-',
  '<<A\n',
  '> ',
  'a.',
  '"a" : ',
];

const LONGEST: readonly (readonly [start: string, piece: string])[] = [
  ...LONG.map((piece) => ['', piece] as const),
  ['ab: ', ' '],
  ['[', ' '],
];

test.each(LONGEST)('%j and a quarter of a megabyte of %j take no time', (start, piece) => {
  const long = start + piece.repeat(Math.ceil(250_000 / piece.length));
  const ctx: RuleContext = {
    commands: [
      { program: 'echo', arguments: [long] },
      { program: 'git', arguments: ['commit', '-m', long] },
    ],
    effects: [],
    paths: [
      '/p/package.json',
      '/p/pyproject.toml',
      '/p/pom.xml',
      '/p/src/a.ts',
      '/p/build.gradle',
      '/p/Cargo.toml',
    ],
    branch: '',
    root: '/p',
    history: [],
    read: () => long,
    state: {},
    projectState: {},
  };
  const begun = process.cpuUsage();
  for (const rule of BUILT_IN)
    for (const part of [
      { op: 'write', newText: long },
      { op: 'shell', command: long },
    ])
      rule.decide(
        {
          kind: 'tool.before',
          cwd: '/p',
          call: { nativeName: '', names: [], input: {}, paths: [], ...part },
        } as unknown as Event,
        ctx,
      );
  const { user } = process.cpuUsage(begun);
  expect(user / 1000).toBeLessThan(3000);
});
