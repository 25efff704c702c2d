import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encoded, formReply, parseHeader, parseReply } from '../../src/server/wire';

const HEADERS: Readonly<Record<string, readonly [text: string, header: unknown]>> = {
  'variables and words of our own': [
    'HP1\nargs=--host codex\nparent=7\nHOME=/h\nISDLC_PROJECT=',
    { args: '--host codex', parent: '7', env: { HOME: '/h', ISDLC_PROJECT: '' } },
  ],
  'signs that would end a line': ['HP1\nHOME=/a%0Ab%25c%3D', { env: { HOME: '/a\nb%c%3D' } }],
  'a value with equals signs': ['HP1\nHOME=a=b', { env: { HOME: 'a=b' } }],
  'another version': ['HP2\nHOME=/h', undefined],
  'no version': ['HOME=/h', undefined],
  'a variable that nobody reads': ['HP1\nPATH=/bin', undefined],
  'a word of a later version': ['HP1\nmood=good', undefined],
  'a line that is no assignment': ['HP1\nHOME', undefined],
};

describe('a header', () => {
  it.each(Object.entries(HEADERS))('%s', (_, [text, header]) => {
    expect(parseHeader(text)).toEqual(header);
  });

  it('gives back any value that was written into it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('%', '0', 'A', '2', '5', '\n', '=', 'ü') }), (value) => {
        expect(parseHeader(`HP1\nHOME=${encoded(value)}`)?.env['HOME']).toBe(value);
      }),
    );
  });
});

describe('a reply', () => {
  const text = fc.string({ unit: fc.constantFrom('#', 'h', 'p', ':', '1', '\n', '#hp:', '#hp', 'ü') });

  it('gives back any texts, also those that look like its marks', () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom(0, 2), (stdout, stderr, exitCode) => {
        const said = { exitCode, stdout, stderr };
        expect(parseReply(formReply(said))).toEqual(said);
      }),
    );
  });

  it('is none where its end is missing, however little', () => {
    fc.assert(
      fc.property(text, text, fc.nat(), (stdout, stderr, at) => {
        const whole = formReply({ exitCode: 0, stdout, stderr });
        expect(parseReply(whole.slice(0, at % whole.length))).toBeUndefined();
      }),
    );
  });

  it('to the commonest event is always the same bytes', () => {
    expect(formReply({ exitCode: 0, stdout: '', stderr: '' })).toBe('HP1 0 #hp:\n#hp:#hp:');
  });
});
