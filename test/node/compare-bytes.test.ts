import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareBytes } from '../../src/node/compare-bytes';

it('tells of two pieces what `Buffer.compare` tells', () => {
  const piece = fc.uint8Array({ max: 3, maxLength: 6 });
  fc.assert(
    fc.property(piece, piece, (one, other) => {
      expect(compareBytes(one, other)).toBe(Buffer.compare(one, other));
    }),
  );
});
