import { describe, expect, it } from 'vitest';
import {
  abortedState,
  newFrame,
  pausedState,
  pushedState,
  resumedState,
  startedState,
  unpausedFallback,
} from '../../../src/guards/loop/new-state';

const NOW = Date.UTC(2026, 0, 1, 12);
const STAMP = '2026-01-01T12:00:00Z';
const EARLIER = '2026-01-01T11:00:00Z';
const FRAME = newFrame({ id: 'loop-1-1', mode: 'loop', max: 10, includePrompt: false }, NOW);

describe('a new frame', () => {
  it('has nothing that was not asked for', () => {
    expect(FRAME).toEqual({
      id: 'loop-1-1',
      mode: 'loop',
      iter: 1,
      max: 10,
      started_at: STAMP,
      origin: 'holdpoint',
    });
  });

  it('of a grind goes on when what is inside of it is done', () => {
    const grind = newFrame({ id: 'g', mode: 'grind', max: 100, includePrompt: true, tokens: 5 }, NOW);
    expect(grind).toMatchObject({ on_child_done: 'resume', include_prompt: true, budget: { tokens: 5 } });
  });
});

describe('what nobody knows is kept', () => {
  const envelope = { ...startedState(FRAME, 's1', NOW - 60_000), theirs: { a: 1 } };

  it.each([
    ['pushed', pushedState(envelope, FRAME, NOW)],
    ['aborted', abortedState(envelope, 'USER_CANCELLED', NOW)],
    ['paused', pausedState(envelope, 'why', NOW)],
    ['resumed', resumedState(envelope, 's1', NOW)],
  ])('when it is %s, and the time is that of the change', (_, next) => {
    expect(next).toMatchObject({ theirs: { a: 1 }, run_id: 'loop-1-1', session_id: 's1', updated_at: STAMP });
  });
});

describe('a run that goes on', () => {
  const resting = {
    event: 'STATE',
    run_id: 'r',
    updated_at: STAMP,
    stack: [{ started_at: EARLIER, iter: 3 }],
  };

  it('is not charged for the time of its pause', () => {
    const paused = { ...resting, paused: { at: '2026-01-01T11:30:00Z', reason: '' } };
    expect(resumedState(paused, 's2', NOW)).toEqual({
      schema: 1,
      event: 'STATE',
      run_id: 'r',
      session_id: 's2',
      updated_at: STAMP,
      stack: [{ started_at: '2026-01-01T11:30:00Z', iter: 3 }],
    });
  });

  it('keeps its time where it cannot be told how long it was away', () => {
    const { stack } = resumedState({ ...resting, paused: true, updated_at: 'soon' }, 's2', NOW);
    expect(stack).toEqual([{ started_at: EARLIER, iter: 3 }]);
  });

  it('has the schema that it had', () => {
    expect(resumedState({ ...resting, schema: 2 }, 's2', NOW)['schema']).toBe(2);
    expect(abortedState({ ...resting, schema: 0 }, 'USER_CANCELLED', NOW)['schema']).toBe(0);
  });
});

describe('the fallback file without its pause', () => {
  it.each([
    ['loses that line alone', '---\na: 1\npaused: x\n---\npaused: y\n', '---\na: 1\n---\npaused: y\n'],
    ['keeps its line ends', '---\r\npaused: x\r\na: 1\r\n---\r\n', '---\r\na: 1\r\n---\r\n'],
    ['is the same where there is none', '---\na: 1\n---\n', '---\na: 1\n---\n'],
    ['is the same where it has no front matter', 'paused: x\n', 'paused: x\n'],
  ])('%s', (_, text, after) => {
    expect(unpausedFallback(text)).toBe(after);
  });
});
