import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import * as scene from './scene';

const { NOW, SESSION, SESSION_ID, FILE, METRICS } = scene;
const plan = scene.blocking('plan');
const PAUSE = `requirements/sessions/${SESSION}.paused`;

describe('a session that begins', () => {
  const begun = (state: JsonObject | undefined, world: scene.World = {}) => {
    const files = state === undefined ? {} : { [FILE]: state };
    const { changes } = scene.outcomeOf(
      scene.start(),
      scene.configOf([plan]),
      scene.snapshotOf({ files, ...world }),
    );
    return (path: string, current?: Json) => scene.applied(changes, scene.fileRef(path), current);
  };

  test('has counts of its own from then on', () => {
    expect(begun(undefined)(METRICS)).toMatchObject({
      session_id: SESSION,
      started_at: NOW,
      branch: 'feature/auth',
      registered_at: NOW,
    });
  });

  test('writes no state where there is none', () => {
    expect(begun(undefined)(FILE)).toBeUndefined();
  });

  test('leaves a state in which there is nothing to tidy the very same', () => {
    const state = scene.state({ plan: { sessions: { aaaaaaaa: { satisfied_at: NOW - 400 } } } });
    expect(begun(state)(FILE, state)).toBe(state);
  });

  test('moves old keys and drops what is long over, but nothing of a living session', () => {
    const old = { satisfied: true, satisfied_at: NOW - 90 * 86_400 };
    const state = scene.state({ plan: { sessions: { [SESSION_ID]: old, aaaaaaaa: old, bbbbbbbb: old } } });
    const after = begun(state, { sessions: [{ id: 'bbbbbbbb' }, { id: 'aaaaaaaa', alive: false }] })(
      FILE,
      state,
    );
    expect(after).toMatchObject({ requirements: { plan: { sessions: { [SESSION]: old, bbbbbbbb: old } } } });
    expect(JSON.stringify(after)).not.toContain('aaaaaaaa');
  });

  test.each([
    ['switched off', scene.configOf([plan], { enabled: false })],
    ['only global', scene.configOf([plan], { reach: 'global-only' })],
    ['empty', scene.configOf([])],
  ])('writes nothing where the config is %s', (_sentence, config) => {
    expect(scene.outcomeOf(scene.start(), config, scene.snapshotOf()).changes).toEqual([]);
  });
});

describe('a session that ends', () => {
  const review = scene.blocking('review', { scope: 'single_use' });
  const design = scene.blocking('design', { scope: 'branch' });
  const both = { [SESSION]: { satisfied: true }, aaaaaaaa: { satisfied: true } };
  const state = scene.state({
    plan: { scope: 'session', sessions: both },
    review: { scope: 'single_use', sessions: both },
    design: { scope: 'branch', satisfied: true, sessions: {} },
    foreign: { sessions: both },
  });
  const ended = (clearSessionState: boolean) => {
    const config = scene.configOf([plan, review, design], { clearSessionState });
    const metrics = { started_at: NOW - 60, tools: {} };
    const { verdict, changes } = scene.outcomeOf(
      scene.end(),
      config,
      scene.snapshotOf({ metrics, paused: true }),
    );
    expect(verdict.kind).toBe('nothing');
    return (path: string) => scene.applied(changes, scene.fileRef(path), path === FILE ? state : {});
  };

  test('closes its counts and its pause', () => {
    expect(ended(false)(METRICS)).toMatchObject({ ended_at: NOW });
    expect(ended(false)(PAUSE)).toBeUndefined();
  });

  test('keeps what it satisfied', () => {
    expect(ended(false)(FILE)).toBe(state);
  });

  test('takes its own with it where the config says so, and nothing else', () => {
    const others = { aaaaaaaa: { satisfied: true } };
    expect((ended(true)(FILE) as JsonObject)['requirements']).toEqual({
      plan: { scope: 'session', sessions: others },
      review: { scope: 'single_use', sessions: others },
      design: { scope: 'branch', satisfied: true, sessions: {} },
      foreign: { sessions: both },
    });
  });

  test('writes no state where there is none', () => {
    const config = scene.configOf([plan, review], { clearSessionState: true });
    const { changes } = scene.outcomeOf(scene.end(), config, scene.snapshotOf());
    expect(scene.changedPaths(changes)).toContain(FILE);
    expect(scene.applied(changes, scene.fileRef(FILE))).toBeUndefined();
  });

  test('writes no counts where there are none', () => {
    const { changes } = scene.outcomeOf(scene.end(), scene.configOf([plan]), scene.snapshotOf());
    expect(scene.changedPaths(changes)).toEqual([PAUSE]);
  });
});

describe('a compaction', () => {
  test('is counted', () => {
    const { changes } = scene.outcomeOf(scene.compaction(), scene.configOf([plan]), scene.snapshotOf());
    const once = scene.applied(changes, scene.fileRef(METRICS));
    expect(scene.applied(changes, scene.fileRef(METRICS), once)).toMatchObject({ compaction_count: 2 });
  });
});
