import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import type { Requirement } from '../../../src/guards/requirements/config';
import { keyOf } from '../../../src/guards/requirements/standing';
import { decide } from '../../../src/guards/workflow/decide';
import * as scene from './scene';

const { NOW, SESSION, FILE, METRICS } = scene;
const plan = scene.blocking('plan');

describe('a denial that is repeated', () => {
  const adr = scene.blocking('adr');
  const evident = scene.blocking('plan', { evidence: { dirs: ['docs'], markers: [] } });
  const writing = scene.before(scene.writing(`${scene.ROOT}/src/b.ts`));

  /** The text of a denial, so many seconds after another one. */
  function denied(requirements: readonly Requirement[], first: readonly Requirement[], age: number) {
    const before = scene.outcomeOf(writing, scene.configOf(first), scene.snapshotOf());
    const known = scene.applied(before.changes, scene.fileRef(METRICS)) as JsonObject;
    const metrics = { ...known, last_denial: { ...(known['last_denial'] as JsonObject), at: NOW - age } };
    const { verdict, changes } = scene.outcomeOf(
      scene.before(),
      scene.configOf(requirements),
      scene.snapshotOf({ metrics }),
    );
    return { text: scene.reasonOf(verdict), after: scene.applied(changes, scene.fileRef(METRICS), metrics) };
  }

  test.each([
    ['within five seconds is short', [plan], [plan], 4, true],
    ['at once is short', [plan], [plan], 0, true],
    ['later is whole again', [plan], [plan], 5, false],
    ['for something else is whole', [plan], [adr], 1, false],
    ['for more than before is whole', [plan, adr], [plan], 1, false],
    ['for the same two is short', [plan, adr], [plan, adr], 1, true],
    ['after a clock that went back is whole', [plan], [plan], -9, false],
  ])('%s', (_sentence, requirements, first, age, short) => {
    const { text } = denied(requirements, first, age);
    expect(text.split('\n').length === 2).toBe(short);
    for (const { name } of requirements) expect(text).toContain(name);
    expect(text).toContain(`--session ${SESSION}`);
    expect(text).toContain('Nothing was changed.');
  });

  test('for another reason is whole', () => {
    const before = scene.outcomeOf(writing, scene.configOf([evident]), scene.snapshotOf());
    const metrics = scene.applied(before.changes, scene.fileRef(METRICS)) as JsonObject;
    const files = { [FILE]: scene.state({ plan: { satisfied: true } }) };
    const brought = { [keyOf('feature/auth', 'plan')]: { kind: 'lacking', why: 'nothing is there' } };
    const snapshot = scene.snapshotOf({ files, metrics });
    const { verdict } = scene.outcomeOf(scene.before(), scene.configOf([evident]), snapshot, brought);
    expect(scene.reasonOf(verdict)).toContain('nothing is there');
  });

  test('is short in the words of the config, if it has any', () => {
    const own = { ...plan, shortMessage: 'Still {req_name} on {branch}.', message: 'Long.' };
    expect(denied([own], [own], 1).text.split('\n')[0]).toBe('Still plan on feature/auth.');
    expect(denied([own], [own], 9).text.split('\n')[0]).toBe('Long.');
  });

  test('is remembered, and counted all the same', () => {
    expect(denied([plan], [plan], 1).after).toMatchObject({
      last_denial: { at: NOW },
      requirements: { plan: { blocked_count: 2 } },
    });
  });
});

describe('what has to be found out first', () => {
  const size = scene.dynamic('size', { block: 10 });
  const key = keyOf('feature/auth', 'size');
  const value = (number: number): JsonObject => ({ kind: 'value', value: number, summary: '', base: '' });
  const step = (world: scene.World = {}, effectResult?: Json) =>
    decide(scene.before(), scene.configOf([size]), scene.snapshotOf(world), {
      earlier: [],
      rules: [],
      ...(effectResult !== undefined && { effectResult }),
    });

  test('is asked for once, and not again while it is fresh', () => {
    expect(step()).toMatchObject({ kind: 'effect', name: 'gather', input: { values: [{ name: 'size' }] } });
    const values = { [key]: { ...value(3), at: NOW - 59 } };
    expect(step({ values })).toMatchObject({ kind: 'outcome', verdict: { kind: 'nothing' } });
    expect(step({ values: { [key]: { ...value(3), at: NOW - 60 } } }).kind).toBe('effect');
  });

  test('is kept with its time, whatever was decided', () => {
    for (const [number, kind] of [
      [3, 'nothing'],
      [10, 'deny'],
    ] as const) {
      const decided = step({}, { [key]: value(number) });
      if (decided.kind !== 'outcome') throw new Error('an effect is asked for');
      expect(decided.verdict.kind).toBe(kind);
      const ref = { base: 'own', path: 'values.json', format: 'json', keeping: 'bookkeeping' } as const;
      expect(scene.applied(decided.changes, ref)).toEqual({ [key]: { ...value(number), at: NOW } });
    }
  });

  test('and could not be holds nobody, but is told', () => {
    expect(step({}, { [key]: { kind: 'failed', why: 'no git' } })).toMatchObject({
      verdict: { kind: 'nothing' },
      troubles: [{ code: 'effect.failed', guard: 'requirements', detail: 'size: no git' }],
    });
  });

  test('and is below its limit sets the requirement off without holding anything', () => {
    const decided = step({}, { [key]: value(3) });
    if (decided.kind !== 'outcome') throw new Error('an effect is asked for');
    expect(scene.applied(decided.changes, scene.fileRef(FILE))).toMatchObject({
      requirements: { size: { sessions: { [SESSION]: { triggered: true } } } },
    });
  });

  test('is not asked for where a pause, or another tool, makes it needless', () => {
    expect(step({ paused: true }).kind).toBe('outcome');
    const reading = scene.before(scene.call({ nativeName: 'Read', names: ['Read'], op: 'read' }));
    expect(decide(reading, scene.configOf([size]), scene.snapshotOf(), { earlier: [], rules: [] }).kind).toBe(
      'outcome',
    );
  });
});

describe('the paths of a call', () => {
  const guarded = scene.blocking('plan', { paths: ['src/**'], excludePaths: ['**/*.test.ts'] });
  test.each([
    ['src/a.ts', 'deny'],
    ['src/a.test.ts', 'nothing'],
    ['docs/a.md', 'nothing'],
  ])('%s: %s', (path, kind) => {
    const event = scene.before(scene.writing(`${scene.ROOT}/${path}`));
    expect(scene.outcomeOf(event, scene.configOf([guarded]), scene.snapshotOf()).verdict.kind).toBe(kind);
  });
});
