import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../src/core/event';
import type { Context } from '../../../src/core/guard';
import type { JsonObject } from '../../../src/core/json';
import { guard } from '../../../src/guards/loop';
import { LOOP_DEFAULTS } from '../../../src/guards/loop/state';
import * as ctx from './context';

const { NOW, OTHER, SESSION, decide, failure, frame, life, looping, prompt, start, state, stop, tool } = ctx;
const ONE = looping([frame(3, 10)], {}, { live: life(NOW - 1000) });
const MINE = { session_id: SESSION };
const NOTHING = { verdict: { kind: 'nothing' }, changes: [] };

describe('a prompt', () => {
  test.each([
    '/cancel',
    '/cancel-loop',
    '/idle:cancel-loop',
    '/holdpoint:cancel',
    '/holdpoint:loop cancel',
    'holdpoint loop cancel',
    'loop cancel',
    '  /cancel-loop \n',
  ])('of %j cancels before the model runs, and both are told', async (text) => {
    const told = expect.stringContaining('cancelled');
    expect(await decide(prompt(text), ONE)).toMatchObject({
      next: { event: 'ABORT', reason: 'USER_CANCELLED', run_id: 'run-1', stack: [] },
      live: undefined,
      verdict: { kind: 'advise', toAgent: told, toPerson: told },
    });
  });

  test.each([
    'please /cancel-loop',
    '/cancel-loop now',
    '/cancelled',
    '/loop cancel',
    'cancel',
    'loop cancel?',
    '/cancel\nand then',
  ])('of %j cancels nothing', async (text) => {
    expect(await decide(prompt(text), ONE)).toMatchObject(NOTHING);
  });

  test.each(['machine', 'continuation', 'unknown'] as const)(
    'of %s origin cancels nothing',
    async (origin) => {
      expect(await decide(prompt('/cancel', origin), ONE)).toMatchObject(NOTHING);
    },
  );

  test('cancels a paused loop and the loop of a fallback file too', async () => {
    const { next } = await decide(prompt('/cancel'), looping([frame(1, 10)], { paused: true }));
    expect(next).toMatchObject({ event: 'ABORT', stack: [] });
    expect(next).not.toHaveProperty('paused');
    const fallback = '---\nactive: true\n---\n';
    expect(await decide(prompt('/cancel'), { fallback })).toMatchObject({ fallback: undefined });
  });

  test.each([
    ['there is no loop', {}],
    ['it is over', looping([], { event: 'DONE' })],
    ['it is another session’s', looping([frame(1, 10)], { session_id: OTHER })],
  ])('that cancels says nothing where %s', async (_why, given) => {
    expect(await decide(prompt('/cancel'), given)).toMatchObject(NOTHING);
  });

  const OLD = { updated_at: '2026-01-01T09:00:00Z' };
  test.each<[string, ctx.Given, object]>([
    ['a minute after the last one', { ...ONE, live: life(NOW - 60_000) }, { live: life(NOW) }],
    ['not sooner', ONE, NOTHING],
    ['not of a stale loop', looping([frame(3, 10)], OLD, { live: life(NOW - 7_201_000) }), NOTHING],
    [
      'also the first one',
      looping([frame(3, 10)]),
      { live: { sessions: { [SESSION]: { heartbeat: NOW } } } },
    ],
  ])('is a sign of life %s', async (_when, given, expected) => {
    expect(await decide(prompt('hi'), given)).toMatchObject(expected);
  });
});

describe('a tool', () => {
  test.each<[string, Operation, JsonObject | undefined, JsonObject | undefined]>([
    ['that reads says nothing within a minute', 'read', life(NOW - 59_999), life(NOW - 59_999)],
    ['that reads is a sign of life after a minute', 'read', life(NOW - 60_000), life(NOW)],
    ['that can write is noted at once', 'shell', life(NOW - 1000), life(NOW, true)],
    ['that edits is noted at once', 'edit', life(NOW - 1000), life(NOW, true)],
    ['that can write is noted once an iteration', 'write', life(NOW - 1000, true), life(NOW - 1000, true)],
    ['keeps in mind that something was written', 'read', life(NOW - 60_000, true), life(NOW, true)],
    ['wakes even a loop that was silent for long', 'read', life(NOW - 9e6), life(NOW)],
    ['is nothing to a session without a live loop', 'shell', undefined, undefined],
    ['does not mind an empty file', 'shell', {}, {}],
    ['does not mind a file with a list', 'shell', { sessions: [] }, { sessions: [] }],
    ['does not mind an odd entry', 'shell', { sessions: { [SESSION]: 5 } }, { sessions: { [SESSION]: 5 } }],
  ])('%s', async (_sentence, op, live, after) => {
    expect((await decide(tool(op), live && { live })).live).toEqual(after);
  });

  test('of a subagent is a sign of life too', async () => {
    const event = tool('edit', { agent: { id: 'a1' } });
    expect((await decide(event, { live: life(NOW - 1000) })).live).toEqual(life(NOW, true));
  });

  test('forgets what crashed sessions left behind a week ago', async () => {
    const old = { heartbeat: NOW - 8 * 86_400_000, wrote: false, since: 1 };
    const live = { sessions: { ...(life(NOW - 60_000)['sessions'] as JsonObject), [OTHER]: old } };
    expect((await decide(tool('read'), { live })).live).toEqual(life(NOW));
  });

  test('has one file read', async () => {
    const read: string[] = [];
    const document: Context['document'] = ({ path }) => {
      read.push(path);
      return { kind: 'missing' };
    };
    await guard.decide(tool('edit'), LOOP_DEFAULTS, { document } as Context);
    expect(read).toEqual(['loop-live.json']);
  });
});

describe('a turn that failed', () => {
  test('pauses the loop with the reason', async () => {
    const next = { event: 'STATE', paused: { reason: 'rate_limit' }, stack: [frame(3, 10)] };
    expect(await decide(failure('rate_limit'), ONE)).toMatchObject({ next, live: life(NOW) });
    const own = looping([frame(1, 10)], MINE);
    expect(await decide(failure('x'), own)).toMatchObject({ next: { paused: { reason: 'x' } } });
  });

  test.each([
    ['belongs to nobody and is driven by others', looping([frame(1, 10)])],
    ['is paused already', looping([frame(1, 10)], { ...MINE, paused: { reason: 'x' } })],
    ['is over', looping([], { event: 'DONE' })],
  ])('leaves a loop alone that %s', async (_what, given) => {
    expect(await decide(failure('x'), given)).toMatchObject(NOTHING);
  });
});

describe('a session that starts', () => {
  const theirs = (session_id: string, more: JsonObject = {}) =>
    state([frame(2, 10)], { session_id, ...more });
  const OLD = looping([frame(3, 10)], { ...MINE, updated_at: '2026-01-01T08:00:00Z' });

  test.each(['startup', 'resume', 'clear', 'compact'] as const)('by %s hears of its loop', async (source) => {
    const { verdict } = await decide(start(source), looping([frame(3, 10)], MINE));
    const toAgent = expect.stringMatching(/^[^\n]*iteration 3 of 10[^\n]*$/);
    expect(verdict).toMatchObject({ kind: 'advise', toAgent });
  });

  const has = (text: string) => expect.stringContaining(text);
  const RESUME = { toPerson: has('holdpoint loop resume') };
  test.each<[string, ctx.Given, object]>([
    ['of nobody’s in other words', looping([frame(3, 10)]), { toAgent: has('A loop of this project') }],
    ['of a paused one', looping([frame(3, 10)], { ...MINE, paused: true }), RESUME],
    ['of one that is too old to go on', OLD, RESUME],
    ['of several', { messages: [theirs(OTHER), theirs('cccc')] }, { toPerson: has('2 unfinished loops') }],
    [
      'of an odd one',
      { messages: [theirs('`rm`\n')] },
      { toPerson: has('`holdpoint loop resume` continues') },
    ],
  ])('again hears %s', async (_what, given, verdict) => {
    const { changes, ...decided } = await decide(start('resume'), given);
    expect(decided).toMatchObject({ verdict });
    expect(changes.filter(({ what }) => what !== 'loop heartbeat')).toEqual([]);
  });

  const STALE = { updated_at: '2025-01-01T00:00:00Z' };
  test.each<[string, JsonObject]>([
    ['live', {}],
    ['paused', { paused: { reason: 'x' } }],
    ['stale', STALE],
  ])('again is offered the %s loop of another, to the person alone', async (_what, more) => {
    const { verdict, changes, toPerson } = await decide(start('resume'), { messages: [theirs(OTHER, more)] });
    expect(toPerson).toContain(`holdpoint loop resume --from ${OTHER}`);
    expect(verdict).not.toHaveProperty('toAgent');
    expect(changes).toEqual([]);
  });

  test('cleared is offered the loop that it left behind', async () => {
    const { toPerson } = await decide(start('clear'), { messages: [theirs(OTHER)] });
    expect(toPerson).toContain(`holdpoint loop resume --from ${OTHER}`);
  });

  const RUNNING = { messages: [theirs(OTHER)], sessions: [{ id: OTHER, sessionId: OTHER, alive: true }] };
  const ENDED = { messages: [theirs(OTHER), { ...theirs(OTHER), event: 'DONE', stack: [] }] };
  test.each<[string, ctx.Given, 'resume' | 'startup' | 'clear']>([
    ['on a plain start', { messages: [theirs(OTHER)] }, 'startup'],
    ['of its own that is old, on a plain start', OLD, 'startup'],
    ['of a session that still runs', RUNNING, 'resume'],
    ['of its own that is old, once cleared', looping([frame(3, 10)], STALE), 'clear'],
    ['of another that is old, once cleared', { messages: [theirs(OTHER, STALE)] }, 'clear'],
    ['that has ended since', ENDED, 'resume'],
    ['where there is none', {}, 'resume'],
    ['where nothing can be read', { messages: ['{'] }, 'resume'],
  ])('is offered no loop %s', async (_when, given, source) => {
    expect(await decide(start(source), given)).toMatchObject(NOTHING);
  });
});

test('any other event is none of the loop’s', async () => {
  expect(await decide({ ...stop(), kind: 'session.end', reason: 'clear' }, ONE)).toMatchObject(NOTHING);
});

test('events are watched only where a loop has left a file', () => {
  const interests = guard.interest(LOOP_DEFAULTS);
  const kinds = ['turn.stop', 'turn.error', 'prompt.submit', 'session.start', 'tool.after'];
  expect(interests.map(({ kind }) => kind)).toEqual(kinds);
  for (const { whenFile } of interests) expect(whenFile?.length).toBeGreaterThan(0);
});
