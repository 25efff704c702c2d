import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import { chargeTokens, tokensWanted } from '../../../src/guards/loop/transition';
import {
  DONE,
  decide,
  frame,
  type Given,
  grind,
  issue,
  looping,
  NOW,
  ours,
  saying,
  sentence,
  stop,
} from './context';

const RESUME = { on_child_done: 'resume' };
const LONG_AGO = { started_at: '2026-01-01T11:00:00Z', budget: { seconds: 60 } };
const ALL_DONE = (reason: string) => ({ reason: '', next: { event: 'DONE', reason, stack: [] } });
/** The outer loop has gone on, and is the only one left. */
const OUTER = (n: number) => ({
  reason: sentence(n, 100),
  next: { event: 'STATE', stack: [grind(n, RESUME)] },
});

describe('an inner loop that is done', () => {
  const BOUND = ALL_DONE('MAX_ITERATIONS');
  const ABORTED = { reason: '', next: { event: 'ABORT', stack: [] } };
  const STUCK = '<loop-done>STUCK</loop-done>';
  const CAPPED = {
    reason: '',
    toPerson: expect.stringContaining('in a row'),
    next: { stack: [{ mode: 'grind' }] },
  };
  test.each<[string, JsonObject[], string, object, Given?]>([
    ['leaves the outer one armed', [grind(4), issue(2)], DONE, { reason: '', next: { stack: [grind(4)] } }],
    ['resumes the outer one: COMPLETE', [grind(4, RESUME), issue(2)], DONE, OUTER(5)],
    ['resumes the outer one: STUCK', [grind(4, RESUME), issue(2)], STUCK, OUTER(5)],
    ['resumes the outer one: its time', [grind(4, RESUME), issue(2, LONG_AGO)], 'x', OUTER(5)],
    ['leaves remarks on its words behind', [grind(4, RESUME), issue(10)], `\`${DONE}\``, OUTER(5)],
    ['ends everything at its bound', [grind(4), issue(10)], 'x', BOUND],
    ['passes one at its bound', [grind(1, RESUME), frame(9, 9, RESUME), issue(3)], DONE, OUTER(2)],
    ['ends all where the outer one is at its bound', [frame(9, 9, RESUME), issue(3)], DONE, BOUND],
    ['aborts for an outer one without a count', [frame('x', 9, RESUME), issue(3)], DONE, ABORTED],
    ['holds nothing at the host’s cap', [grind(1, RESUME), issue(3)], DONE, CAPPED, { inRow: 7 }],
  ])('%s', async (_what, stack, text, expected, given) => {
    expect(await decide(saying(text), looping(stack, {}, given))).toMatchObject(expected);
  });
});

describe('a signal that was acted on', () => {
  const said = (promptId: string) => saying(DONE, { promptId });
  const silent = (promptId: string) => saying('', { promptId });
  const TWO = [frame(1, 10), frame(1, 10)];
  const RESUMED = [frame(1, 10, RESUME), frame(1, 10)];
  const transcript = { lastText: { kind: 'text', text: DONE } } as const;

  test.each<[string, Json, ReturnType<typeof stop>[], unknown[]]>([
    ['does not count while the transcript ends with it', TWO, ['1', '2', '2'].map(silent), ['1', '2', '3']],
    ['does not count for a second process that sees the stop', TWO, ['1', '1'].map(said), ['1', '2']],
    ['counts after a new prompt', TWO, ['1', '2'].map(said), ['1', 'COMPLETE']],
    ['counts after the agent was told to go on', RESUMED, ['1', '1', '1'].map(said), ['2', '3', 'COMPLETE']],
  ])('%s', async (_what, first, stops, expected) => {
    let messages = looping(first).messages ?? [];
    const seen: unknown[] = [];
    for (const event of stops) {
      const { next = {} } = await decide(event, { messages, transcript });
      const stack = next['stack'] as JsonObject[];
      seen.push(next['reason'] ?? stack.map(({ iter }) => iter).join());
      messages = [next];
    }
    expect(seen).toEqual(expected);
  });
});

describe('a budget', () => {
  const timed = (started_at: string) => looping([ours(2, 10, { started_at, budget: { seconds: 600 } })]);
  const unstarted = (more: JsonObject) => looping([ours(2, 10, { budget: { seconds: 600 } })], more);
  const tokens = (used?: JsonObject) => ours(2, 10, { budget: { tokens: 1000 }, ...(used && { used }) });
  const used = (count: number, transcript_offset: number) => ({
    tokens: count,
    transcript_offset,
    more: 'x',
  });
  const spending = (frame: JsonObject, count: number, fresh = 0): Given => {
    const tokens = { used: count, until: 90 };
    return looping([frame], {}, { transcript: { tokens, newTokens: { used: fresh, until: 90 } } });
  };
  const ENDED = (reason: string) => ({ ...ALL_DONE(reason), toPerson: expect.stringContaining(reason) });
  const USED = (count: JsonObject) => ({ next: { stack: [{ used: count }] } });
  const NEXT = { reason: sentence(3, 10) };
  const OUT_OF_TIME = [grind(1, { ...RESUME, ...LONG_AGO }), ours(2, 10)];

  test.each<[string, Given, object]>([
    ['of time ends the loop', timed('2026-01-01T11:50:00Z'), ENDED('MAX_MINUTES')],
    ['of time is not over a second before', timed('2026-01-01T11:50:01Z'), NEXT],
    ['of time may count from the start of the run', unstarted(LONG_AGO), ENDED('MAX_MINUTES')],
    ['of time without a start is none', unstarted({}), NEXT],
    ['of an outer loop ends the inner one too', looping(OUT_OF_TIME), ENDED('MAX_MINUTES')],
    ['of a middle loop lets the outer one go on', looping([grind(1, RESUME), ...OUT_OF_TIME]), OUTER(2)],
    ['of tokens adds up', spending(tokens(used(300, 50)), 200), USED(used(500, 90))],
    ['of tokens ends the loop', spending(tokens(used(800, 50)), 200), ENDED('MAX_TOKENS')],
    [
      'of tokens of a new frame begins with it',
      spending(tokens(), 9e6, 70),
      USED({ tokens: 70, transcript_offset: 90 }),
    ],
  ])('%s', async (_what, given, expected) => {
    expect(await decide(stop(), given)).toMatchObject(expected);
  });

  test('does not hide a completion', async () => {
    const { next } = await decide(saying(DONE), looping([ours(2, 10, LONG_AGO)]));
    expect(next).toMatchObject({ reason: 'COMPLETE' });
  });

  test('is the only reason to count tokens, from the first offset on', () => {
    const wanted = (...stack: JsonObject[]) => tokensWanted({ envelope: {}, stack }, NOW);
    const started = { ...tokens(), started_at: '2026-01-01T11:50:00Z' };
    expect(wanted(ours(1, 2), grind(1))).toEqual({});
    expect(wanted(tokens(used(0, 70)), tokens(used(0, 50)))).toEqual({ tokensFrom: 50 });
    expect(wanted(tokens())).toEqual({ tokensSince: NOW });
    expect(wanted(tokens(used(0, 70)), started)).toEqual({ tokensFrom: 70, tokensSince: NOW - 600_000 });
    for (const odd of [0, -5, '10', null])
      expect(wanted(ours(1, 10, { budget: { tokens: odd } }))).toEqual({});
  });

  test('changes nothing in frames without one, or where nothing could be counted', () => {
    const stack = [ours(1, 2), 'odd', tokens(used(3, 1))];
    expect(chargeTokens(stack, {})).toEqual(stack);
    expect(chargeTokens(stack, { tokens: { used: 1, until: 2 } }).slice(0, 2)).toEqual(stack.slice(0, 2));
  });
});
