import { describe, expect, test } from 'vitest';
import type { StartSource } from '../../../src/core/event';
import type { JsonObject } from '../../../src/core/json';
import type { CarryOver, Requirement } from '../../../src/guards/requirements/config';
import * as scene from './scene';

const { NOW, SESSION, FILE } = scene;
const plan = scene.blocking('plan');

interface Situation {
  readonly requirement?: Requirement;
  readonly source?: StartSource;
  readonly carryOver?: Partial<CarryOver>;
  readonly inject?: boolean;
}

/** What a session's own entry is after it began beside these. */
function taken(sessions: JsonObject, situation: Situation = {}) {
  const { requirement = plan, source = 'clear', inject = true } = situation;
  const carryOver = {
    sources: ['clear'],
    windowSeconds: 300,
    scopes: ['session'],
    ...situation.carryOver,
  } as const;
  const config = scene.configOf([requirement], { carryOver, briefing: { inject, format: 'compact' } });
  const current = scene.state({ [requirement.name]: { scope: 'session', sessions } });
  const snapshot = scene.snapshotOf({ files: { [FILE]: current }, branch: 'feature/auth' });
  const { verdict, changes } = scene.outcomeOf(scene.start(source), config, snapshot);
  const after = scene.applied(changes, scene.fileRef(FILE), current) as {
    requirements: Record<string, { sessions: Record<string, JsonObject> }>;
  };
  return { own: after.requirements[requirement.name]?.sessions[SESSION], after, verdict };
}

const ago = (seconds: number, more: JsonObject = {}): JsonObject => ({
  satisfied: true,
  satisfied_at: NOW - seconds,
  satisfied_by: 'skill',
  ...more,
});

describe('a session that begins takes over', () => {
  test('what another has just satisfied, and says from whom and when', () => {
    const { own, verdict } = taken({ aaaaaaaa: ago(10) });
    expect(own).toMatchObject({
      satisfied: true,
      satisfied_at: NOW,
      satisfied_by: 'carry_over',
      expires_at: null,
      metadata: {
        carried_from: 'aaaaaaaa',
        original_satisfied_at: NOW - 10,
        original_satisfied_by: 'skill',
        carry_over_window: 300,
      },
    });
    expect(verdict).toMatchObject({ toAgent: expect.stringContaining('1/1 satisfied') });
    expect(verdict).toMatchObject({ toAgent: expect.stringContaining('`plan` from aaaaaaaa (10 s ago)') });
  });

  test('the newest of several', () => {
    const { own } = taken({ aaaaaaaa: ago(90), bbbbbbbb: ago(20), cccccccc: ago(50) });
    expect(own?.['metadata']).toMatchObject({ carried_from: 'bbbbbbbb' });
  });

  test('when it ends too', () => {
    expect(taken({ aaaaaaaa: ago(10, { expires_at: NOW + 40 }) }).own).toMatchObject({
      expires_at: NOW + 40,
    });
  });

  test('without losing what it had set off itself', () => {
    const sessions = { [SESSION]: { triggered: true, triggered_at: 5 }, aaaaaaaa: ago(10) };
    expect(taken(sessions).own).toMatchObject({ triggered: true, triggered_at: 5, satisfied: true });
  });

  test('even where it hears nothing of it', () => {
    const { own, verdict } = taken({ aaaaaaaa: ago(10) }, { inject: false });
    expect([own?.['satisfied'], verdict.kind]).toEqual([true, 'nothing']);
  });

  test.each<[string, JsonObject, Situation]>([
    ['up to the last second of the window', { aaaaaaaa: ago(300) }, {}],
    ['what a clock that went back dates into the future', { aaaaaaaa: ago(-50) }, {}],
    [
      'at startup where the config says so',
      { aaaaaaaa: ago(10) },
      { source: 'startup', carryOver: { sources: ['startup', 'clear'] } },
    ],
    ['an approval', { aaaaaaaa: ago(10) }, { requirement: scene.dynamic('size') }],
    [
      'a single use where the config says so',
      { aaaaaaaa: ago(10) },
      { requirement: scene.blocking('plan', { scope: 'single_use' }), carryOver: { scopes: ['single_use'] } },
    ],
  ])('%s', (_sentence, sessions, situation) => {
    expect(taken(sessions, situation).own).toMatchObject({ satisfied_by: 'carry_over' });
  });
});

describe('a session that begins does not take over', () => {
  test.each<[string, JsonObject, Situation]>([
    ['at startup, unless asked for', { aaaaaaaa: ago(10) }, { source: 'startup' }],
    ['when it is resumed', { aaaaaaaa: ago(10) }, { source: 'resume' }],
    ['after a compaction', { aaaaaaaa: ago(10) }, { source: 'compact' }],
    ['where it is switched off', { aaaaaaaa: ago(10) }, { carryOver: { sources: [] } }],
    ['what is older than the window', { aaaaaaaa: ago(301) }, {}],
    ['what has expired', { aaaaaaaa: ago(10, { expires_at: NOW - 1 }) }, {}],
    ['what was only set off', { aaaaaaaa: { triggered: true, triggered_at: NOW } }, {}],
    ['what says nothing of its time', { aaaaaaaa: { satisfied: true } }, {}],
    [
      'a scope that is not named',
      { aaaaaaaa: ago(10) },
      { requirement: scene.blocking('plan', { scope: 'single_use' }) },
    ],
    ['a condition', { aaaaaaaa: ago(10) }, { requirement: scene.protectedBranch(['main']) }],
    ['entries that are none', { aaaaaaaa: 'yes', bbbbbbbb: [true] }, {}],
  ])('%s', (_sentence, sessions, situation) => {
    expect(taken(sessions, situation).own?.['satisfied']).toBeUndefined();
  });

  test('what it has already', () => {
    const own = ago(200, { satisfied_by: 'cli' });
    expect(taken({ [SESSION]: own, aaaaaaaa: ago(10) }).own).toEqual(own);
  });
});
