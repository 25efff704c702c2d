import { expect, test } from 'vitest';
import { digest, sha256Hex } from '../../src/core/text';

/* Hashes and digests stand in files that outlive a version, so each text keeps its own. */
test.each([
  ['nothing', '', '0'],
  ['one letter', 'a', '2p'],
  ['a sentence', 'plan  is held until `plan` is satisfied', '1n5kh8l'],
  ['letters of two bytes', 'größer', '1emtcw1'],
  ['letters of three bytes', '日本語', 'fflhz'],
  ['a character of two halves', 'a😀b', '2fdz7'],
  ['half a character', 'half \ud83d of one', '17chc19'],
])('the digest of %s stays what it was', (_sentence, text, expected) => {
  expect([digest(text), digest(`${text}.`) === expected, digest(text)]).toEqual([expected, false, expected]);
});

test('the hash of a text is the SHA-256 of its UTF-8 bytes', () => {
  expect(sha256Hex('feature/ünïcode-📦')).toBe(
    '5feb90ee25104b54db3d73fc716c0fa70c44b7d5425a4ecd5275b62d2b129775',
  );
});
