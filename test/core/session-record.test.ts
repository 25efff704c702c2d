import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/core/json';
import { recordFrom, recordToJson, type SessionRecord } from '../../src/core/refused-stops';
import { sessionRecordRef } from '../../src/core/text';
import { AT } from './events';

const record: SessionRecord = {
  session_id: 'session-one',
  stops: {
    chain: 'prompt p1',
    in_row: 3,
    by_guard: { requirements: 1, loop: 2 },
    last: { key: 'p1 xyz', guards: ['loop'], written_at: 0 },
    held_at: AT,
  },
  degraded: [{ at: AT, code: 'guard.threw', detail: 'loop oops', told: false }],
};
const throughDisk = (value: Json): Json => JSON.parse(JSON.stringify(value));

describe('a session record', () => {
  test.each<[string, SessionRecord]>([
    ['that is full', record],
    ['that has no stops', { session_id: 's', degraded: [] }],
    [
      'with a chain that has just begun anew',
      { ...record, stops: { ...record.stops!, in_row: 0, by_guard: {} } },
    ],
  ])('%s comes back from disk as it was', (_, before) => {
    expect(recordFrom(throughDisk(recordToJson(before, AT)), 'other')).toEqual(before);
  });

  test('is empty where there is none', () => {
    expect(recordFrom(undefined, 's1')).toEqual({ session_id: 's1', degraded: [] });
  });

  test.each<[string, Json]>([
    ['a number', 7],
    ['a list', [1, 2]],
    ['null', null],
    ['stops that are a text', { stops: 'many' }],
    ['stops without a chain', { stops: { in_row: 5 } }],
    ['a chain that is a number', { stops: { chain: 5, in_row: 5 } }],
    ['marks that are no list', { degraded: { code: 'x' } }],
    ['a list of no marks', { degraded: [1, null, 'x', []] }],
  ])('that is rubbish counts as absent: %s', (_, value) => {
    expect(recordFrom(value, 's1')).toEqual({ session_id: 's1', degraded: [] });
  });

  test.each<[string, Json]>([
    ['a text', '5'],
    ['negative', -5],
    ['null', null],
    ['a list', [5]],
  ])('never invents a count: in a row is %s', (_, inRow) => {
    const value = {
      stops: { chain: 'prompt p1', in_row: inRow, by_guard: { loop: inRow, nobody: 3 }, last: 1 },
    };
    expect(recordFrom(value, 's').stops).toEqual({
      chain: 'prompt p1',
      in_row: 0,
      by_guard: { loop: 0 },
      last: { key: '', guards: [], written_at: 0 },
      held_at: 0,
    });
  });

  test('can be read from any JSON, and what was read goes round', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (stops, degraded, chain) => {
        const value = {
          stops: { chain: 'c', in_row: stops, by_guard: stops, last: chain },
          degraded,
        } as Json;
        for (const odd of [stops as Json, value]) {
          const read = recordFrom(odd, 's');
          expect(recordFrom(throughDisk(recordToJson(read, AT)), 's')).toEqual(read);
        }
      }),
    );
  });
});

describe('the file of a session record', () => {
  test.each<[string, string]>([
    ['a uuid', '0a1b2c3d-0000-4000-8000-000000000001'],
    ['a path', '../../../etc/passwd'],
    ['a very long id', 'x'.repeat(10_000)],
    ['a NUL', 'a\0b'],
    ['dashes alone', '---'],
    ['a dot', '..'],
  ])('has a plain and short name in our own directory, for %s', (_, id) => {
    const { base, path } = sessionRecordRef(id);
    expect(base).toBe('own');
    expect(path).toMatch(/^sessions\/[0-9A-Za-z_]{1,64}\.json$/);
  });

  test('differs for ids that differ, though their keys are the same', () => {
    const ids = ['abcdefgh-1', 'abcdefgh-2', 'a/b', 'a/c', '..', '.'];
    expect(new Set(ids.map((id) => sessionRecordRef(id).path)).size).toBe(ids.length);
  });
});
