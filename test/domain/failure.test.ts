import { describe, expect, test } from 'vitest';
import { detailOf } from '../../src/domain/failure';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('it did not throw');
}

describe('the one line of an error', () => {
  test.each<[string, unknown, string]>([
    ['is its message', new Error('no such thing'), 'no such thing'],
    ['ends at the first line end', new Error('first\nsecond'), 'first'],
    ['is the text itself when a text was thrown', 'plain', 'plain'],
    ['is something even for nothing', undefined, 'undefined'],
  ])('%s', (_, error, expected) => {
    expect(detailOf(error)).toBe(expected);
  });

  test.each<[string, string]>([
    ['a short one', 'SECRET'],
    ['one that is cut at its end', `SECRET ${'word '.repeat(50)}`],
    ['one that is cut at both ends', `["${'SECRET '.repeat(20)}", SECRET, "${'SECRET '.repeat(20)}"]`],
    ['one of several lines', '[1,\nSECRET\n,2]'],
    ['one with quotes', '["SECRET", "SECRET]", x "SECRET"'],
  ])('never quotes the document that was no JSON: %s', (_, text) => {
    const detail = detailOf(thrownBy(() => JSON.parse(text)));
    expect(detail).not.toContain('SECRET');
    expect(detail).not.toBe('');
  });
});
