import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sessionKey } from '../../src/core/text';

const hashed = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 8);

describe('the key of a session', () => {
  test.each<[string, string, string | undefined]>([
    ['drops dashes and keeps eight characters', '1234-5678-9abc-def0', '12345678'],
    ['is the start of a uuid', '0a1b2c3d-0000-4000-8000-000000000001', '0a1b2c3d'],
    ['may be shorter than eight characters', 'ab-c', 'abc'],
    ['keeps underscores and capitals', 'S_1X', 'S_1X'],
    [
      'is hashed for a uuid that begins with the time',
      '019a8000-1111-7abc-8000-000000000001',
      hashed('019a8000-1111-7abc-8000-000000000001'),
    ],
    ['is hashed for an id of OpenCode', 'ses_e2182fe13ffeloHV', hashed('ses_e2182fe13ffeloHV')],
    [
      'stays what it is, as the key of such an id',
      hashed('ses_e2182fe13ffeloHV'),
      hashed('ses_e2182fe13ffeloHV'),
    ],
    ['does not exist for an empty id', '', undefined],
    ['does not exist for an id of dashes alone', '---', undefined],
    ['is hashed for a path', '../../ab', hashed('../../ab')],
    ['is hashed for a dot', '.', hashed('.')],
    ['is hashed for a space', 'a b', hashed('a b')],
    ['is hashed for a NUL', 'ab\0', hashed('ab\0')],
    ['is hashed for a line end at the very end', 'abcdefgh\n', hashed('abcdefgh\n')],
    ['is hashed for letters of other scripts', 'sitzung-ä', hashed('sitzungä')],
    ['is hashed although its first eight characters are plain', 'abcdefgh/../x', hashed('abcdefgh/../x')],
    ['is hashed for what JavaScript objects own', '__proto__.x', hashed('__proto__.x')],
  ])('%s', (_, id, expected) => {
    expect(sessionKey(id)).toBe(expected);
  });

  test('is never anything but one to eight letters, digits and underscores', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.uuid()), (id) => {
        const key = sessionKey(id);
        if (key === undefined) expect(id.replaceAll('-', '')).toBe('');
        else expect(key).toMatch(/^[0-9A-Za-z_]{1,8}$/);
      }),
    );
  });
});
