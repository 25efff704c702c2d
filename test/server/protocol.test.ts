import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatReply, parseReply, readRequest } from '../../src/server/protocol';

const DOCUMENT = '{"a": {"b": "}ü\\n"}}';
const read = (text: string, isEnd = false) => readRequest(Buffer.from(text), isEnd);

describe('a request', () => {
  it.each<[string, string, unknown]>([
    [
      'variables and words of our own',
      'HP1\nargs=--host codex\nparent=7\nHOME=/h\nISDLC_PROJECT=',
      { args: '--host codex', parent: '7', env: { HOME: '/h', ISDLC_PROJECT: '' } },
    ],
    ['a value with equals signs', 'HP1\nHOME=a=b', { env: { HOME: 'a=b' } }],
  ])('has a header: %s', (_, header, expected) => {
    expect(read(`${header}\n\n${DOCUMENT}`)).toEqual({ header: expected, document: DOCUMENT });
  });

  it.each([
    ['another version', 'HP2\nHOME=/h\n\n'],
    ['no version', 'HOME=/h\n\n'],
    ['a browser', 'GET / HTTP/1.1\nHost: x\n\n'],
    ['a variable that nobody reads', 'HP1\nPATH=/bin\n\n'],
    ['a word of a later version', 'HP1\nmood=good\n\n'],
    ['a line that is no assignment', 'HP1\nHOME\n\n'],
    ['a header that does not end', `HP1\n${'x'.repeat(70_000)}`],
  ])('is refused for %s', (_, text) => {
    expect(read(text)).toBe('refused');
  });

  it('is whole with its last byte and not before, wherever it is cut', () => {
    const bytes = Buffer.from(`HP1\nHOME=/hömé\n\n${DOCUMENT}`);
    for (let at = 1; at < bytes.length; at++) {
      expect(readRequest(bytes.subarray(0, at), false), `${at} bytes`).toBe('more');
    }
    expect(readRequest(bytes, false)).toEqual({ header: { env: { HOME: '/hömé' } }, document: DOCUMENT });
  });

  it.each(['', 'no JSON', '{"a": 1', '[1]'])('ends with the client too: %j', (document) => {
    expect(read(`HP1\n\n${document}`)).toBe('more');
    expect(read(`HP1\n\n${document}`, true)).toMatchObject({ document });
    expect(read('HP1\nHOME=/h', true)).toBe('refused');
  });

  it('may begin its document with a byte order mark', () => {
    expect(read(`HP1\n\n\ufeff${DOCUMENT}`)).toMatchObject({ document: `\ufeff${DOCUMENT}` });
  });

  it('to the server itself has no document', () => {
    expect(read('HP1\nask=status\n\n')).toEqual({ header: { ask: 'status', env: {} }, document: '' });
  });
});

describe('a reply', () => {
  const text = fc.string({ unit: fc.constantFrom('#', 'h', 'p', ':', '1', '\n', '#hp:', '#hp', 'ü') });

  it('gives back any texts, also those that look like its marks', () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom(0, 2), (stdout, stderr, exitCode) => {
        const said = { exitCode, stdout, stderr };
        expect(parseReply(formatReply(said))).toEqual(said);
      }),
    );
  });

  it('is none where its end is missing, however little', () => {
    fc.assert(
      fc.property(text, text, fc.nat(), (stdout, stderr, at) => {
        const whole = formatReply({ exitCode: 0, stdout, stderr });
        expect(parseReply(whole.slice(0, at % whole.length))).toBeUndefined();
      }),
    );
  });

  it('to the commonest event is always the same bytes', () => {
    expect(formatReply({ exitCode: 0, stdout: '', stderr: '' })).toBe('HP1 0 #hp:\n#hp:#hp:');
  });
});
