import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/parse';
import { printed, readFiles } from './scratch';

const OURS = '.holdpoint/config.yaml';

describe('a config text', () => {
  test.each([
    ['nothing at all', '', {}],
    ['only a comment', '# nothing yet\n', {}],
    ['only the start of a document', '---\n', {}],
    ['Windows line ends', 'hooks:\r\n  stop:\r\n    verify: "a"\r\n', { hooks: { stop: { verify: 'a' } } }],
    ['keys that look like numbers and words', '1: a\nnull: b\ntrue: c\n', { 1: 'a', null: 'b', true: 'c' }],
    ['JSON', '{"a": [1, null, true], "b": {"c": "\\u00e4"}}', { a: [1, null, true], b: { c: 'ä' } }],
    ['an anchor used again', 'a: &x [1, 2]\nb: *x\n', { a: [1, 2], b: [1, 2] }],
    [
      'a merge key under keys of its own',
      'a: &x {p: 1, q: 2}\nb:\n  q: 3\n  <<: *x\n',
      { a: { p: 1, q: 2 }, b: { q: 3, p: 1 } },
    ],
    [
      'a list of merge keys, the first winning',
      'a: &x {p: 1}\nb: &y {p: 2, q: 2}\nc: {<<: [*x, *y]}\n',
      { a: { p: 1 }, b: { p: 2, q: 2 }, c: { p: 1, q: 2 } },
    ],
    ['a quoted << as a plain key', '"<<": 1\n', { '<<': 1 }],
    ['the last of two equal keys', 'a: 1\na: 2\n', { a: 2 }],
    ['yes and on as words', 'a: yes\nb: on\n', { a: 'yes', b: 'on' }],
  ])('with %s', (_, text, value) => {
    const parsed = parseConfig(text, '1.2');
    expect(parsed.ok).toBe(true);
    expect(parsed.value).toEqual(value);
  });

  test('of the older dialect has yes, no, on and off as booleans unless quoted', () => {
    const parsed = parseConfig('a: yes\nb: Off\nc: "yes"\nd: [no, on]\n', '1.1');
    expect(parsed.value).toEqual({ a: true, b: false, c: 'yes', d: [false, true] });
  });

  test('knows the place of every key and value', () => {
    const { positions } = parseConfig('a:\n  b/c: [one, two]\n', '1.2');
    expect(positions.get('a/b~1c')).toEqual({
      key: { line: 2, column: 3, length: 3 },
      value: { line: 2, column: 8, length: 10 },
      empty: false,
    });
    expect(positions.get('a/b~1c/1')?.value).toEqual({ line: 2, column: 14, length: 3 });
  });

  test('places a merged value where it is written', () => {
    const { positions } = parseConfig('a: &x {p: 1}\nb:\n  <<: *x\n  q: 2\n', '1.2');
    expect(positions.get('b/p')?.value).toMatchObject({ line: 1, column: 11 });
    expect(positions.get('b/q')?.value).toMatchObject({ line: 4, column: 6 });
  });
});

describe('line ends and marks in files', () => {
  test('a byte order mark and CRLF move no column and leave no trace in what is shown', () => {
    const read = readFiles({ [OURS]: '\ufeffnope: 1\r\nhooks: {}\r\n' });
    expect(printed(read)).toMatch(
      /^\.holdpoint\/config\.yaml:1:1: error: unknown key `nope`\n {2}nope: 1\n {2}\^~~~\n/,
    );
  });
});

describe('within a second or so', () => {
  const bomb = `a0: &a0 [x, x, x, x, x, x, x, x, x]\n${Array.from(
    { length: 12 },
    (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]\n`,
  ).join('')}`;
  const merges = `m0: &m0 {k: 1}\n${Array.from({ length: 30 }, (_, at) => `m${at + 1}: &m${at + 1} {<<: [*m${at}, *m${at}]}\n`).join('')}`;
  test.each([
    ['a bomb of aliases is refused', bomb, 'aliases repeat too much text'],
    ['a bomb of merge keys is refused', merges, 'aliases repeat too much text'],
    ['ten megabytes are refused unread', 'a: 1\n'.repeat(2_000_000), 'the file has 10000000 bytes'],
    ['a million open brackets are refused', '['.repeat(1_000_000), 'nested too deeply'],
    ['a million nested dashes are refused', '- '.repeat(500_000), 'nested too deeply'],
    [
      'a chain of aliases is refused',
      `a0: &a0 x\n${Array.from({ length: 500 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}]\n`).join('')}`,
      'nested too deeply',
    ],
  ])('%s', (_, text, message) => {
    const start = process.cpuUsage();
    const read = readFiles({ [OURS]: text });
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(1000);
    expect(printed(read)).toContain(message);
    expect(read.guards).toEqual([]);
  });

  test('a very long file reports a bounded number of errors, and a longer one is refused', () => {
    const keys = Array.from({ length: 12_000 }, (_, at) => `  k${at}: 1\n`).join('');
    const read = readFiles({ [OURS]: `requirements:\n${keys}` });
    expect(read.diagnostics).toHaveLength(100);
    const longer = readFiles({ [OURS]: `requirements:\n${keys}${keys.replaceAll('k', 'l')}` });
    expect(printed(longer)).toContain('the file has more than 100000 tokens');
  });
});

describe('whatever a file holds', () => {
  const word = fc.constantFrom(
    ...[
      'requirements',
      'hooks',
      'plan',
      'enabled',
      'type',
      'guard',
      'inherit',
      'guards',
      'scope',
      'trigger_tools',
    ],
    ...[
      ': ',
      ':\n  ',
      '\n',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '&a ',
      '*a',
      '<<',
      '|',
      '>',
      '"',
      "'",
      '#',
      '---',
      '!!',
      '%',
      '?',
    ],
    ...['true', '5', '~', '\t', '\r\n', '\u0000', '__proto__', 'constructor', '\ud800'],
  );
  const yamlish = fc.array(word, { maxLength: 40 }).map((words) => words.join(''));
  const content = fc.oneof(yamlish, fc.string({ unit: 'binary' }), fc.json(), fc.uint8Array());

  test('reading it never throws, and its diagnostics can be printed', () => {
    fc.assert(
      fc.property(content, content, content, (global, project, local) => {
        const read = readFiles({
          '~/.claude/requirements.yaml': global,
          '.claude/requirements.yaml': project,
          [OURS]: local,
        });
        expect(printed(read)).toBeTypeOf('string');
        expect(JSON.parse(JSON.stringify(read.guards))).toEqual(read.guards);
      }),
      { numRuns: 150 },
    );
  });

  test('any well-formed config of requirements is read without trouble or says where the trouble is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (requirements) => {
        const read = readFiles({ [OURS]: JSON.stringify({ requirements }) });
        for (const { place } of read.diagnostics) expect(place).toMatchObject({ file: OURS, line: 1 });
      }),
      { numRuns: 100 },
    );
  });
});
