import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import { withoutOldSessions } from '../../../src/guards/requirements/state';
import * as scene from './scene';

const DAY = 24 * 60 * 60;
const at = (days: number) => scene.NOW - days * DAY;

function left(sessions: JsonObject, living: readonly string[] = []): string[] {
  const state = scene.state({ plan: { scope: 'session', sessions } });
  const after = withoutOldSessions(state, living, scene.NOW) as { requirements: { plan: JsonObject } };
  return Object.keys(after.requirements.plan['sessions'] as JsonObject);
}

describe('what a session left in the state', () => {
  test.each<[string, JsonObject, string[], string[]]>([
    ['goes after thirty days', { a: { satisfied_at: at(30) } }, [], []],
    ['stays until then', { a: { satisfied_at: at(30) + 1 } }, [], ['a']],
    ['stays for the later of its times', { a: { satisfied_at: at(90), triggered_at: at(1) } }, [], ['a']],
    [
      'stays while the session lives',
      { a: { satisfied_at: at(90) }, b: { satisfied_at: at(90) } },
      ['b'],
      ['b'],
    ],
    ['stays where nothing tells its age', { a: { satisfied: true } }, [], ['a']],
    ['goes where it is no entry', { a: 'yes', b: { triggered_at: at(0) } }, [], ['b']],
    ['stays where its time is yet to come', { a: { satisfied_at: at(-1) } }, [], ['a']],
  ])('%s', (_sentence, sessions, living, kept) => {
    expect(left(sessions, living)).toEqual(kept);
  });

  test('goes from the list of who set a branch off too, and the root stays', () => {
    const entry = {
      satisfied: true,
      satisfied_at: at(90),
      triggered: true,
      triggered_sessions: { a: at(90), b: at(1) },
    };
    expect(withoutOldSessions(scene.state({ plan: entry }), [], scene.NOW)).toMatchObject({
      requirements: { plan: { ...entry, triggered_sessions: { b: at(1) } } },
    });
  });

  test.each<[string, Json | undefined]>([
    ['nothing', undefined],
    ['a list', []],
    ['requirements of the wrong type', { requirements: 7 }],
    ['entries of the wrong type', { requirements: { plan: 7, adr: { sessions: 7 } } }],
    ['young entries', scene.state({ plan: { sessions: { a: { satisfied_at: scene.NOW } } } })],
  ])('the state is the very same where there is nothing to drop: %s', (_sentence, state) => {
    expect(withoutOldSessions(state, [], scene.NOW)).toBe(state);
  });
});
