import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { noteBranch, passBranches } from '../../../src/guards/requirements/metrics';
import * as scene from './scene';

const commit = scene.after({ ...scene.bash('git commit'), callId: 'c1' });

function branches(metrics: JsonObject | undefined, lines: string[] = [], event = commit): string[] {
  const commandLines = lines.map((line) => line.split(' '));
  return passBranches(event, metrics, scene.snapshotOf({ branch: 'now', commandLines }));
}

describe('the branches on which a call uses up its pass', () => {
  test.each<[string, JsonObject | undefined, string[], string[]]>([
    ['the one it was judged on', { call_branches: { c1: 'then' }, branch: 'later' }, [], ['then']],
    ['that of now, where nothing is known', undefined, [], ['now']],
    ['the last known one and that of now, where its call is not', { branch: 'last' }, [], ['last', 'now']],
    ['nothing odd', { call_branches: { c1: 5 }, branch: ['x'] }, [], ['now']],
    [
      'those that the line goes to',
      { call_branches: { c1: 'then' } },
      ['git checkout -b x', 'git commit -m y', 'git switch z', 'echo git checkout no', 'git merge main'],
      ['then', 'x', 'z'],
    ],
    ['each once', { call_branches: { c1: 'x' } }, ['git checkout x', 'git checkout -'], ['x']],
  ])('%s', (_sentence, metrics, lines, expected) => {
    expect(branches(metrics, lines)).toEqual(expected);
  });

  test('a call without an id is that of the last known branch', () => {
    const metrics = { call_branches: { c1: 'then' }, branch: 'last' };
    expect(branches(metrics, [], scene.after(scene.bash('git commit')))).toEqual(['last', 'now']);
  });
});

test('the branches of the last twenty calls are kept', () => {
  const ids = Array.from({ length: 30 }, (_, at) => `call-${at}`);
  const metrics = ids.reduce<JsonObject>((counts, id) => noteBranch(counts, id, `on-${id}`), {});
  const kept = metrics['call_branches'] as JsonObject;
  expect(Object.keys(kept)).toEqual(ids.slice(-20));
  expect(kept['call-29']).toBe('on-call-29');
});
