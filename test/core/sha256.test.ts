import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../src/core/sha256';

const reference = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

describe('the hash of a text is the one that node:crypto makes', () => {
  test.each<[string, string]>([
    ['nothing', ''],
    ['three letters', 'abc'],
    ['a branch name', 'feature/ünïcode-📦'],
    ['half of a surrogate pair', 'a\ud800b'],
    ['a NUL', 'a\0b'],
    ['more than one block', 'x'.repeat(1000)],
  ])('for %s', (_, text) => {
    expect(sha256Hex(text)).toBe(reference(text));
  });

  test('for every length around the border of a block', () => {
    for (let length = 50; length <= 130; length++) {
      const text = 'b'.repeat(length);
      expect(sha256Hex(text), `${length} bytes`).toBe(reference(text));
    }
  });

  test('for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(sha256Hex(text)).toBe(reference(text));
      }),
      { numRuns: 500 },
    );
  });
});
