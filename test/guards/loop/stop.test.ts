import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/event';
import type { Context, TranscriptFacts } from '../../../src/core/guard';
import type { Json, JsonObject } from '../../../src/core/json';
import { guard } from '../../../src/guards/loop';
import { STANDSTILL } from '../../../src/guards/loop/messages';
import { LOOP_DEFAULTS } from '../../../src/guards/loop/state';
import * as ctx from './context';

const { DONE, NOW, OTHER, ROOT, SESSION } = ctx;
const { decide, frame, grind, issue, life, looping, ours, saying, sentence, state, stop } = ctx;
const one = (more: JsonObject = {}, given: ctx.Given = {}): ctx.Given => looping([frame(1, 10)], more, given);
const ONE = one();
const MINE = { session_id: SESSION };
const OLD = { updated_at: '2026-01-01T09:00:00Z' };
const UNTOUCHED = { reason: '', changes: [] };
const ADVICE = { kind: 'advise', grounds: [] } as const;
const THERE = { kind: 'file', size: 0, mtimeMs: 1 } as const;
const held = (n: number, max: number) => ({ reason: sentence(n, max) });
const holds = async (given: ctx.Given, event: Event = stop()): Promise<boolean> =>
  (await decide(event, given)).reason !== '';

describe('a refused stop', () => {
  test('says by which rule, on which fact, what clears it and who may waive it', async () => {
    const fact = expect.stringContaining('iteration 2 of 10');
    const waive = expect.stringContaining('/cancel-loop');
    expect((await decide(stop(), ONE)).verdict).toEqual({
      kind: 'hold',
      reason: sentence(2, 10),
      grounds: [{ rule: 'loop', fact, clear: expect.stringContaining('complete the task'), waive }],
    });
  });

  test('is a sign of life, and begins an iteration in which nothing was written yet', async () => {
    const first = { heartbeat: NOW, wrote: false, since: NOW };
    expect((await decide(stop(), ONE)).live).toEqual({ sessions: { [SESSION]: first } });
    expect((await decide(stop(), { ...ONE, live: life(NOW - 1000, true) })).live).toEqual(life(NOW));
  });

  test('says nothing of a near miss where the config wants none', async () => {
    const near = saying(`\`${DONE}\``);
    expect((await decide(near, ONE)).reason).toContain('on a line of its own');
    expect((await decide(near, ONE, { nearMiss: false })).reason).toBe(sentence(2, 10));
  });

  test('says so where a message is too long to be checked', async () => {
    const { reason } = await decide(saying(`${'a'.repeat(100_000)}\n\n${DONE}`), ONE);
    expect(reason).toContain('repeat the signal in a short message');
  });

  test('keeps fields that nobody knows, in their order', async () => {
    const top = { zeta: { deep: [1, null] }, ...frame(1, 10), alpha: 'x', __proto__x: 1 };
    const body = { later: true, ...state([{ odd: 1 }, top]), trailing: ['y'] };
    const { next } = await decide(stop(), { messages: [body] });
    const stack = [{ odd: 1 }, { ...top, iter: 2 }];
    expect(JSON.stringify(next)).toBe(
      JSON.stringify({ ...body, updated_at: '2026-01-01T12:00:00Z', stack, actor: 'agent', channel: 'hook' }),
    );
    const ended = (await decide(saying(DONE), { messages: [{ ...body, stack: [top] }] })).next;
    expect(ended).toMatchObject({ later: true, trailing: ['y'], event: 'DONE', stack: [] });
  });

  test('counts once when its change runs twice, and fails where the state is gone', async () => {
    const append = ctx.changeOf(await decide(stop(), ONE), 'messages.jsonl');
    const once = append?.apply({ dir: '', known: true, messages: [] });
    expect(append?.apply(once)).toEqual(once);
    expect(() => append?.apply(undefined)).toThrow('gone');
    const { changes } = await decide(stop(), { fallback: '---\nactive: true\n---\n' });
    expect(() => changes[0]?.apply(undefined)).toThrow('gone');
  });

  test('is not counted where another guard asks', async () => {
    const earlier = [{ guard: 'gates', verdict: { kind: 'ask', reason: 'may I', grounds: [] } } as const];
    expect(await decide(saying(DONE), one({}, { earlier }))).toMatchObject(UNTOUCHED);
  });

  const heard = (lastText: NonNullable<TranscriptFacts['lastText']>) => one({}, { transcript: { lastText } });
  const ABOVE = { 'messages:messages.jsonl': ctx.topic('/above/.jwz', [state([frame(1, 10)])]) };
  const BACKGROUND = [{ status: 'completed' }, 'odd', null];
  test.each<[string, boolean, ctx.Given, Event]>([
    ['advice of another guard', true, one({}, { earlier: [{ guard: 'gates', verdict: ADVICE }] }), stop()],
    ['an aborted turn', false, ONE, stop({ status: 'aborted' })],
    ['a failed turn', false, ONE, stop({ status: 'error' })],
    ['finished work in the background', true, ONE, stop({ backgroundTasks: BACKGROUND })],
    ['another session, for a state of nobody', true, ONE, stop({ sessionId: OTHER })],
    ['a transcript that ends with a signal', false, heard({ kind: 'text', text: DONE }), saying('')],
    ['a transcript that cannot be read', true, heard({ kind: 'unread', why: 'x' }), saying('')],
    ['six refused in a row', true, one({}, { inRow: 6 }), stop()],
    ['a host without a limit', true, one({}, { inRow: 500, stopLimit: Number.POSITIVE_INFINITY }), stop()],
    ['a store above', true, { documents: ABOVE }, stop()],
    ['a switch beside it', false, { documents: ABOVE, files: { '/above/.idle-disabled': THERE } }, stop()],
    ['config.disabled that is not true', true, one({ config: { disabled: 'no' } }), stop()],
  ])('or one that passes: %s (%s)', async (_what, held, given, event) => {
    expect(await holds(given, event)).toBe(held);
  });

  test('reads nothing where it is none of the loop’s', async () => {
    const { document: _, file: __, transcript: ___, ...blind } = ctx.contextOf(ONE);
    for (const over of [{ agent: { id: 'a' } }, { backgroundTasks: [{ status: 'running' }] }])
      expect(await guard.decide(stop(over), LOOP_DEFAULTS, blind as Context)).toEqual({ kind: 'nothing' });
  });
});

describe('a state', () => {
  const fallback = '---\nactive: true\n---\n';

  test.each<Json>([
    '{"schema":1,',
    '',
    [],
    5,
    { hello: 'world' },
    { schema: 1, stack: 'x' },
    ...[3, -1, 1.5, '1', true].map((schema) => state([frame(1, 10)], { schema })),
  ])('that cannot be understood is left as it is, and told: %j', async (body) => {
    const { odd, ...outcome } = await decide(saying(DONE), { messages: [body], fallback });
    expect(outcome).toMatchObject({ ...UNTOUCHED, verdict: { kind: 'nothing' } });
    expect(odd).toEqual([expect.stringContaining(`${ctx.STORE_DIR}/messages.jsonl`)]);
  });

  const STALE = { event: 'DONE', reason: 'STALE', stack: [], archived_stack: [frame(1, 10)] };
  const CAPPED = { event: 'DONE', reason: 'NO_PROGRESS', archived_stack: [ours(3, 10)] };
  const OURS = looping([ours(3, 10)], {}, { inRow: 7 });
  const IN_ROW = { reason: '', toPerson: expect.stringContaining('7 stops in a row') };
  const GONE = looping([frame(1, 10, { worktree_path: '/gone' })]);
  const END = { event: 'ABORT', reason: 'E' };
  test.each<[string, ctx.Given, object]>([
    ['of schema 0 keeps it', one({ schema: 0 }), { next: { schema: 0 } }],
    ['of schema 2 keeps it', one({ schema: 2 }), { next: { schema: 2 } }],
    ['without a schema gets one', { messages: [{ stack: [frame(1, 10)] }] }, { next: { schema: 1 } }],
    ['without an event is active', one({ event: null }), held(2, 10)],
    ['with another event is not', one({ event: 'TRACE' }), UNTOUCHED],
    ['with an event that is no text is not', one({ event: 5 }), UNTOUCHED],
    ['of ABORT without frames is left alone', looping([], { event: 'ABORT' }), UNTOUCHED],
    ['of ABORT with frames loses them', one(END), { next: { ...END, stack: [] } }],
    ['with counts of null has defaults', looping([{ iter: null, max: null }]), held(1, 10)],
    ['may count in quotes', looping([frame('3', '10')]), { next: { stack: [{ iter: 4, max: '10' }] } }],
    ['counts in base ten', looping([frame('08', '010')]), held(9, 10)],
    ['without a stamp gets one', one({ updated_at: null }), { next: { updated_at: '2026-01-01T12:00:00Z' } }],
    ['that is stale ends', one(OLD), { reason: '', next: STALE, odd: [expect.stringContaining('stale')] }],
    ['names a worktree that is gone', GONE, { ...held(2, 10), odd: [expect.stringContaining('/gone')] }],
    ['keeps its session at its end', looping([frame(9, 9)], MINE), { next: { event: 'DONE', ...MINE } }],
    ['hides the fallback, even an empty topic', { messages: [], fallback }, UNTOUCHED],
    ['of ours ends before the host’s cap', OURS, { ...IN_ROW, next: CAPPED }],
    ['of others stays', one({}, { inRow: 7 }), { ...IN_ROW, changes: [] }],
  ])('%s', async (_what, given, expected) => {
    expect(await decide(stop(), given)).toMatchObject(expected);
  });

  test('that is stale is complete all the same where its own session says so', async () => {
    const { next } = await decide(saying(DONE), one({ ...OLD, ...MINE }));
    expect(next).toMatchObject({ event: 'DONE', reason: 'COMPLETE', stack: [] });
    const nested = looping([grind(1, { on_child_done: 'resume' }), issue(1)], { ...OLD, ...MINE });
    const ended = { event: 'DONE', reason: 'COMPLETE', archived_stack: [{ mode: 'grind' }] };
    expect(await decide(saying(DONE), nested)).toMatchObject({ reason: '', next: ended });
    expect((await decide(saying(DONE), one(OLD))).next).toMatchObject({ reason: 'STALE' });
  });

  const mine = state([frame(3, 10)], MINE);
  const theirs = state([frame(7, 10)], { session_id: OTHER });
  const nobodys = state([frame(5, 10)]);
  test.each<[string, readonly Json[], number]>([
    ['its own behind another’s', [mine, theirs], 4],
    ['its own newest', [{ ...mine, stack: [frame(1, 10)] }, mine, theirs], 4],
    ['nobody’s if it is newer', [mine, nobodys, theirs], 6],
    ['its own if it is newer', [nobodys, mine], 4],
    ['its own behind another’s that cannot be understood', [mine, { schema: 9, session_id: OTHER }], 4],
    ['one with an empty id, which is nobody’s', [{ ...nobodys, session_id: '' }], 6],
  ])('is the session’s: %s', async (_which, messages, iter) => {
    expect((await decide(stop(), { messages })).reason).toBe(sentence(iter, 10));
  });

  test('in a store that knows the topic comes before one in our own log', async () => {
    const documents = { 'own:loop.jsonl': ctx.topic('/x', [mine]) };
    expect((await decide(stop(), { messages: [theirs], documents })).reason).toBe('');
  });
});

describe('<loop-pause>', () => {
  const PAUSE = '<loop-pause>which key?</loop-pause>';

  test.each([
    ['in code', `\`${PAUSE}\``],
    ['in prose', `say ${PAUSE} to pause`],
    ['half', '<loop-pause>x'],
    ['twice on a line', PAUSE + PAUSE],
  ])('%s does not', async (_how, text) => {
    expect(await holds(ONE, saying(text))).toBe(true);
  });

  test('yields to a completion signal', async () => {
    expect((await decide(saying(`${PAUSE}\n\n${DONE}`), ONE)).next).toMatchObject({ event: 'DONE' });
  });

  test('has a line of its own in the fallback file', async () => {
    const fallback = '---\r\nactive: true\r\niteration: 2\r\nmax_iterations: 9\r\n---\r\ntask';
    const paused = await decide(saying('<loop-pause>why: "x"</loop-pause>'), { fallback });
    expect(paused.fallback).toBe(fallback.replace('9\r\n---', '9\r\npaused: why: "x"\r\n---'));
    expect(await decide(saying('x'), { fallback: String(paused.fallback) })).toMatchObject(UNTOUCHED);
  });

  test.each([
    [true, false],
    ['soon', false],
    [{}, false],
    [false, true],
    [null, true],
  ])('written as %j by others: held is %s', async (paused, held) => {
    expect(await holds(one({ paused }))).toBe(held);
  });
});

describe('a loop that ends', () => {
  test('takes its sign of life with it, and the file when it was the last', async () => {
    const live = life(NOW - 1000);
    expect((await decide(saying(DONE), { ...ONE, live })).live).toBeUndefined();
    const other = { [OTHER]: { heartbeat: 1, wrote: false, since: 1 } };
    const both = { sessions: { ...(live['sessions'] as JsonObject), ...other } };
    expect((await decide(saying(DONE), { ...ONE, live: both })).live).toEqual({ sessions: other });
  });

  test.each([
    ['at its bound', 10, 'x'],
    ['corrupt', 'ten', 'x'],
  ])('takes the fallback file with it: %s', async (_when, iter, text) => {
    const fallback = `---\nactive: true\niteration: ${iter}\nmax_iterations: 10\n---\n`;
    expect(await decide(saying(text), { fallback })).toMatchObject({ reason: '', fallback: undefined });
  });
});

describe('standing still', () => {
  const INDEX = `${ROOT}/.git/index`;
  const at = (mtimeMs: number) => ({ kind: 'file', size: 41, mtimeMs }) as const;
  const still = (files: ctx.Given['files'] = {}, live = life(NOW)): ctx.Given => {
    return { live, files: { [INDEX]: at(5), ...files } };
  };

  async function run(given: (round: number) => ctx.Given, text = (_: number) => 'same'): Promise<string[]> {
    let body = state([ours(1, 100)]);
    const said: string[] = [];
    for (let round = 1; round <= 6; round++) {
      const { reason, next } = await decide(saying(text(round)), { messages: [body], ...given(round) });
      if (reason === '') return [...said, String(next?.['reason'])];
      said.push(reason.includes(STANDSTILL) ? 'told' : '');
      body = next ?? body;
    }
    return said;
  }

  test('is told after three equal iterations and ends the loop at the fifth', async () => {
    expect(await run(() => still())).toEqual(['', '', 'told', 'told', 'NO_PROGRESS']);
  });

  const moving = (file: string) => (round: number) => still({ [`${ROOT}/.git/${file}`]: at(round) });
  test.each<[string, (round: number) => ctx.Given, ((round: number) => string)?]>([
    ['other words', () => still(), (round) => `round ${round}`],
    ['a staged file', moving('index')],
    [
      'a commit',
      (round) =>
        still({
          [`${ROOT}/.git/refs/heads/main`]: { kind: 'file', size: 41, mtimeMs: 0, text: `commit ${round}` },
        }),
    ],
    ['a commit in packed references', moving('packed-refs')],
    ['a tool that can write', () => still({}, life(NOW, true))],
    ['a message that nobody knows', () => still(), () => ''],
    ['nobody knows, without signs of life', () => still({}, { sessions: {} })],
  ])('is not: %s', async (_what, given, text) => {
    expect(await run(given, text)).toEqual(['', '', '', '', '', '']);
  });

  test('is not looked for in frames of others, nor where it is switched off', async () => {
    const { next } = await decide(saying('same'), looping([frame(1, 10)], {}, still()));
    expect(next?.['stack']).toEqual([frame(2, 10)]);
    const progress = { head: '', index: '41-5', text: 'x', streak: 9 };
    const stuck = looping([ours(1, 10, { progress })], {}, still());
    const off = await decide(saying('same'), stuck, { stall: false });
    expect(off.reason).toBe(sentence(2, 10));
  });
});

test('the task follows the sentence where the frame asks for it', async () => {
  const prompt_file = `${ctx.OWN_DIR}/loop-prompts/r1.txt`;
  const files = { [prompt_file]: { ...THERE, text: 'Fix $(rm)\n\n"it"\n' } };
  const told = async (more: JsonObject) => decide(stop(), looping([ours(1, 10, more)], {}, { files }));
  const { reason } = await told({ include_prompt: true, prompt_file });
  expect(reason).toBe(`${sentence(2, 10)}\n\nThe task:\nFix $(rm)\n\n"it"`);
  for (const more of [{ prompt_file }, { include_prompt: true }])
    expect(await told(more)).toMatchObject({ ...held(2, 10), odd: [] });
});
