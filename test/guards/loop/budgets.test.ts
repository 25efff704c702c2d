import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { charged, tokensWanted } from '../../../src/guards/loop/transition';
import * as scene from './scene';

const { grind, looping, ours, outcomeOf, saying, sentence, stop } = scene;
const RESUME = { on_child_done: 'resume' };
const minutes = (started_at: string, seconds = 600): JsonObject => ({ started_at, budget: { seconds } });

describe('time', () => {
  test('ends the loop when it is used up, and the person is told', () => {
    const outcome = outcomeOf(stop(), looping([ours(2, 10, minutes('2026-01-01T11:50:00Z'))]));
    expect(outcome.next).toMatchObject({ event: 'DONE', reason: 'MAX_MINUTES', stack: [] });
    expect(scene.toPerson(outcome)).toContain('MAX_MINUTES');
  });

  test('is counted from the frame’s own start, else from the run’s', () => {
    expect(outcomeOf(stop(), looping([ours(2, 10, minutes('2026-01-01T11:50:01Z'))])).reason).toBe(
      sentence(2 + 1, 10),
    );
    const run = looping([ours(2, 10, { budget: { seconds: 600 } })], { started_at: '2026-01-01T11:00:00Z' });
    expect(outcomeOf(stop(), run).next).toMatchObject({ reason: 'MAX_MINUTES' });
    const unknown = looping([ours(2, 10, { budget: { seconds: 600 } })]);
    expect(outcomeOf(stop(), unknown).reason).toBe(sentence(3, 10));
  });

  test('does not hide a completion', () => {
    const world = looping([ours(2, 10, minutes('2026-01-01T11:00:00Z'))]);
    expect(outcomeOf(saying(scene.S), world).next).toMatchObject({ reason: 'COMPLETE' });
  });

  test('of an outer loop ends what is inside it too', () => {
    const stack = [grind(1, 100, { ...RESUME, ...minutes('2026-01-01T11:00:00Z') }), ours(2, 10)];
    expect(outcomeOf(stop(), looping(stack)).next).toMatchObject({
      event: 'DONE',
      reason: 'MAX_MINUTES',
      stack: [],
    });
    const around = [grind(1, 100, RESUME), ...stack];
    const outcome = outcomeOf(stop(), looping(around));
    expect(outcome.reason).toBe(sentence(2, 100));
    expect(outcome.next?.['stack']).toHaveLength(1);
  });
});

describe('tokens', () => {
  const budget = { tokens: 1000 };
  const frame = (used?: JsonObject): JsonObject => ours(2, 10, { budget, ...(used && { used }) });
  const spending = (used: number, until: number) => ({ transcript: { tokens: { used, until } } });

  test('are added up from where the last stop left off', () => {
    const world = looping([frame({ tokens: 300, transcript_offset: 50, more: 'x' })], {}, spending(200, 90));
    const { next, reason } = outcomeOf(stop(), world);
    expect(reason).toBe(sentence(3, 10));
    expect(next).toMatchObject({ stack: [{ used: { tokens: 500, transcript_offset: 90, more: 'x' } }] });
  });

  test('end the loop when they are used up, and the person is told', () => {
    const world = looping([frame({ tokens: 800, transcript_offset: 50 })], {}, spending(200, 90));
    const outcome = outcomeOf(stop(), world);
    expect(outcome.next).toMatchObject({ event: 'DONE', reason: 'MAX_TOKENS', stack: [] });
    expect(scene.toPerson(outcome)).toContain('MAX_TOKENS');
  });

  test('that were used before the loop was first looked at are not its own', () => {
    const world = looping([frame()], {}, spending(5_000_000, 90));
    expect(outcomeOf(stop(), world).next).toMatchObject({
      stack: [{ used: { tokens: 0, transcript_offset: 90 } }],
    });
  });

  test('are asked for only where a frame has a budget', () => {
    expect(tokensWanted([ours(1, 2), grind(1)])).toBeUndefined();
    expect(
      tokensWanted([
        frame({ tokens: 0, transcript_offset: 70 }),
        frame({ tokens: 0, transcript_offset: 50 }),
      ]),
    ).toBe(50);
    expect(tokensWanted([frame()])).toBe(Number.MAX_SAFE_INTEGER);
  });

  test('change nothing in frames without a budget, or where nothing could be counted', () => {
    const stack = [ours(1, 2), 'odd', frame({ tokens: 3, transcript_offset: 1 })];
    expect(charged(stack, undefined)).toBe(stack);
    expect(charged(stack, { used: 1, until: 2 }).slice(0, 2)).toEqual(stack.slice(0, 2));
  });

  test.each([0, -5, '10', null])('a budget of %j is none', (tokens) => {
    expect(tokensWanted([ours(1, 10, { budget: { tokens } })])).toBeUndefined();
  });
});
