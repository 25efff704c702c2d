import { describe, expect, it } from 'vitest';
import { type Progress, requestReader } from '../../src/server/request-reader';
import { LARGEST_DOCUMENT, LARGEST_HEADER } from '../../src/server/wire';

const HEADER = 'HP1\nHOME=/hömé\n\n';
const DOCUMENT = '{"a": {"b": "}ü\\n"}}';

function read(pieces: readonly (string | Buffer)[]): Progress {
  const reader = requestReader();
  return pieces.map((piece) => reader.take(Buffer.from(piece))).at(-1) ?? 'more';
}

describe('a request', () => {
  const bytes = Buffer.from(HEADER + DOCUMENT);
  const whole = { header: { env: { HOME: '/hömé' } }, document: DOCUMENT };

  it('is whole with its last byte and not before, wherever it is cut', () => {
    for (let at = 1; at < bytes.length; at++) {
      const reader = requestReader();
      expect(reader.take(bytes.subarray(0, at)), `${at} bytes`).toBe('more');
      expect(reader.take(bytes.subarray(at))).toEqual(whole);
    }
  });

  it('may be followed by white space', () => {
    expect(read([bytes, '\n'])).toEqual({ ...whole, document: `${DOCUMENT}\n` });
  });

  it.each(['', 'no JSON', '{"a": 1', '[1]'])('ends with the client too: %j', (document) => {
    const reader = requestReader();
    expect(reader.take(Buffer.from(HEADER + document))).toBe('more');
    expect(reader.end()).toMatchObject({ document });
  });

  it('to the server itself has no document', () => {
    expect(read(['HP1\nask=status\n\n'])).toEqual({ header: { ask: 'status', env: {} }, document: '' });
  });
});

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'another version': ['GET / HTTP/1.1\nHost: x\n\n'],
  'a header that does not end': ['HP1\n', 'x'.repeat(LARGEST_HEADER)],
  'a document that is too large': [HEADER, ' '.repeat(LARGEST_DOCUMENT + 1)],
};

it.each(Object.entries(REFUSED))('%s is refused', (_, pieces) => {
  expect(read(pieces)).toBe('refused');
});

it('a client that goes before its header has ended is refused', () => {
  const reader = requestReader();
  reader.take(Buffer.from('HP1\nHOME=/h'));
  expect(reader.end()).toBe('refused');
});
