import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import { countAllowed, countDenied, isRepeated } from '../../../src/guards/requirements/tools';
import { viewOf } from '../../../src/guards/requirements/view';
import * as scene from './scene';

const plan = scene.blocking('plan');

function counted(changes: readonly { apply(current: Json | undefined): Json | undefined }[]): JsonObject {
  return changes.reduce<Json | undefined>((value, change) => change.apply(value), undefined) as JsonObject;
}

const event = (callId: string | undefined, agent?: string) => ({
  ...scene.before(scene.call(callId === undefined ? {} : { callId })),
  ...(agent !== undefined && { agent: { id: agent } }),
});

test('one call that several processes see counts once', () => {
  const view = viewOf(event('call-1'), scene.snapshotOf())!;
  const metrics = counted([
    countDenied(event('call-1'), ['plan'], 'x', view),
    countDenied(event('call-1'), ['plan'], 'x', view),
    countAllowed(event('call-2'), [plan], [], view),
  ]);
  expect(metrics['tools']).toMatchObject({ Edit: { count: 2, blocked_count: 1 } });
  expect(metrics['requirements']).toMatchObject({ plan: { blocked_count: 1 } });
});

test('however long its id is', () => {
  const change = countAllowed(event('x'.repeat(100)), [plan], [], viewOf(event('x'), scene.snapshotOf())!);
  expect(counted([change, change])['tools']).toMatchObject({ Edit: { count: 1 } });
});

test('a call that several processes deny is told in the same words by all of them', () => {
  const view = viewOf(event('call-1'), scene.snapshotOf())!;
  const first = counted([countDenied(event('call-1'), ['plan'], 'x', view)]);
  const second = { ...view, metrics: first };
  expect(isRepeated(event('call-1'), 'x', second)).toBe(false);
  expect(isRepeated(event('call-2'), 'x', second)).toBe(true);
  const both = countDenied(event('call-2'), ['plan'], 'x', second).apply(first) as JsonObject;
  expect(isRepeated(event('call-2'), 'x', { ...view, metrics: both })).toBe(true);
});

test('calls without an id are counted each', () => {
  const view = viewOf(event(undefined), scene.snapshotOf())!;
  const change = countAllowed(event(undefined), [plan], [], view);
  expect(counted([change, change])['tools']).toMatchObject({ Edit: { count: 2 } });
});

test('a subagent is named with the work it did for its parent', () => {
  const view = viewOf(event('c'), scene.snapshotOf())!;
  const metrics = counted([
    countAllowed(event('c1', 'a1'), [plan], [], view),
    countAllowed(event('c2', 'a1'), [plan], [], view),
  ]);
  expect(metrics['agents']).toEqual(['a1']);
});
