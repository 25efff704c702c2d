import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import { sessionKey } from '../../../src/core/text';
import * as states from '../../../src/guards/requirements/state';
import { branchFile, branchSlug } from '../../../src/guards/requirements/view';
import { NOW, ROOT, SESSION, SESSION_ID, state } from './context';

const { migrateKeys, sessionKeyIn, withoutOldSessions } = states;
const owner = { branch: 'feature/auth', project: ROOT, now: NOW };
const by = { by: 'cli', at: NOW };

describe('a change to a state', () => {
  const FOREIGN: JsonObject = {
    ...state({
      plan: { owner: 'me', sessions: { s: { satisfied: true, mark: 1 }, t: { satisfied: true } } },
      other: { deep: [1, { two: 2 }] },
    }),
    created_at: 5,
    note: 'of another program',
  };

  const CHANGES: [string, (state: Json | undefined) => Json | undefined][] = [
    ['satisfies a session', (one) => states.satisfySession(one, owner, 'plan', 'session', 's', by)],
    ['satisfies the root', (one) => states.satisfyRoot(one, owner, 'plan', 'branch', by)],
    ['triggers a session', (one) => states.trigger(one, owner, 'plan', 'session', 's')],
    ['triggers a branch', (one) => states.trigger(one, owner, 'plan', 'branch', 's')],
    ['uses up a pass', (one) => states.consume(one, owner, 'plan', 's')],
  ];

  test.each(CHANGES)(
    'that %s is the same when it is made twice, and keeps what it does not know',
    (_, change) => {
      const odd = { requirements: { plan: { sessions: 'all', triggered_sessions: [] } } };
      const wrong = [
        undefined,
        [1, 2],
        { requirements: [], version: 7 },
        { requirements: { plan: 'yes' } },
        odd,
      ];
      const text = JSON.stringify(FOREIGN);
      for (const current of [...wrong, FOREIGN]) {
        const once = change(current);
        expect(change(once)).toEqual(once);
      }
      expect(JSON.stringify(FOREIGN)).toBe(text);
      expect(change(FOREIGN)).toMatchObject({
        created_at: 5,
        note: 'of another program',
        requirements: {
          plan: { owner: 'me', sessions: { t: { satisfied: true } } },
          other: { deep: [1, { two: 2 }] },
        },
      });
    },
  );

  test('writes a header, an expiry and metadata', () => {
    const satisfaction = { satisfied: true, satisfied_at: NOW, satisfied_by: 'cli' };
    expect(states.satisfySession(undefined, owner, 'plan', 'session', 's', by)).toEqual({
      version: '1.0',
      branch: 'feature/auth',
      project: ROOT,
      created_at: NOW,
      updated_at: NOW,
      requirements: {
        plan: {
          scope: 'session',
          sessions: { s: { ...satisfaction, expires_at: null, seal: expect.any(String) } },
        },
      },
    });
    const told = { ...by, expiresAt: NOW + 60, metadata: { ticket: 7 } };
    expect(states.satisfyRoot(undefined, owner, 'plan', 'branch', told)).toMatchObject({
      requirements: {
        plan: { scope: 'branch', ...satisfaction, expires_at: NOW + 60, metadata: { ticket: 7 } },
      },
    });
  });

  test('keeps the moment of the first trigger', () => {
    const first = states.trigger(undefined, owner, 'plan', 'branch', 's');
    const later = { ...owner, now: NOW + 9 };
    expect(states.trigger(first, later, 'plan', 'branch', 's')).toBe(first);
    expect(states.trigger(first, later, 'plan', 'branch', 't')).toMatchObject({
      requirements: { plan: { triggered_at: NOW, triggered_sessions: { s: NOW, t: NOW + 9 } } },
    });
  });

  test.each(['toString', '__proto__', 'constructor'])('takes %s for a name like any other', (name) => {
    const others = states.trigger(undefined, owner, name, 'branch', 's');
    const both = JSON.parse(
      JSON.stringify(states.trigger(others, owner, name, 'branch', name)),
    ) as JsonObject;
    expect(Object.keys(both['requirements'] as JsonObject)).toEqual([name]);
    expect(Object.keys(states.entryIn(both, name)['triggered_sessions'] as JsonObject)).toEqual(['s', name]);
    expect(states.trigger(both, owner, name, 'branch', name)).toBe(both);
  });

  test('takes the whole entry of a session with its pass, and nothing where there is none', () => {
    expect(JSON.stringify(states.consume(FOREIGN, owner, 'plan', 's'))).not.toContain('mark');
    const triggered = states.trigger(undefined, owner, 'plan', 'single_use', 's');
    expect(states.consume(triggered, owner, 'plan', 's')).toBe(triggered);
    expect(states.consume(undefined, owner, 'plan', 's')).toBeUndefined();
  });
});

describe('where an older program wrote a whole id', () => {
  const PLAIN_ID = SESSION_ID.replaceAll('-', '');
  const done = (at: number, more: JsonObject = {}) => ({ satisfied: true, satisfied_at: at, ...more });
  const set = (triggered_at: number, more: JsonObject = {}) => ({ triggered: true, triggered_at, ...more });
  const moved = (sessions: JsonObject) => migrateKeys(state({ plan: { sessions } }));

  /** Of several entries for one session, what becomes of them. */
  const ROWS: [string, [long: Json, short: Json | undefined], merged: JsonObject][] = [
    ['it moves to the short key', [done(1), undefined], done(1)],
    ['the newer satisfaction wins', [done(200), done(100)], done(200)],
    ['the newer one may have the short key', [done(100), done(200)], done(200)],
    ['a satisfaction wins over none', [done(0), set(9)], done(0, set(9))],
    ['the later trigger wins, the earlier time stays', [set(5), set(9, { a: 2 })], set(5, { a: 2 })],
    ['the trigger of the other is not lost', [done(100, set(50)), done(200)], done(200, set(50))],
    ['what is no entry gives way to one', [done(1), 'yes'], done(1)],
    ['on either side', [null, done(1)], done(1)],
  ];

  test.each(ROWS)('%s', (_sentence, [long, short], merged) => {
    const entry = short === undefined ? {} : { [SESSION]: short };
    const after = state({ plan: { sessions: { [SESSION]: merged, aaaaaaaa: done(1) } } });
    for (const id of [SESSION_ID, PLAIN_ID]) {
      expect(moved({ [id]: long, ...entry, aaaaaaaa: done(1) })).toEqual(after);
      const once = moved({ ...entry, [id]: long, aaaaaaaa: done(1) });
      expect(once).toEqual(after);
      expect(migrateKeys(once)).toBe(once);
    }
  });

  test('an id that could be a path gets a key that cannot, among many other sessions too', () => {
    const others = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`other${at}`, done(at)]));
    const after = moved({ ...others, '../../ab': done(1) }) as { requirements: { plan: JsonObject } };
    const keys = Object.keys(after.requirements.plan['sessions'] as JsonObject);
    expect([keys.length, keys.at(-1)]).toEqual([41, expect.stringMatching(/^[0-9a-f]{8}$/)]);
  });

  test('the next change of anything in the file moves it', () => {
    const before = state({ plan: { sessions: { [SESSION_ID]: done(200), [SESSION]: done(100) } } });
    expect(states.satisfyRoot(before, owner, 'other', 'branch', by)).toMatchObject({
      requirements: { plan: { sessions: { [SESSION]: done(200) } } },
    });
  });

  test.each<[string, Json | undefined]>([
    ['nothing', undefined],
    ['a list', [1]],
    ['no requirements', { version: '1.0' }],
    ['an entry of the wrong type', { requirements: { plan: 'yes' } }],
    ['sessions of the wrong type', { requirements: { plan: { sessions: [SESSION_ID] } } }],
    ['short and empty keys', state({ plan: { sessions: { [SESSION]: {}, abc123: {}, '': {}, '--': {} } } })],
    ['a key of twelve of ours', state({ plan: { sessions: { cad0ac4d3933: { session_id: SESSION_ID } } } })],
  ])('and there is nothing to move, the state is the very same: %s', (_sentence, one) => {
    expect(migrateKeys(one)).toBe(one);
  });
});

describe('what a session left in a state', () => {
  const at = (days: number) => NOW - days * 24 * 60 * 60;
  const sessions = {
    old: { satisfied_at: at(30) },
    young: { satisfied_at: at(30) + 1 },
    triggered: { satisfied_at: at(90), triggered_at: at(1) },
    living: { satisfied_at: at(90) },
    ageless: { satisfied: true },
    odd: 'yes',
    future: { satisfied_at: at(-1) },
  };

  test('goes after thirty days, unless the session lives or its age is unknown; the root stays', () => {
    const entry = {
      satisfied: true,
      satisfied_at: at(90),
      triggered_sessions: { a: at(90), b: at(1) },
      sessions,
    };
    const isLiving = (key: string): boolean => key === 'living';
    const after = withoutOldSessions(state({ plan: entry }), isLiving, NOW);
    const { old: _, odd: __, ...kept } = sessions;
    expect(after).toEqual(state({ plan: { ...entry, triggered_sessions: { b: at(1) }, sessions: kept } }));
    expect(withoutOldSessions(after, isLiving, NOW)).toBe(after);
    for (const wrong of [
      undefined,
      [],
      { requirements: 7 },
      { requirements: { plan: 7, adr: { sessions: 7 } } },
    ])
      expect(withoutOldSessions(wrong, isLiving, NOW)).toBe(wrong);
  });

  test('is told of turns that ended although held: each session once, the newest last, at most five', () => {
    const override = (one: Json | undefined, session: string) =>
      states.withOverride(one, { session, names: ['x'], at: 1 });
    const told = ['a', 'b', 'c', 'a', 'd', 'e', 'f', 'g'].reduce<Json | undefined>(override, undefined);
    expect(states.overridesIn(told).map(({ session }) => session)).toEqual(['a', 'd', 'e', 'f', 'g']);
    for (const odd of [undefined, null, [], { stop_overrides: 'x' }, { stop_overrides: [7, {}] }]) {
      expect(() => states.overridesIn(odd)).not.toThrow();
      expect(() => states.withoutOverrides(odd)).not.toThrow();
    }
  });
});

describe('the file of a branch', () => {
  const hashed = (slug: string) =>
    expect.stringMatching(new RegExp(`^requirements/${slug}~[0-9a-f]{8}\\.json$`));
  const nobody = () => undefined;
  const owned = (branch: Json) => () => ({ kind: 'present', value: { branch }, version: '1' }) as const;
  const broken = () => ({ kind: 'unreadable', file: 'x', why: 'is not JSON' }) as const;

  test.each([
    ['main', 'main'],
    ['feature/auth', 'feature-auth'],
    ['a\\b', 'a-b'],
    ['feat#1.x', 'feat_1_x'],
    ['under_score-dash', 'under_score-dash'],
    ['an\u0303b', 'añb'],
    ['名前/一', '名前-一'],
    ['smile😀', 'smile_'],
    ['../../etc', '__-__-etc'],
    ['nul\u0000', 'nul_'],
  ])('%j has the slug %j', (branch, slug) => {
    expect(branchSlug(branch)).toBe(slug);
  });

  test.each([
    ['is named by the slug', 'a/b', nobody, 'requirements/a-b.json'],
    ['stays where the branch has it', 'a/b', owned('a/b'), 'requirements/a-b.json'],
    ['stays where it names no branch', 'a/b', owned(7), 'requirements/a-b.json'],
    ['stays where it cannot be read', 'a/b', broken, 'requirements/a-b.json'],
    ['gets a hash where another branch has it', 'a/b', owned('a-b'), hashed('a-b')],
    ['is never that of the project', '_project', nobody, hashed('_project')],
    ['is cut where the name is too long', 'x'.repeat(121), nobody, hashed('x{120}')],
    ['is cut by bytes', `${'名'.repeat(70)}/${'𠮷'.repeat(70)}`, nobody, hashed('名{60}')],
    ['is not cut where it just fits', 'x'.repeat(120), nobody, `requirements/${'x'.repeat(120)}.json`],
  ])('%s', (_sentence, branch, lookUp, path) => {
    expect(branchFile(branch, lookUp).path).toEqual(path);
  });
});

describe('the key of a session in a state', () => {
  const OTHER_ID = 'cad0ac4d-ffff-4000-8000-000000000000';
  const huge = `cad0ac4d-${'f'.repeat(10_000)}`;
  const owned = (session_id: Json) => state({ plan: { sessions: { [SESSION]: { session_id } } } });

  test.each<[string, JsonObject | undefined, string, string]>([
    ['is short where there is no state', undefined, SESSION_ID, SESSION],
    ['is short where the entry is its own', owned(SESSION_ID), SESSION_ID, SESSION],
    ['is short where nobody says whose the entry is', owned(7), SESSION_ID, SESSION],
    ['has twelve characters where another has it', owned(OTHER_ID), SESSION_ID, 'cad0ac4d3933'],
    ['is short for who gave no more than that', owned(OTHER_ID), SESSION, SESSION],
    ['is short for an id of which only a part is kept', owned(huge.slice(0, 128)), huge, SESSION],
    ['is its own one, dashes or not', owned(SESSION_ID), SESSION_ID.replaceAll('-', ''), SESSION],
  ])('%s', (_sentence, one, id, key) => {
    expect(sessionKeyIn(one, id, SESSION)).toBe(key);
  });

  test('is a hash where the id could name a path, the longer one too', () => {
    const short = sessionKey('../../etc/passwd') ?? '';
    expect(short).toMatch(/^[0-9a-f]{8}$/);
    const taken = state({ plan: { sessions: { [short]: { session_id: 'another' } } } });
    expect(sessionKeyIn(taken, '../../etc/passwd', short)).toMatch(new RegExp(`^${short}[0-9a-f]{4}$`));
  });
});
