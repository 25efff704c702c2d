import { describe, expect, test } from 'vitest';
import type { HeadPosition } from '../../../src/core/git-head';
import { guard } from '../../../src/guards/requirements/index';
import * as scene from './scene';

describe('a protected branch', () => {
  const verdictOn = (branches: readonly string[], branch: string) =>
    scene.outcomeOf(
      scene.before(),
      scene.configOf([scene.protectedBranch(branches)]),
      scene.snapshotOf({ branch }),
    ).verdict.kind;

  test.each([
    ['by its name', ['main', 'master'], 'main', 'deny'],
    ['not by a part of its name', ['main'], 'maintenance', 'nothing'],
    ['by a glob', ['release/*'], 'release/1.2', 'deny'],
    ['by a glob across slashes', ['release/*'], 'release/1/hotfix', 'deny'],
    ['by a glob with text on both sides', ['*-stable-*'], 'v1-stable-x', 'deny'],
    ['not by a glob that does not fit', ['release/*'], 'feature/release', 'nothing'],
    ['not where none is protected', [], 'main', 'nothing'],
  ])('%s', (_sentence, branches, branch, verdict) => {
    expect(verdictOn(branches, branch)).toBe(verdict);
  });

  test('is protected while it is being rebased', () => {
    const position: HeadPosition = { kind: 'rebase', branch: 'main', commit: 'c0ffee' };
    const config = scene.configOf([scene.protectedBranch(['main'])]);
    expect(scene.outcomeOf(scene.before(), config, scene.snapshotOf({ position })).verdict.kind).toBe('deny');
  });

  test('lets a session pass that a person let pass, and no other', () => {
    const config = scene.configOf([scene.protectedBranch(['main'])]);
    const entry = { sessions: { [scene.SESSION]: { satisfied: true } } };
    const files = { 'requirements/main.json': scene.state({ protected: entry }, 'main') };
    const snapshot = scene.snapshotOf({ files, branch: 'main' });
    expect(scene.outcomeOf(scene.before(), config, snapshot).verdict.kind).toBe('nothing');
    const stranger = scene.before(scene.call(), 'ffffffff');
    expect(scene.outcomeOf(stranger, config, snapshot).verdict.kind).toBe('deny');
  });

  test('says so in its own words, with the branch filled in', () => {
    const message = 'No edits on {branch}; see {constructor}.';
    const config = scene.configOf([scene.protectedBranch(['main'], { message })]);
    const { verdict } = scene.outcomeOf(scene.before(), config, scene.snapshotOf({ branch: 'main' }));
    expect(scene.reasonOf(verdict)).toContain('No edits on main; see {constructor}.');
  });
});

describe('a single session', () => {
  const config = scene.configOf([scene.singleSession()]);
  const own = { id: scene.SESSION, startedAt: 100 };
  const verdictBeside = (...sessions: NonNullable<scene.World['sessions']>) =>
    scene.outcomeOf(scene.before(), config, scene.snapshotOf({ sessions })).verdict;

  test.each([
    ['alone', [own], 'nothing'],
    ['beside an earlier one', [own, { startedAt: 99 }], 'deny'],
    ['beside a later one', [own, { startedAt: 101 }], 'nothing'],
    ['not yet registered, beside any', [{ startedAt: 101 }], 'deny'],
    ['beside an earlier one that is dead', [own, { startedAt: 99, alive: false }], 'nothing'],
    ['beside an earlier one elsewhere', [own, { startedAt: 99, projectDir: '/elsewhere' }], 'nothing'],
    ['beside one of the same second with a smaller key', [own, { id: 'aaaaaaaa', startedAt: 100 }], 'deny'],
    [
      'beside one of the same second with a greater key',
      [own, { id: 'ffffffff', startedAt: 100 }],
      'nothing',
    ],
  ])('%s', (_sentence, sessions, verdict) => {
    expect(verdictBeside(...sessions).kind).toBe(verdict);
  });

  test('names the session that was there first', () => {
    expect(scene.reasonOf(verdictBeside(own, { id: 'aaaaaaaa', startedAt: 99 }))).toContain(
      'session aaaaaaaa',
    );
  });

  test('is looked at again when the turn ends', () => {
    const triggered = { sessions: { [scene.SESSION]: { triggered: true } } };
    const files = { 'requirements/feature-auth.json': scene.state({ alone: triggered }) };
    const stopOnly = scene.configOf([scene.singleSession({ stopOnly: true })]);
    expect(guard.needs(scene.stop(), stopOnly, scene.snapshotOf()).sessions).toBe(true);
    const beside = scene.snapshotOf({ files, sessions: [own, { startedAt: 99 }] });
    expect(scene.outcomeOf(scene.stop(), stopOnly, beside).verdict.kind).toBe('hold');
    const alone = scene.snapshotOf({ files, sessions: [own] });
    expect(scene.outcomeOf(scene.stop(), stopOnly, alone).verdict.kind).toBe('nothing');
  });
});
