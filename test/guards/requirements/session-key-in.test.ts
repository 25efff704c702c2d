import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { sessionKeyIn } from '../../../src/guards/requirements/view';
import * as scene from './scene';

const OTHER_ID = 'cad0ac4d-ffff-4000-8000-000000000000';
const owned = (session_id: unknown): JsonObject =>
  scene.state({ plan: { sessions: { [scene.SESSION]: { satisfied: true, session_id } as JsonObject } } });
const huge = `cad0ac4d-${'f'.repeat(10_000)}`;

describe('the key of a session in a state', () => {
  test.each<[string, JsonObject | undefined, string, string | undefined]>([
    ['is short where there is no state', undefined, scene.SESSION_ID, scene.SESSION],
    ['is short where the entry is its own', owned(scene.SESSION_ID), scene.SESSION_ID, scene.SESSION],
    ['is short where nobody says whose the entry is', owned(undefined), scene.SESSION_ID, scene.SESSION],
    ['is short where that is no text', owned(7), scene.SESSION_ID, scene.SESSION],
    ['has twelve characters where another has it', owned(OTHER_ID), scene.SESSION_ID, 'cad0ac4d3933'],
    ['is short for who gave no more than that', owned(OTHER_ID), scene.SESSION, scene.SESSION],
    ['is short for an id of which only a part is kept', owned(huge.slice(0, 128)), huge, scene.SESSION],
    ['is none for an empty id', undefined, '', undefined],
    ['is none for dashes', undefined, '---', undefined],
  ])('%s', (_sentence, state, id, key) => {
    expect(sessionKeyIn(state, id)).toBe(key);
  });

  test('is a hash where the id could name a path, the longer one too', () => {
    const id = '../../etc/passwd';
    const short = sessionKeyIn(undefined, id) ?? '';
    expect(short).toMatch(/^[0-9a-f]{8}$/);
    const taken = scene.state({ plan: { sessions: { [short]: { session_id: 'another' } } } });
    expect(sessionKeyIn(taken, id)).toMatch(new RegExp(`^${short}[0-9a-f]{4}$`));
  });
});

describe('two sessions that begin alike', () => {
  const config = scene.configOf([scene.blocking('plan')]);

  test("do not share a satisfaction, and the second one's stays its own", () => {
    const both = { sessions: { [scene.SESSION]: { satisfied: true, session_id: OTHER_ID } } };
    const files = { [scene.FILE]: scene.state({ plan: both }) };
    const { verdict } = scene.outcomeOf(scene.before(), config, scene.snapshotOf({ files }));
    expect(scene.reasonOf(verdict)).toContain('--session cad0ac4d3933');
    const known = { ...both.sessions, cad0ac4d3933: { satisfied: true, session_id: scene.SESSION_ID } };
    const after = { [scene.FILE]: scene.state({ plan: { sessions: known } }) };
    expect(scene.outcomeOf(scene.before(), config, scene.snapshotOf({ files: after })).verdict.kind).toBe(
      'nothing',
    );
  });

  test('an allowed call leaves the whole id, as far as it is kept, in the entry', () => {
    const files = {
      [scene.FILE]: scene.state({ plan: { sessions: { [scene.SESSION]: { satisfied: true } } } }),
    };
    const event = scene.before(scene.call(), huge);
    const { changes } = scene.outcomeOf(event, config, scene.snapshotOf({ files }));
    const left = scene.applied(changes, scene.fileRef(scene.FILE), files[scene.FILE]);
    expect(left).toMatchObject({
      requirements: { plan: { sessions: { [scene.SESSION]: { session_id: huge.slice(0, 128) } } } },
    });
    const again = scene.snapshotOf({ files: { [scene.FILE]: left ?? null } });
    expect(scene.outcomeOf(event, config, again).verdict.kind).toBe('nothing');
  });
});
