import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import { findingsOf, keyOf, withBrought } from '../../../src/guards/requirements/standing';
import * as scene from './scene';

const { NOW } = scene;
const BRANCH = 'feature/auth';
const size = scene.dynamic('size', { cacheTtl: 60 });
const value = (number: number, more: JsonObject = {}): JsonObject => ({
  kind: 'value',
  value: number,
  summary: '',
  base: 'main',
  ...more,
});
const under = (one: Json, name = 'size', branch = BRANCH): JsonObject => ({ [keyOf(branch, name)]: one });
const found = (kept: Json | undefined, brought?: Json) => findingsOf(kept, brought, [size], BRANCH, NOW);

describe('a computed value', () => {
  test.each<[string, Json | undefined, Json | undefined, number | undefined]>([
    ['is known while it is fresh', under(value(7, { at: NOW - 59 })), undefined, 7],
    ['is not known when its time is over', under(value(7, { at: NOW - 60 })), undefined, undefined],
    ['is not known when it comes from the future', under(value(7, { at: NOW + 1 })), undefined, undefined],
    ['is not known without a time', under(value(7)), undefined, undefined],
    ['is not known from another branch', under(value(7, { at: NOW }), 'size', 'other'), undefined, undefined],
    ['is not known under another name', under(value(7, { at: NOW }), 'sizes'), undefined, undefined],
    ['just brought beats a kept one', under(value(7, { at: NOW })), under(value(8)), 8],
    ['just brought needs no time', undefined, under(value(8)), 8],
    ['that is no number is none', undefined, under({ kind: 'value', value: '8' }), undefined],
    ['in a list is none', [], [], undefined],
  ])('%s', (_sentence, kept, brought, expected) => {
    const computed = found(kept, brought).value('size');
    expect(computed?.kind === 'value' ? computed.value : computed).toBe(expected);
  });

  test('may be none, or may not have been found', () => {
    expect(found(undefined, under({ kind: 'none' })).value('size')).toEqual({ kind: 'none' });
    const failed = { kind: 'failed', why: 'no git' };
    expect(found(undefined, under(failed)).value('size')).toEqual(failed);
  });

  test('whose name is that of an inherited member is none', () => {
    expect(findingsOf({}, {}, [size], '', NOW).value('constructor')).toBeUndefined();
  });
});

describe('evidence', () => {
  test.each<[string, Json | undefined, Json | undefined, string | undefined]>([
    [
      'that was shown counts for half a minute',
      under({ kind: 'shown', at: NOW - 29 }, 'plan'),
      undefined,
      'shown',
    ],
    ['and not longer', under({ kind: 'shown', at: NOW - 30 }, 'plan'), undefined, undefined],
    [
      'that was lacking is looked for again at once',
      under({ kind: 'lacking', why: 'x', at: NOW }, 'plan'),
      undefined,
      undefined,
    ],
    [
      'that lacks now beats what was shown',
      under({ kind: 'shown', at: NOW }, 'plan'),
      under({ kind: 'lacking', why: 'x' }, 'plan'),
      'lacking',
    ],
  ])('%s', (_sentence, kept, brought, expected) => {
    expect(findingsOf(kept, brought, [], BRANCH, NOW).evidence('plan')?.kind).toBe(expected);
  });
});

describe('what is kept', () => {
  test('gets its time, replaces what was there, and leaves others for a day', () => {
    const kept = {
      ...under(value(1, { at: NOW - 5 })),
      ...under(value(2, { at: NOW - 86_399 }), 'size', 'young'),
      ...under(value(3, { at: NOW - 86_400 }), 'size', 'old'),
      broken: 7,
    };
    expect(withBrought(kept, under(value(9)), NOW)).toEqual({
      ...under(value(9, { at: NOW })),
      ...under(value(2, { at: NOW - 86_399 }), 'size', 'young'),
    });
  });

  test.each<[string, Json | undefined]>([
    ['nothing', undefined],
    ['a list', [1]],
  ])('stays as it is where %s was brought', (_sentence, brought) => {
    const kept = { a: 1 };
    expect(withBrought(kept, brought, NOW)).toBe(kept);
  });
});
