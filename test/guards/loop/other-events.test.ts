import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../src/core/tool-call';
import * as scene from './scene';

const { S1, S2, NOW, frame, looping, outcomeOf, prompt, start, state, tool } = scene;
const life = (heartbeat: number, wrote = false) => ({ sessions: { [S1]: { heartbeat, wrote, since: 1 } } });
const ONE = looping([frame(3, 10)], {}, { live: life(NOW - 1000) });

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
  ])('of %j cancels before the model runs, and both are told', (text) => {
    const outcome = outcomeOf(prompt(text), ONE);
    expect(outcome.next).toMatchObject({
      event: 'ABORT',
      reason: 'USER_CANCELLED',
      run_id: 'loop-1767268740-4711',
      stack: [],
    });
    expect(outcome.live).toBeUndefined();
    expect(outcome.verdict).toMatchObject({
      kind: 'advise',
      toAgent: expect.stringContaining('cancelled'),
      toPerson: expect.stringContaining('cancelled'),
    });
  });

  test.each([
    'please /cancel-loop',
    '/cancel-loop now',
    '/cancelled',
    '/loop cancel',
    'cancel',
    'loop cancel?',
    'what does /cancel do',
    '/cancel\nand then',
  ])('of %j cancels nothing', (text) => {
    expect(outcomeOf(prompt(text), ONE)).toMatchObject({ writes: 0, verdict: { kind: 'nothing' } });
  });

  test.each(['machine', 'continuation', 'unknown'] as const)('of %s origin cancels nothing', (origin) => {
    expect(outcomeOf(prompt('/cancel', { origin }), ONE).writes).toBe(0);
  });

  test('cancels a paused loop and the loop of a fallback file too', () => {
    const { next } = outcomeOf(prompt('/cancel'), looping([frame(1, 10)], { paused: true }));
    expect(next).toMatchObject({ event: 'ABORT', stack: [] });
    expect(next).not.toHaveProperty('paused');
    const outcome = outcomeOf(prompt('/cancel'), { file: '---\nactive: true\n---\n' });
    expect(outcome.changes.length).toBeGreaterThan(0);
    expect(outcome.file).toBeUndefined();
  });

  test.each([
    ['there is no loop', {}],
    ['it is over', looping([], { event: 'DONE' })],
    ['it is another session’s', looping([frame(1, 10)], { session_id: S2 })],
  ])('that cancels says nothing where %s', (_why, world) => {
    expect(outcomeOf(prompt('/cancel'), world)).toMatchObject({ changes: [], verdict: { kind: 'nothing' } });
  });

  test('is a sign of life, at most once a minute and never of a loop that is stale', () => {
    const old = { ...ONE, live: life(NOW - 60_000) };
    expect(outcomeOf(prompt('hi'), old).live).toEqual(life(NOW));
    expect(outcomeOf(prompt('hi'), ONE).changes).toEqual([]);
    const stale = looping(
      [frame(3, 10)],
      { updated_at: '2026-01-01T09:00:00Z' },
      { live: life(NOW - 7_201_000) },
    );
    expect(outcomeOf(prompt('hi'), stale).changes).toEqual([]);
    expect(outcomeOf(prompt('hi'), looping([frame(3, 10)])).changes).toEqual([]);
  });
});

describe('a tool', () => {
  test.each<[string, Operation, ReturnType<typeof life> | undefined, ReturnType<typeof life> | undefined]>([
    ['that reads says nothing within a minute', 'read', life(NOW - 59_999), life(NOW - 59_999)],
    ['that reads is a sign of life after a minute', 'read', life(NOW - 60_000), life(NOW)],
    ['that can write is noted at once', 'shell', life(NOW - 1000), life(NOW, true)],
    ['that edits is noted at once', 'edit', life(NOW - 1000), life(NOW, true)],
    ['that can write is noted once an iteration', 'write', life(NOW - 1000, true), life(NOW - 1000, true)],
    ['keeps in mind that something was written', 'read', life(NOW - 60_000, true), life(NOW, true)],
    ['wakes even a loop that was silent for long', 'read', life(NOW - 9e6), life(NOW)],
    ['is nothing to a session without a live loop', 'shell', undefined, undefined],
  ])('%s', (_sentence, op, before, after) => {
    const world = before === undefined ? {} : { live: before };
    expect(outcomeOf(tool(op), world).live).toEqual(after);
  });

  test('of a subagent is a sign of life too', () => {
    const event = tool('edit', { agent: { id: 'a1' } });
    expect(outcomeOf(event, { live: life(NOW - 1000) }).live).toEqual(life(NOW, true));
  });

  test('forgets what crashed sessions left behind a week ago', () => {
    const old = { heartbeat: NOW - 8 * 86_400_000, wrote: false, since: 1 };
    const live = { sessions: { ...life(NOW - 60_000).sessions, [S2]: old } };
    expect(outcomeOf(tool('read'), { live }).live).toEqual(life(NOW));
  });

  test('does not mind a file that holds something else', () => {
    for (const live of [{}, { sessions: [] }, { sessions: { [S1]: 5 } }]) {
      expect(outcomeOf(tool('shell'), { live: live as never }).changes).toEqual([]);
    }
  });
});

describe('a turn that failed', () => {
  test('pauses the loop with the reason', () => {
    const outcome = outcomeOf(scene.failure('rate_limit'), ONE);
    expect(outcome.next).toMatchObject({
      event: 'STATE',
      paused: { reason: 'rate_limit' },
      stack: [frame(3, 10)],
    });
    expect(outcome.live).toBeUndefined();
  });

  test('pauses a loop of its own session, known to be live or not', () => {
    expect(outcomeOf(scene.failure('x'), looping([frame(1, 10)], { session_id: S1 })).writes).toBe(1);
  });

  test.each([
    ['belongs to nobody and is driven by others', looping([frame(1, 10)])],
    ['is paused already', looping([frame(1, 10)], { session_id: S1, paused: { reason: 'x' } })],
    ['is over', looping([], { event: 'DONE' })],
  ])('leaves a loop alone that %s', (_what, world) => {
    expect(outcomeOf(scene.failure('x'), world).changes).toEqual([]);
  });
});

describe('a session that starts', () => {
  const theirs = (session_id: string, more: object = {}) => state([frame(2, 10)], { session_id, ...more });

  test.each(['startup', 'resume', 'clear', 'compact'] as const)(
    'by %s hears of its own live loop in one line',
    (source) => {
      const { verdict } = outcomeOf(start(source), looping([frame(3, 10)], { session_id: S1 }));
      expect(verdict).toMatchObject({
        kind: 'advise',
        toAgent: expect.stringContaining('iteration 3 of 10'),
      });
      expect(verdict.kind === 'advise' && verdict.toAgent?.includes('\n')).toBe(false);
    },
  );

  test('hears of a loop that belongs to nobody in other words', () => {
    const { verdict } = outcomeOf(start('startup'), looping([frame(3, 10)]));
    expect(verdict).toMatchObject({ toAgent: expect.stringContaining('any session') });
  });

  test('is offered its own loop where that is too old to go on by itself, and only on resume', () => {
    const old = looping([frame(3, 10)], { session_id: S1, updated_at: '2026-01-01T08:00:00Z' });
    expect(scene.toPerson(outcomeOf(start('resume'), old))).toContain('holdpoint loop resume');
    expect(outcomeOf(start('startup'), old).verdict.kind).toBe('nothing');
  });

  test('hears that its own loop is paused', () => {
    const { verdict } = outcomeOf(start('resume'), looping([frame(3, 10)], { session_id: S1, paused: true }));
    expect(verdict).toMatchObject({ toPerson: expect.stringContaining('holdpoint loop resume') });
  });

  test.each([
    ['live', {}],
    ['paused', { paused: { reason: 'x' } }],
    ['stale', { updated_at: '2025-01-01T00:00:00Z' }],
  ])(
    'offers the %s loop of an earlier session on resume, to the person alone, and arms nothing',
    (_what, more) => {
      const outcome = outcomeOf(start('resume'), { messages: [theirs(S2, more)] });
      expect(scene.toPerson(outcome)).toContain(`holdpoint loop resume --from ${S2}`);
      expect(outcome.verdict).not.toHaveProperty('toAgent');
      expect(outcome.changes).toEqual([]);
    },
  );

  test('is told of several, and of an odd one without its name', () => {
    const both = outcomeOf(start('fork'), { messages: [theirs(S2), theirs('cccc')] });
    expect(scene.toPerson(both)).toContain('2 loops');
    const odd = outcomeOf(start('resume'), { messages: [theirs('`rm`\n')] });
    expect(scene.toPerson(odd)).toContain('`holdpoint loop resume` takes');
  });

  test.each<[string, scene.World, 'resume' | 'startup']>([
    ['on a plain start', { messages: [theirs(S2)] }, 'startup'],
    [
      'of a session that still runs',
      { messages: [theirs(S2)], sessions: [{ id: S2, alive: true }] },
      'resume',
    ],
    [
      'that has ended since',
      { messages: [theirs(S2), { ...theirs(S2), event: 'DONE', stack: [] }] },
      'resume',
    ],
    ['where there is none', {}, 'resume'],
    ['where nothing can be read', { messages: ['{'] }, 'resume'],
  ])('does not offer a loop %s', (_when, world, source) => {
    expect(outcomeOf(start(source), world)).toMatchObject({ verdict: { kind: 'nothing' }, changes: [] });
  });
});

test('any other event is none of the loop’s', () => {
  const event = { ...scene.stop(), kind: 'session.end', reason: 'clear' } as const;
  expect(outcomeOf(event, ONE)).toMatchObject({ verdict: { kind: 'nothing' }, changes: [] });
});
