import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/event';
import { guard } from '../../../src/guards/loop';
import * as scene from './scene';

const { ROOT, S, frame, looping, ours, prompt, saying, silent, snapshotOf, stop, tool } = scene;

function needsOf(event: Event, world: scene.World, config = scene.CONFIG) {
  return guard.needs(event, config, snapshotOf(world));
}

function paths(event: Event, world: scene.World): string[] {
  return (needsOf(event, world).documents ?? []).map(({ base, path }) => `${base}:${path}`);
}

const TOPICS = ['messages:messages.jsonl', 'own:loop.jsonl', 'own:loop-live.json'];
const MISSING = {
  documents: {
    'messages:messages.jsonl': { kind: 'missing' },
    'own:loop.jsonl': { kind: 'missing' },
  },
} as const;

describe('what is read', () => {
  test('is nothing for a stop that is none of the loop’s', () => {
    expect(needsOf(stop({ agent: { id: 'a' } }), {})).toEqual({});
    expect(needsOf(stop({ backgroundTasks: [{ status: 'running' }] }), {})).toEqual({});
  });

  test('is one file for a tool', () => expect(paths(tool('edit'), {})).toEqual(['own:loop-live.json']));

  test('is where the state may be, first', () => {
    expect(paths(stop(), {})).toEqual(TOPICS);
    expect(paths(prompt('hi'), {})).toEqual(TOPICS);
  });

  test('is the fallback, from the event’s directory upward, only once no topic was found', () => {
    const event = stop({ cwd: `${ROOT}/a/b` });
    expect(paths(event, MISSING)).toEqual([
      'project:a/b/.claude/idle-loop.local.md',
      'project:a/.claude/idle-loop.local.md',
      'project:.claude/idle-loop.local.md',
    ]);
    expect(paths(stop({ cwd: '/elsewhere' }), MISSING)).toContain('project:.claude/idle-loop.local.md');
    expect(
      needsOf(event, { messages: [], documents: { 'messages:messages.jsonl': { kind: 'missing' } } }),
    ).toEqual({});
  });

  const read = (world: scene.World): scene.World => ({
    ...world,
    documents: { 'own:loop.jsonl': { kind: 'missing' } },
  });

  test('is the transcript only where a live loop has no words of the agent', () => {
    const live = read(looping([frame(1, 10)]));
    expect(needsOf(silent(), live).transcript).toEqual({ lastText: true });
    expect(needsOf(saying('x'), live).transcript).toBeUndefined();
    expect(needsOf(silent(), read(looping([], { event: 'DONE' }))).transcript).toBeUndefined();
    const bounded = read(
      looping([ours(1, 10, { budget: { tokens: 5 }, used: { tokens: 0, transcript_offset: 7 } })]),
    );
    expect(needsOf(saying(S), bounded).transcript).toEqual({ tokensFrom: 7 });
  });

  test('is the switch, the worktree, the task and git’s marks', () => {
    const top = ours(1, 10, {
      worktree_path: '/w/t',
      include_prompt: true,
      prompt_file: 'loop-prompts/r.txt',
    });
    const asked = (needsOf(stop(), read(looping([top]))).files ?? []).map(({ path }) => path);
    expect(asked).toEqual(
      expect.arrayContaining([
        `${ROOT}/.jwz/.idle-disabled`,
        `${ROOT}/.idle-disabled`,
        '/w/t',
        `${ROOT}/.jwz/loop-prompts/r.txt`,
        `${ROOT}/.git/index`,
        `${ROOT}/.git/refs/heads/main`,
      ]),
    );
  });
});

test('no event is watched where no state is', () => {
  const interests = guard.interest(scene.CONFIG);
  expect(interests.map(({ kind }) => kind)).toEqual([
    'turn.stop',
    'turn.error',
    'prompt.submit',
    'session.start',
    'tool.after',
  ]);
  for (const { whenFile } of interests) expect(whenFile?.length).toBeGreaterThan(0);
});
