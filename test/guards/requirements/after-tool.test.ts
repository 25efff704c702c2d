import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import * as scene from './scene';

const FILE = 'requirements/feature-auth.json';
const pass = { satisfied: true, satisfied_by: 'cli' };
const commit = scene.blocking('review', {
  scope: 'single_use',
  triggers: [{ kind: 'command', tool: 'Bash', pattern: 'commit|review' }],
});
const write = scene.blocking('review', { scope: 'single_use' });

/** The sessions that still have an entry after an event. */
function entriesAfter(
  event: ReturnType<typeof scene.after>,
  requirement = commit,
  entry?: JsonObject,
): string[] {
  const sessions = entry ?? { [scene.SESSION]: { triggered: true, ...pass }, aaaaaaaa: pass };
  const current = scene.state({ review: { scope: 'single_use', sessions } });
  const snapshot = scene.snapshotOf({ files: { [FILE]: current } });
  const { verdict, changes } = scene.outcomeOf(event, scene.configOf([requirement]), snapshot);
  expect(verdict.kind).toBe('nothing');
  const left = scene.applied(changes, scene.fileRef(FILE), current) as {
    requirements: { review: JsonObject };
  };
  return Object.keys(left.requirements.review['sessions'] as JsonObject).sort();
}

describe('a pass for one action', () => {
  const both = ['aaaaaaaa', scene.SESSION];
  const gitCommit = scene.bash('git commit -m x');

  test("is used up by that action, and only the session's own", () => {
    expect(entriesAfter(scene.after(gitCommit))).toEqual(['aaaaaaaa']);
  });

  test('is used up by an action whose end nobody knows', () => {
    expect(entriesAfter(scene.after(gitCommit, 'unknown'))).toEqual(['aaaaaaaa']);
  });

  test('is used up by any tool that it was for', () => {
    expect(entriesAfter(scene.after(scene.call()), write)).toEqual(['aaaaaaaa']);
  });

  test.each([
    ['an action that failed', scene.after(gitCommit, 'failure'), commit],
    ['another action', scene.after(scene.bash('ls')), commit],
    ['the command that records it', scene.after(scene.bash('req satisfy review')), commit],
    ['a plan, which needs no pass', scene.after(scene.writing(`${scene.ROOT}/docs/plans/a.md`)), write],
    ['an action under a wider scope', scene.after(scene.call()), { ...write, scope: 'session' as const }],
  ])('stays after %s', (_sentence, event, requirement) => {
    expect(entriesAfter(event, requirement)).toEqual(both);
  });

  test('leaves an entry that was only triggered for the end of the turn', () => {
    const entry = { [scene.SESSION]: { triggered: true } };
    expect(entriesAfter(scene.after(gitCommit), { ...commit, stopOnly: true }, entry)).toEqual([
      scene.SESSION,
    ]);
  });
});
