import { expect, it } from 'vitest';
import { parsedTexts } from '../../src/server/parsed-texts';

const PLACE = '/project/config.jsonl';

it('gives the same again for the same text, and anew for another', () => {
  const parse = parsedTexts();
  const first = parse(PLACE, '{"a":[1]}');
  expect(first).toEqual({ a: [1] });
  expect(parse(PLACE, '{"a":[1]}')).toBe(first);
  expect(parse(PLACE, '{"a":[2]}')).toEqual({ a: [2] });
  expect(parse(PLACE, '{"a":[1]}')).not.toBe(first);
});

it('keeps the places apart', () => {
  const parse = parsedTexts();
  const here = parse(PLACE, '{}');
  expect(parse(`${PLACE}:0`, '[]')).toEqual([]);
  expect(parse(PLACE, '{}')).toBe(here);
});

it('keeps what nobody can change, however deep', () => {
  const given = parsedTexts()(PLACE, '{"a":{"b":[{"c":1}]},"__proto__":{"d":2}}');
  const { a } = given as unknown as { a: { b: { c: number }[] } };
  expect(() => a.b.push({ c: 2 })).toThrow(TypeError);
  expect(() => Object.assign(a.b[0] ?? {}, { c: 2 })).toThrow(TypeError);
  expect(JSON.stringify(given)).toBe('{"a":{"b":[{"c":1}]},"__proto__":{"d":2}}');
});

it('throws for what is no JSON at every time', () => {
  const parse = parsedTexts();
  for (const _ of [1, 2]) expect(() => parse(PLACE, '{')).toThrow(SyntaxError);
});

it('keeps a bounded number, and nothing that is long', () => {
  const parse = parsedTexts();
  const long = JSON.stringify('x'.repeat(100_000));
  expect(parse(PLACE, long)).toHaveLength(100_000);
  const first = parse('0', '{}');
  for (let place = 1; place < 256; place++) parse(`${place}`, '{}');
  expect(parse('0', '{}')).toBe(first);
  parse('one more', '{}');
  expect(parse('0', '{}')).not.toBe(first);
});
