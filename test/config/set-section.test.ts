import { describe, expect, test } from 'vitest';
import { setSection } from '../../src/config/edit-yaml';
import { parseConfig } from '../../src/config/parse';

const VALUE = { plan: { enabled: true } };
const edited = (text: string, key = 'b') => setSection(text, key, VALUE, '1.2');

describe('a section is set', () => {
  test.each([
    ['between others', 'a: 1\nb: 2\nc: 3\n', 'a: 1\nb:\n  plan:\n    enabled: true\nc: 3\n'],
    [
      'with the comments around it kept',
      '# of b\nb: # gone\n  # gone\n  x: 1\n\n# of c\nc: 3',
      '# of b\nb:\n  plan:\n    enabled: true\n\n# of c\nc: 3',
    ],
    [
      'at the end of a text without a last line end',
      'a: 1\nb: {x: 1}',
      'a: 1\nb:\n  plan:\n    enabled: true\n',
    ],
    ['where nothing was said yet', 'b:\nc: 3\n', 'b:\n  plan:\n    enabled: true\nc: 3\n'],
    ['where there is no such key', 'a: 1\n', 'a: 1\nb:\n  plan:\n    enabled: true\n'],
    ['in a text without a word', '', 'b:\n  plan:\n    enabled: true\n'],
    [
      'with Windows line ends and a byte order mark',
      '\ufeffb:\r\n  x: 1\r\nc: 3\r\n',
      '\ufeffb:\r\n  plan:\r\n    enabled: true\r\nc: 3\r\n',
    ],
    ['in braces', '{a: 1, b: {x: 1}, c: 3}\n', '{a: 1, b: {plan: {enabled: true}}, c: 3}\n'],
    ['in an indented text', '  a: 1\n  b: 2\n', '  a: 1\n  b:\n    plan:\n      enabled: true\n'],
  ])('%s', (_, text, wanted) => {
    expect(edited(text)).toEqual({ ok: true, value: wanted });
  });

  test.each([
    ['a comment at the edge within it', 'b:\n  x: 1\n# edge\n  y: 2\nc: 3\n'],
    ['text over several lines', 'b: |\n  x:\n\n  y\nc: 3\n'],
    ['a document mark on its line', '--- {b: 1, c: 3}\n'],
  ])('and the rest is read as before: %s', (_, text) => {
    const result = edited(text);
    expect(result.ok && parseConfig(result.value, '1.2').value).toEqual({ b: VALUE, c: 3 });
  });

  test.each([
    ['does not parse', 'b: [\n', 'broken'],
    ['has a list there at the column of its key', 'b:\n- x\n- y\nc: 3\n', 'no-place'],
    ['uses elsewhere what stands in it', 'b: &x {y: 1}\nc: *x\n', 'no-place'],
  ])('never where the text %s', (_, text, kind) => {
    expect(edited(text)).toMatchObject({ ok: false, failure: { kind } });
  });
});
