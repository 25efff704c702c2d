import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import * as scene from './scene';

const { S, frame, grind, issue, looping, outcomeOf, saying, sentence, silent } = scene;
const RESUME = { on_child_done: 'resume' };

/** Goes on from what the last stop has written. */
function goingOn(next: JsonObject | undefined, world: scene.World = {}): scene.World {
  if (next === undefined) throw new Error('nothing was written');
  return { store: 'shared', messages: [next], ...world };
}

describe('an inner loop that is done', () => {
  test('leaves the outer one armed, and the turn ends without a word', () => {
    const outcome = outcomeOf(saying(S), looping([grind(4), issue(2)]));
    expect(outcome).toMatchObject({ reason: '', verdict: { kind: 'nothing' } });
    expect(outcome.next?.['stack']).toEqual([grind(4)]);
    expect(outcomeOf(saying('next one'), goingOn(outcome.next)).reason).toBe(sentence(5, 100));
  });

  test.each([
    ['COMPLETE', saying(S), issue(2)],
    ['STUCK', saying('<loop-done>STUCK</loop-done>'), issue(2)],
    ['its bound', saying('x'), issue(10)],
    ['its time', saying('x'), issue(2, 10, { started_at: '2026-01-01T11:00:00Z', budget: { seconds: 60 } })],
  ])('goes back to an outer one that resumes: %s', (_how, event, inner) => {
    const outcome = outcomeOf(event, looping([grind(4, 100, RESUME), inner]));
    expect(outcome.reason).toBe(sentence(5, 100));
    expect(outcome.next).toMatchObject({ event: 'STATE', stack: [{ mode: 'grind', iter: 5 }] });
    expect(outcome.next?.['stack']).toHaveLength(1);
  });

  test('leaves what was to be said of its own words behind', () => {
    const outcome = outcomeOf(saying(`\`${S}\``), looping([grind(4, 100, RESUME), issue(10)]));
    expect(outcome.reason).toBe(sentence(5, 100));
  });

  test('ends everything at its bound where the outer one says nothing', () => {
    const outcome = outcomeOf(saying('x'), looping([grind(4), issue(10)]));
    expect(outcome.next).toMatchObject({ event: 'DONE', reason: 'MAX_ITERATIONS', stack: [] });
  });

  test('an outer one that is at its own bound ends too, and the one around it goes on', () => {
    const stack = [grind(1, 100, RESUME), frame(10, 10, RESUME), issue(3)];
    const outcome = outcomeOf(saying(S), looping(stack));
    expect(outcome.reason).toBe(sentence(2, 100));
    expect(outcome.next?.['stack']).toMatchObject([{ mode: 'grind', iter: 2 }]);
    const last = outcomeOf(saying(S), looping([frame(10, 10, RESUME), issue(3)]));
    expect(last.next).toMatchObject({ event: 'DONE', reason: 'MAX_ITERATIONS', stack: [] });
  });

  test('an outer one whose count is none aborts instead of going on', () => {
    const outcome = outcomeOf(saying(S), looping([frame('x', 10, RESUME), issue(3)]));
    expect(outcome).toMatchObject({ reason: '', next: { event: 'ABORT', stack: [] } });
  });

  test('at the host’s cap it is taken off, but nothing is refused', () => {
    const outcome = outcomeOf(saying(S), looping([grind(1, 100, RESUME), issue(3)], {}, { inRow: 7 }));
    expect(outcome.reason).toBe('');
    expect(outcome.next?.['stack']).toMatchObject([{ mode: 'grind' }]);
    expect(scene.toPerson(outcome)).toContain('in a row');
  });
});

describe('a signal that was acted on', () => {
  const stack = [frame(1, 10), frame(1, 10)];
  const inTranscript = { transcript: { lastText: { kind: 'text', text: `all done\n${S}` } } } as const;

  test('does not count again while it is still the last text of the transcript', () => {
    const first = outcomeOf(silent({ promptId: 'p1' }), looping(stack, {}, inTranscript));
    expect(first.next?.['stack']).toEqual([frame(1, 10)]);
    const second = outcomeOf(silent({ promptId: 'p2' }), goingOn(first.next, inTranscript));
    expect(second.reason).toBe(sentence(2, 10));
    const third = outcomeOf(silent({ promptId: 'p2' }), goingOn(second.next, inTranscript));
    expect(third.reason).toBe(sentence(3, 10));
  });

  test('does not count for a second process that sees the same stop', () => {
    const event = saying(S, { promptId: 'p1' });
    const first = outcomeOf(event, looping(stack));
    expect(outcomeOf(event, goingOn(first.next)).next).toMatchObject({
      event: 'STATE',
      stack: [{ iter: 2 }],
    });
  });

  test('counts anew when a new prompt leads to the same words', () => {
    const first = outcomeOf(saying(S, { promptId: 'p1' }), looping(stack));
    const second = outcomeOf(saying(S, { promptId: 'p2' }), goingOn(first.next));
    expect(second.next).toMatchObject({ event: 'DONE', reason: 'COMPLETE', stack: [] });
    expect(second.next).not.toHaveProperty('last_signal');
  });

  test('counts anew after the agent was told to go on', () => {
    const event = saying(S, { promptId: 'p1' });
    const first = outcomeOf(event, looping([frame(1, 10, RESUME), frame(1, 10)]));
    expect(first.reason).toBe(sentence(2, 10));
    const second = outcomeOf(event, goingOn(first.next));
    expect(second.reason).toBe(sentence(3, 10));
    expect(outcomeOf(event, goingOn(second.next)).next).toMatchObject({ event: 'DONE', reason: 'COMPLETE' });
  });
});
