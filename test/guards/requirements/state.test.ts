import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import {
  consume,
  entryIn,
  satisfyRoot,
  satisfySession,
  trigger,
} from '../../../src/guards/requirements/state';
import { NOW } from './scene';

const owner = { branch: 'feature/auth', project: '/p', now: NOW };
const by = { by: 'cli', at: NOW };
const FOREIGN: JsonObject = {
  version: '1.0',
  branch: 'feature/auth',
  project: '/p',
  created_at: 5,
  note: 'of another program',
  requirements: {
    plan: {
      scope: 'session',
      owner: 'me',
      sessions: { s: { satisfied: true, mark: 1 }, t: { satisfied: true } },
    },
    other: { deep: [1, { two: 2 }] },
  },
};

const CHANGES: [sentence: string, change: (state: Json | undefined) => Json | undefined][] = [
  ['satisfying a session', (state) => satisfySession(state, owner, 'plan', 'session', 's', by)],
  ['satisfying the root', (state) => satisfyRoot(state, owner, 'plan', 'branch', by)],
  ['triggering a session', (state) => trigger(state, owner, 'plan', 'session', 's')],
  ['triggering a branch', (state) => trigger(state, owner, 'plan', 'branch', 's')],
  ['using up a pass', (state) => consume(state, owner, 'plan', 's')],
];

describe.each(CHANGES)('%s', (_sentence, change) => {
  test.each([
    ['nothing', undefined],
    ['a list', [1, 2]],
    ['parts of the wrong type', { requirements: [], version: 7 }],
    ['entries of the wrong type', { requirements: { plan: 'yes' } }],
    ['sessions of the wrong type', { requirements: { plan: { sessions: 'all', triggered_sessions: [] } } }],
    ['what another program wrote', FOREIGN],
  ])('twice is the same as once, beginning with %s', (_from, state) => {
    const once = change(state);
    expect(change(once)).toEqual(once);
  });

  test('keeps every field that it does not know', () => {
    const after = change(FOREIGN) as { requirements: Record<string, JsonObject> } & JsonObject;
    expect(after).toMatchObject({ version: '1.0', created_at: 5, note: 'of another program' });
    expect(after.requirements['other']).toEqual({ deep: [1, { two: 2 }] });
    expect(after.requirements['plan']).toMatchObject({ owner: 'me', sessions: { t: { satisfied: true } } });
  });

  test('does not touch the value that it was given', () => {
    const text = JSON.stringify(FOREIGN);
    change(FOREIGN);
    expect(JSON.stringify(FOREIGN)).toBe(text);
  });
});

describe('a state file', () => {
  test('begins with a header', () => {
    expect(satisfySession(undefined, owner, 'plan', 'session', 's', by)).toEqual({
      version: '1.0',
      branch: 'feature/auth',
      project: '/p',
      created_at: NOW,
      updated_at: NOW,
      requirements: {
        plan: {
          scope: 'session',
          sessions: { s: { satisfied: true, satisfied_at: NOW, satisfied_by: 'cli', expires_at: null } },
        },
      },
    });
  });

  test('keeps expiry and metadata at the root', () => {
    const told = { ...by, expiresAt: NOW + 60, metadata: { ticket: 7 } };
    expect(satisfyRoot(undefined, owner, 'plan', 'branch', told)).toMatchObject({
      requirements: {
        plan: { scope: 'branch', satisfied: true, expires_at: NOW + 60, metadata: { ticket: 7 } },
      },
    });
  });

  test('keeps the moment of the first trigger', () => {
    const first = trigger(undefined, owner, 'plan', 'branch', 's');
    const later = { ...owner, now: NOW + 9 };
    expect(trigger(first, later, 'plan', 'branch', 's')).toBe(first);
    expect(trigger(first, later, 'plan', 'branch', 't')).toMatchObject({
      requirements: { plan: { triggered_at: NOW, triggered_sessions: { s: NOW, t: NOW + 9 } } },
    });
  });

  test.each(['toString', '__proto__', 'constructor'])('takes %s for a name like any other', (name) => {
    const others = trigger(undefined, owner, name, 'branch', 's');
    const both = JSON.parse(JSON.stringify(trigger(others, owner, name, 'branch', name))) as JsonObject;
    expect(Object.keys(both['requirements'] as JsonObject)).toEqual([name]);
    expect(Object.keys(entryIn(both, name)['triggered_sessions'] as JsonObject)).toEqual(['s', name]);
    expect(trigger(both, owner, name, 'branch', name)).toBe(both);
  });

  test('is left as it is where there is no pass to use up', () => {
    const state = trigger(undefined, owner, 'plan', 'single_use', 's');
    expect(consume(state, owner, 'plan', 's')).toBe(state);
    expect(consume(undefined, owner, 'plan', 's')).toBeUndefined();
  });

  test("loses the session's whole entry with its pass", () => {
    expect(consume(FOREIGN, owner, 'plan', 's')).toMatchObject({
      requirements: { plan: { sessions: { t: {} } } },
    });
    expect(JSON.stringify(consume(FOREIGN, owner, 'plan', 's'))).not.toContain('mark');
  });
});
