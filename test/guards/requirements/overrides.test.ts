import { expect, test } from 'vitest';
import { overridesIn, withOverride, withoutOverrides } from '../../../src/guards/requirements/state';
import * as scene from './scene';

const FILE = 'requirements/feature-auth.json';
const OPEN = scene.state({ plan: { scope: 'session', sessions: { [scene.SESSION]: { triggered: true } } } });
const config = scene.configOf([scene.blocking('plan')]);

test('a turn that ends after it was held leaves a word for the next session', () => {
  const { verdict, changes } = scene.outcomeOf(
    scene.stop(),
    config,
    scene.snapshotOf({ files: { [FILE]: OPEN }, heldBefore: 1 }),
  );
  expect(verdict).toEqual({ kind: 'nothing' });
  const state = scene.applied(changes, scene.fileRef(FILE), OPEN);
  expect(overridesIn(state)).toEqual([{ session: scene.SESSION, names: ['plan'], at: scene.NOW }]);
});

test('one that has satisfied everything since leaves none', () => {
  const done = scene.state({
    plan: { scope: 'session', sessions: { [scene.SESSION]: { triggered: true, satisfied: true } } },
  });
  const { changes } = scene.outcomeOf(
    scene.stop(),
    config,
    scene.snapshotOf({ files: { [FILE]: done }, heldBefore: 1 }),
  );
  expect(changes).toEqual([]);
});

test('the next session is told once', () => {
  const state = withOverride(OPEN, { session: 'aaaaaaaa', names: ['plan'], at: 1 });
  const { verdict, changes } = scene.outcomeOf(
    scene.start(),
    config,
    scene.snapshotOf({ files: { [FILE]: state } }),
  );
  const line = 'A turn ended here although it had been held: session aaaaaaaa with plan open.';
  expect(verdict).toMatchObject({ kind: 'advise', toPerson: line });
  expect(verdict.kind === 'advise' && verdict.toAgent).toContain(line);
  expect(overridesIn(scene.applied(changes, scene.fileRef(FILE), state))).toEqual([]);
});

test('a session is listed once, the newest last, and no more than five', () => {
  let state = withOverride(undefined, { session: 'a', names: ['x'], at: 1 });
  for (const session of ['b', 'c', 'a', 'd', 'e', 'f', 'g']) {
    state = withOverride(state, { session, names: ['y'], at: 2 });
  }
  expect(overridesIn(state).map(({ session }) => session)).toEqual(['a', 'd', 'e', 'f', 'g']);
});

test.each([undefined, null, [], { stop_overrides: 'x' }, { stop_overrides: [7, {}] }])(
  'rubbish is borne: %j',
  (state) => {
    expect(() => overridesIn(state)).not.toThrow();
    expect(() => withoutOverrides(state)).not.toThrow();
  },
);
