import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import { migrateKeys, satisfyRoot } from '../../../src/guards/requirements/state';
import * as scene from './scene';

const { SESSION, SESSION_ID } = scene;
const PLAIN_ID = SESSION_ID.replaceAll('-', '');

/** The sessions of a requirement after the move. */
function moved(sessions: JsonObject): Json | undefined {
  const after = migrateKeys(scene.state({ plan: { scope: 'session', sessions } }));
  return (after as { requirements: { plan: JsonObject } }).requirements.plan['sessions'];
}

describe('where an older program wrote a whole id', () => {
  const satisfied = (at: number, more: JsonObject = {}) => ({ satisfied: true, satisfied_at: at, ...more });
  const rows: [sentence: string, before: JsonObject, after: JsonObject][] = [
    ['it moves to the short key', { [SESSION_ID]: satisfied(1) }, { [SESSION]: satisfied(1) }],
    ['with dashes or without', { [PLAIN_ID]: satisfied(1) }, { [SESSION]: satisfied(1) }],
    [
      'the newer satisfaction wins: the long one',
      { [SESSION_ID]: satisfied(200), [SESSION]: satisfied(100) },
      { [SESSION]: satisfied(200) },
    ],
    [
      'the newer satisfaction wins: the short one',
      { [SESSION_ID]: satisfied(100), [SESSION]: satisfied(200) },
      { [SESSION]: satisfied(200) },
    ],
    [
      'whichever of them stands first in the file',
      { [SESSION]: satisfied(100), [SESSION_ID]: satisfied(200) },
      { [SESSION]: satisfied(200) },
    ],
    [
      'a satisfaction wins over none',
      { [SESSION_ID]: satisfied(0), [SESSION]: { triggered: true, triggered_at: 9 } },
      { [SESSION]: satisfied(0, { triggered: true, triggered_at: 9 }) },
    ],
    [
      'of two without one the later trigger wins, and the earlier time stays',
      {
        [SESSION_ID]: { triggered: true, triggered_at: 5, note: 'early' },
        [SESSION]: { triggered: true, triggered_at: 9, note: 'late' },
      },
      { [SESSION]: { triggered: true, triggered_at: 5, note: 'late' } },
    ],
    [
      'in either order',
      {
        [SESSION]: { triggered: true, triggered_at: 9, note: 'late' },
        [SESSION_ID]: { triggered: true, triggered_at: 5, note: 'early' },
      },
      { [SESSION]: { triggered: true, triggered_at: 5, note: 'late' } },
    ],
    [
      "the loser's trigger is not lost",
      { [SESSION_ID]: satisfied(100, { triggered: true, triggered_at: 50 }), [SESSION]: satisfied(200) },
      { [SESSION]: satisfied(200, { triggered: true, triggered_at: 50 }) },
    ],
    [
      'what is no entry gives way to one',
      { [SESSION]: 'yes', [SESSION_ID]: satisfied(1) },
      { [SESSION]: satisfied(1) },
    ],
    ['on either side', { [SESSION_ID]: null, [SESSION]: satisfied(1) }, { [SESSION]: satisfied(1) }],
    [
      'others stay where they are',
      { [SESSION_ID]: {}, aaaaaaaa: satisfied(1) },
      { [SESSION]: {}, aaaaaaaa: satisfied(1) },
    ],
  ];

  test.each(rows)('%s', (_sentence, before, after) => {
    expect(moved(before)).toEqual(after);
  });

  test('an id that could be a path gets a key that cannot', () => {
    const [[key, own] = []] = Object.entries(moved({ '../../ab': satisfied(1) }) as JsonObject);
    expect(key).toMatch(/^[0-9a-f]{8}$/);
    expect(own).toEqual(satisfied(1));
  });

  test('among many other sessions as well', () => {
    const others = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`other${at}`, satisfied(at)]));
    const keys = Object.keys(moved({ ...others, '../../ab': satisfied(1) }) as JsonObject);
    expect(keys).toHaveLength(41);
    expect(keys.at(-1)).toMatch(/^[0-9a-f]{8}$/);
    expect(migrateKeys(scene.state({ plan: { sessions: others } }))).toEqual(
      scene.state({ plan: { sessions: others } }),
    );
  });

  test.each(rows)('twice is the same as once: %s', (_sentence, before) => {
    const once = migrateKeys(scene.state({ plan: { sessions: before } }));
    expect(migrateKeys(once)).toBe(once);
  });

  test('the next change of anything in the file moves it', () => {
    const entry = { sessions: { [SESSION_ID]: satisfied(200), [SESSION]: satisfied(100) } };
    const owner = { branch: 'feature/auth', project: '/p', now: scene.NOW };
    const by = { by: 'cli', at: scene.NOW };
    expect(satisfyRoot(scene.state({ plan: entry }), owner, 'other', 'branch', by)).toMatchObject({
      requirements: { plan: { sessions: { [SESSION]: satisfied(200) } } },
    });
  });
});

describe('what there is nothing to move in stays the very same', () => {
  const twelve = { session_id: SESSION_ID, satisfied: true };
  test.each<[string, Json | undefined]>([
    ['nothing', undefined],
    ['a list', [1]],
    ['no requirements', { version: '1.0' }],
    ['requirements of the wrong type', { requirements: ['plan'] }],
    ['an entry of the wrong type', { requirements: { plan: 'yes' } }],
    ['sessions of the wrong type', { requirements: { plan: { sessions: [SESSION_ID] } } }],
    ['short keys', scene.state({ plan: { sessions: { [SESSION]: {}, abc123: {} } } })],
    ['a key that is empty', scene.state({ plan: { sessions: { '': {}, '--': {} } } })],
    ['a key of twelve that is ours', scene.state({ plan: { sessions: { cad0ac4d3933: twelve } } })],
  ])('%s', (_sentence, state) => {
    expect(migrateKeys(state)).toBe(state);
  });
});
