import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import * as scene from './scene';

const { S, S1, frame, grind, issue, looping, outcomeOf, saying, sentence, state, stop } = scene;
const ONE = looping([frame(1, 10)]);
const aged = (updated_at: unknown, more: JsonObject = {}): scene.World =>
  looping([frame(1, 10)], { updated_at: updated_at as string, ...more });
const holds = (world: scene.World, event = stop()): boolean => outcomeOf(event, world).reason !== '';

/** Each row is a contradiction or gap of the description, with what was made of it. */
const ROWS: Readonly<Record<string, () => void>> = {
  '#3 the reason names the new count': () => expect(outcomeOf(stop(), ONE).reason).toBe(sentence(2, 10)),
  '#4 #7 a signal counts only on a line of its own outside of code': () => {
    expect(holds(ONE, saying(`so: ${S}`))).toBe(true);
    expect(holds(ONE, saying(`~~~\n${S}\n~~~`))).toBe(true);
    expect(holds(ONE, saying(`    ${S}`))).toBe(true);
    expect(holds(ONE, saying(`text\n    ${S}`))).toBe(false);
    expect(holds(ONE, saying(`text\n\n    ${S}`))).toBe(true);
    expect(holds(ONE, saying(`<!--\n${S}\n-->`))).toBe(true);
    expect(holds(ONE, saying(`   ${S}  \r\n`))).toBe(false);
  },
  '#5 #6 the event’s own words count, and the transcript only where there are none': () => {
    const transcript = { lastText: { kind: 'text', text: S } } as const;
    const world = looping([frame(1, 10)], {}, { transcript });
    expect(holds(world, saying('not yet'))).toBe(true);
    expect(holds(world, scene.silent())).toBe(false);
    const unread = { lastText: { kind: 'unread', why: 'is a FIFO' } } as const;
    expect(holds(looping([frame(1, 10)], {}, { transcript: unread }), scene.silent())).toBe(true);
  },
  '#9 after STUCK and ABORTED the stack is empty': () => {
    expect(outcomeOf(stop(), looping([frame(10, 10)])).next).toMatchObject({ stack: [] });
    expect(outcomeOf(stop(), looping([frame('x', 10)])).next).toMatchObject({ stack: [] });
  },
  '#10 a STUCK signal is a completion with that reason': () =>
    expect(outcomeOf(saying('<loop-done>STUCK</loop-done>'), ONE).next).toMatchObject({
      event: 'DONE',
      reason: 'STUCK',
    }),
  '#11 staleness is written as DONE STALE, with the stack in the archive': () =>
    expect(outcomeOf(stop(), aged('2026-01-01T09:00:00Z')).next).toMatchObject({
      event: 'DONE',
      reason: 'STALE',
      stack: [],
      archived_stack: [frame(1, 10)],
    }),
  '#12 7200 s is fresh, 7201 s is not': () => {
    expect(holds(aged('2026-01-01T10:00:00Z'))).toBe(true);
    expect(holds(aged('2026-01-01T09:59:59Z'))).toBe(false);
  },
  '#13 up to 300 s in the future is skew, more is stale and told': () => {
    expect(holds(aged('2026-01-01T12:05:00Z'))).toBe(true);
    const future = outcomeOf(stop(), aged('2026-01-01T12:05:01Z'));
    expect(future.next).toMatchObject({ reason: 'STALE' });
    expect(future.odd[0]).toContain('future');
  },
  '#14 a missing or null stamp is fresh and gets written, one that is no time is stale': () => {
    expect(outcomeOf(stop(), aged(null)).next).toMatchObject({ updated_at: '2026-01-01T12:00:00Z' });
    for (const wrong of ['soon', '', 5, '2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z']) {
      expect(outcomeOf(stop(), aged(wrong)).next).toMatchObject({ reason: 'STALE' });
    }
  },
  '#15 any offset, fractions and a small z are times; no zone is UTC': () => {
    for (const fresh of [
      '2026-01-01T15:59:59+04:00',
      '2026-01-01T05:00:00.123456-06:30',
      '2026-01-01t11:59:00z',
      '2026-01-01 11:59:00',
    ]) {
      expect(holds(aged(fresh))).toBe(true);
    }
    expect(holds(aged('2026-01-01T11:59:00+04:00'))).toBe(false);
  },
  '#16 a heartbeat keeps a loop fresh, and a frame may allow longer silence': () => {
    const live = { sessions: { [S1]: { heartbeat: scene.NOW - 60_000, wrote: false, since: 0 } } };
    expect(holds({ ...aged('2026-01-01T08:00:00Z'), live })).toBe(true);
    const others = { sessions: { [scene.S2]: { heartbeat: scene.NOW, wrote: false, since: 0 } } };
    expect(holds({ ...aged('2026-01-01T08:00:00Z'), live: others })).toBe(false);
    const patient = looping([frame(1, 10, { ttl_s: 20_000 })], { updated_at: '2026-01-01T08:00:00Z' });
    expect(holds(patient)).toBe(true);
    const hasty = looping([frame(1, 10, { ttl_s: 30 })]);
    expect(holds(hasty)).toBe(false);
  },
  '#17 the signal is looked at before the bound': () =>
    expect(outcomeOf(saying(S), looping([frame(10, 10)])).next).toMatchObject({ reason: 'COMPLETE' }),
  '#18 only STATE, or no event at all, is active': () => {
    for (const event of ['DONE', 'TRACE', 'state', 5, {}]) {
      expect(outcomeOf(stop(), looping([frame(1, 10)], { event })).writes).toBe(0);
    }
    expect(holds({ store: 'shared', messages: [{ schema: 1, stack: [frame(1, 10)] }] })).toBe(true);
    expect(holds(looping([frame(1, 10)], { event: null }))).toBe(true);
  },
  '#19 ABORT with an empty stack is left alone, with frames it is cleared once': () => {
    expect(outcomeOf(stop(), looping([], { event: 'ABORT' })).writes).toBe(0);
    const cleared = outcomeOf(stop(), looping([frame(1, 10)], { event: 'ABORT', reason: 'ERROR' })).next;
    expect(cleared).toMatchObject({ event: 'ABORT', reason: 'ERROR', stack: [] });
    expect(outcomeOf(stop(), { store: 'shared', messages: [cleared as JsonObject] }).writes).toBe(0);
  },
  '#20 a malformed state changes nothing, and the file counts only where the topic is absent': () => {
    const file = '---\nactive: true\niteration: 1\nmax_iterations: 10\n---\n';
    expect(outcomeOf(stop(), { store: 'shared', messages: ['{'], file })).toMatchObject({
      reason: '',
      writes: 0,
      file,
    });
    expect(holds({ file })).toBe(true);
    const empty = { 'messages:messages.jsonl': scene.present({ dir: '/x', known: false, messages: [] }) };
    expect(holds({ file, documents: empty })).toBe(true);
    expect(holds({ store: 'shared', messages: [], file })).toBe(false);
  },
  '#21 missing counts have defaults, digits in quotes count, anything else aborts': () => {
    expect(outcomeOf(stop(), looping([{ iter: null, max: null }])).reason).toBe(sentence(1, 10));
    expect(outcomeOf(stop(), looping([frame('3', '10')])).next).toMatchObject({
      stack: [{ iter: 4, max: '10' }],
    });
    expect(outcomeOf(stop(), looping([frame('3a', 10)])).next).toMatchObject({ event: 'ABORT' });
  },
  '#22 counts are read in base ten, and beyond a million there is no next iteration': () => {
    expect(outcomeOf(stop(), looping([frame('08', '010')])).reason).toBe(sentence(9, 10));
    for (const iter of [1_000_000, 1e21, '99999999999999999999999']) {
      expect(outcomeOf(stop(), looping([frame(iter, 1e22)])).next).toMatchObject({
        reason: 'MAX_ITERATIONS',
      });
    }
  },
  '#23 max is the number of all runs': () => {
    expect(holds(looping([frame(9, 10)]))).toBe(true);
    expect(holds(looping([frame(10, 10)]))).toBe(false);
    expect(holds(looping([frame(11, 10)]))).toBe(false);
  },
  '#24 max 0 is no way to loop for ever': () =>
    expect(outcomeOf(stop(), looping([frame(0, 0)])).next).toMatchObject({ reason: 'MAX_ITERATIONS' }),
  '#25 schema 0 to 2 is written back as it was, 1 where there is none, and a newer one is only read': () => {
    for (const schema of [0, 1, 2]) {
      expect(outcomeOf(stop(), looping([frame(1, 10)], { schema })).next?.['schema']).toBe(schema);
    }
    expect(
      outcomeOf(stop(), { store: 'shared', messages: [{ stack: [frame(1, 10)] }] }).next?.['schema'],
    ).toBe(1);
    for (const schema of [3, -1, 1.5, '1', true]) {
      const outcome = outcomeOf(stop(), looping([frame(1, 10)], { schema }));
      expect(outcome).toMatchObject({ reason: '', writes: 0 });
      expect(outcome.odd[0]).toContain('schema');
    }
  },
  '#26 fields that nobody knows survive, in their order': () => {
    const top = { zeta: { deep: [1, null] }, ...frame(1, 10), alpha: 'x', __proto__x: 1 };
    const body = { later: true, ...state([{ odd: 1 }, top]), trailing: ['y'] };
    const { next } = outcomeOf(stop(), { store: 'shared', messages: [body] });
    expect(Object.keys(next ?? {})).toEqual(Object.keys(body));
    expect(JSON.stringify(next)).toBe(
      JSON.stringify({
        ...body,
        updated_at: '2026-01-01T12:00:00Z',
        stack: [{ odd: 1 }, { ...top, iter: 2 }],
      }),
    );
    const ended = outcomeOf(saying(S), { store: 'shared', messages: [{ ...body, stack: [top] }] }).next;
    expect(ended).toMatchObject({ later: true, trailing: ['y'], event: 'DONE', stack: [] });
  },
  '#27 .idle-disabled beside the store or in it, and config.disabled, let the stop pass uncounted': () => {
    const there = { kind: 'file', size: 0, mtimeMs: 1 } as const;
    for (const path of ['/work-tree/.jwz/.idle-disabled', '/work-tree/.idle-disabled']) {
      expect(outcomeOf(stop(), { ...ONE, files: { [path]: there } })).toMatchObject({
        reason: '',
        writes: 0,
      });
    }
    const body = JSON.stringify(state([frame(1, 10)]));
    const above = scene.present({ dir: '/above/.jwz', known: true, messages: [{ id: '1', body }] });
    const documents = { 'messages:messages.jsonl': above };
    expect(holds({ documents })).toBe(true);
    expect(holds({ documents, files: { '/above/.idle-disabled': there } })).toBe(false);
    const off = looping([frame(1, 10)], { config: { disabled: true, trace: true } });
    expect(outcomeOf(saying(S), off)).toMatchObject({ reason: '', writes: 0 });
    expect(holds(looping([frame(1, 10)], { config: { disabled: 'no' } }))).toBe(true);
  },
  '#30 another session’s state is not touched': () =>
    expect(outcomeOf(stop(), looping([frame(1, 10)], { session_id: scene.S2 })).changes).toEqual([]),
  '#31 (overruled) a state of nobody is driven by any session': () => {
    expect(holds(ONE)).toBe(true);
    expect(holds(ONE, stop({ sessionId: scene.S2 }))).toBe(true);
    expect(outcomeOf(stop(), ONE).next?.['session_id']).toBeUndefined();
  },
  '#33 #46 the host’s flag for continued turns does not matter': () =>
    expect(holds(ONE, stop({ continuing: true }))).toBe(true),
  '#34 before the host’s cap the turn is let go: an own loop ends, a foreign one stays, and it is told':
    () => {
      const own = outcomeOf(stop(), looping([scene.ours(3, 10)], {}, { inRow: 7 }));
      expect(own.next).toMatchObject({ event: 'DONE', reason: 'NO_PROGRESS', archived_stack: [{ iter: 3 }] });
      const foreign = outcomeOf(stop(), looping([frame(3, 10)], {}, { inRow: 7 }));
      expect(foreign.writes).toBe(0);
      for (const outcome of [own, foreign]) {
        expect(outcome.reason).toBe('');
        expect(scene.toPerson(outcome)).toContain('7 stops in a row');
      }
      expect(holds(looping([frame(3, 10)], {}, { inRow: 6 }))).toBe(true);
      expect(holds(looping([frame(3, 10)], {}, { inRow: 500, stopLimit: Number.POSITIVE_INFINITY }))).toBe(
        true,
      );
    },
  '#35 a state that cannot be written back makes the change fail': () => {
    const [append] = outcomeOf(stop(), ONE).changes;
    expect(() => append?.apply(undefined)).toThrow('gone');
    const [rewrite] = outcomeOf(stop(), { file: '---\nactive: true\n---\n' }).changes;
    expect(() => rewrite?.apply(undefined)).toThrow('gone');
  },
  '#40 a worktree that is not there is left out, and told': () => {
    const outcome = outcomeOf(stop(), looping([frame(1, 10, { worktree_path: '/gone' })]));
    expect(outcome.reason).toBe(sentence(2, 10));
    expect(outcome.odd[0]).toContain('/gone');
  },
  '#41 of two signals the last valid one wins': () => {
    const text = `${S}\n\n<loop-done>STUCK</loop-done>\n\n\`\`\`\n<loop-done>MAX_ITERATIONS</loop-done>\n\`\`\``;
    expect(outcomeOf(saying(text), ONE).next).toMatchObject({ reason: 'STUCK' });
  },
  '#42 an end keeps run, session and time': () =>
    expect(outcomeOf(saying(S), looping([frame(1, 10)], { session_id: S1 })).next).toMatchObject({
      run_id: 'loop-1767268740-4711',
      session_id: S1,
      updated_at: '2026-01-01T12:00:00Z',
      reason: 'COMPLETE',
    }),
  '#43 running background work lets the stop pass uncounted, finished work does not': () => {
    const running = stop({
      lastMessage: S,
      backgroundTasks: [{ status: 'completed' }, { status: 'running' }],
    });
    expect(outcomeOf(running, ONE)).toMatchObject({ reason: '', writes: 0 });
    expect(holds(ONE, stop({ backgroundTasks: [{ status: 'completed' }, 'odd', null] }))).toBe(true);
  },
  '#44 plan mode lets the stop pass uncounted': () => {
    const planning = stop({ permissionMode: { native: 'plan', canonical: 'plan' } });
    expect(outcomeOf(planning, ONE)).toMatchObject({ reason: '', writes: 0 });
  },
  '#47 a stale loop whose own session says that it is complete is complete': () => {
    const old = { updated_at: '2026-01-01T09:00:00Z', session_id: S1 };
    expect(outcomeOf(saying(S), looping([frame(1, 10)], old)).next).toMatchObject({
      reason: 'COMPLETE',
      stack: [],
    });
    expect(outcomeOf(saying(S), aged('2026-01-01T09:00:00Z')).next).toMatchObject({ reason: 'STALE' });
    const nested = outcomeOf(saying(S), looping([grind(1, 100, { on_child_done: 'resume' }), issue(1)], old));
    expect(nested.next).toMatchObject({
      event: 'DONE',
      reason: 'COMPLETE',
      archived_stack: [{ mode: 'grind' }],
    });
    expect(nested.reason).toBe('');
  },
  '§5 #49 a subagent’s stop is none of the loop’s': () =>
    expect(outcomeOf(stop({ agent: { id: 'a1' } }), ONE)).toMatchObject({ reason: '', writes: 0 }),
};

describe('resolution', () => {
  test.each(Object.entries(ROWS))('%s', (_row, check) => check());
});
