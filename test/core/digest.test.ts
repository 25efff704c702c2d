import { expect, test } from 'vitest';
import { digest } from '../../src/core/digest';

/* Digests stand in files that outlive a version, so each text keeps its own. */
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
