import { describe, expect, test } from 'vitest';
import { linesOutsideCode } from '../../../src/guards/loop/markdown';
import * as made from '../../../src/guards/loop/new-state';
import { signalsIn } from '../../../src/guards/loop/signals';
import { freshnessOf, type Mode, parseState, parseTime, stampOf } from '../../../src/guards/loop/state';
import { parseFallback, rewriteFallback, unpausedFallback } from '../../../src/guards/loop/store';
import { DONE, decide, frame, looping, NOW, OTHER, saying, sentence, state, stop } from './context';

const STAMP = '2026-01-01T12:00:00Z';
const EARLIER = '2026-01-01T11:00:00Z';

test.each<[string, number | undefined]>([
  ['2024-12-21T10:30:00Z', Date.UTC(2024, 11, 21, 10, 30)],
  ['2024-12-21T10:30:00+00:00', Date.UTC(2024, 11, 21, 10, 30)],
  ['2024-12-21 10:30:00', Date.UTC(2024, 11, 21, 10, 30)],
  ['2024-12-21T10:30:00-0530', Date.UTC(2024, 11, 21, 16, 0)],
  ['2024-12-21T10:30:00.5Z', Date.UTC(2024, 11, 21, 10, 30, 0, 500)],
  ['2024-02-29t00:00:00z', Date.UTC(2024, 1, 29)],
  ['2023-02-29T00:00:00Z', undefined],
  ['2024-13-01T00:00:00Z', undefined],
  ['2024-12-21T25:00:00Z', undefined],
  ['2024-12-21T10:60:00Z', undefined],
  ['2024-12-21', undefined],
  ['1734777000', undefined],
  ['', undefined],
])('the time %s', (text, ms) => {
  expect(parseTime(text)).toBe(ms);
  expect(stampOf(Date.UTC(2024, 11, 21, 10, 30, 5, 999))).toBe('2024-12-21T10:30:05Z');
});

test.each<[string, string | number | null, number | undefined, 'fresh' | 'stale']>([
  ['two hours old', '2026-01-01T10:00:00Z', undefined, 'fresh'],
  ['a second more', '2026-01-01T09:59:59Z', undefined, 'stale'],
  ['old, but with a sign of life', '2026-01-01T08:00:00Z', NOW - 60_000, 'fresh'],
  ['five minutes ahead', '2026-01-01T12:05:00Z', undefined, 'fresh'],
  ['a second more ahead', '2026-01-01T12:05:01Z', NOW, 'stale'],
  ['never stamped', null, undefined, 'fresh'],
  ['of no time', 'soon', NOW, 'stale'],
  ['of a number', 5, NOW, 'stale'],
])('a state is fresh or stale: %s', (_what, updated_at, heartbeat, kind) => {
  const parsed = parseState(JSON.stringify(state([], { updated_at })));
  if (parsed.kind !== 'state') throw new Error(parsed.why);
  expect(freshnessOf(parsed.state, 7200, NOW, heartbeat).kind).toBe(kind);
});

test('a frame may allow longer silence, or less', async () => {
  const old = { updated_at: '2026-01-01T08:00:00Z' };
  expect((await decide(stop(), looping([frame(1, 10, { ttl_s: 20_000 })], old))).reason).toBe(
    sentence(2, 10),
  );
  expect((await decide(stop(), looping([frame(1, 10, { ttl_s: 30 })]))).reason).toBe('');
});

describe('signals', () => {
  const WORDS = [
    ['<loop-done>COMPLETE</loop-done>', 'COMPLETE'],
    ['<loop-done>MAX_ITERATIONS</loop-done>', 'MAX_ITERATIONS'],
    ['<loop-done>STUCK</loop-done>', 'STUCK'],
    ['<issue-complete>DONE</issue-complete>', 'COMPLETE'],
    ['<grind-done>NO_MORE_ISSUES</grind-done>', 'NO_MORE_ISSUES'],
    ['<grind-done>MAX_ISSUES</grind-done>', 'MAX_ISSUES'],
  ] as const;

  test.each<[Mode, number[]]>([
    ['loop', [0, 1, 2]],
    ['issue', [0, 1, 2, 3]],
    ['grind', [4, 5]],
    ['unknown', []],
  ])('of mode %s', (mode, taken) => {
    const heard = WORDS.map(
      ([signal]) => signalsIn(signal, mode, { part: () => ({ linesOutsideCode }) as never }).signal,
    );
    expect(heard).toEqual(WORDS.map(([, reason], at) => (taken.includes(at) ? reason : undefined)));
  });

  test('of the older mode `task` are those of a loop', async () => {
    const { next } = await decide(saying(DONE), looping([frame(1, 10, { mode: 'task' })]));
    expect(next).toMatchObject({ reason: 'COMPLETE' });
  });
});

describe('the fallback file', () => {
  const text =
    '---\nactive: true\nmode: "issue"\niteration: 05 \nmax_iterations: 10\nother: x\n---\nThe task\n---\nmore';
  const next = (iter: number) => ({ event: 'STATE', stack: [{ iter }] });

  test.each<[string, object | undefined]>([
    [text, { event: 'STATE', stack: [{ mode: 'issue', iter: 5, max: 10 }] }],
    ['\uFEFF---\r\nactive: true\r\n---\r\n', { event: 'STATE', stack: [{}] }],
    ['---\nactive: yes\n---\n', { event: 'ABORT' }],
    ['---\nmode: loop\n---\n', { event: 'ABORT' }],
    ['', undefined],
    ['just text', undefined],
    ['---\nactive: true\n', undefined],
    ['x\n---\nactive: true\n---\n', undefined],
  ])('%j is a state with one frame, or none', (file, expected) => {
    if (expected === undefined) expect(parseFallback(file)).toBeUndefined();
    else expect(parseFallback(file)).toMatchObject(expected);
  });

  const crlf = text.replaceAll('\n', '\r\n');
  test.each([
    [text, 6, text.replace('05 ', '6 ')],
    [crlf, 6, crlf.replace('05 ', '6 ')],
    [text.replace('05 ', '6 '), 6, text.replace('05 ', '6 ')],
    ['---\nactive: true\n---\niteration: 5\n', 1, '---\nactive: true\niteration: 1\n---\niteration: 5\n'],
  ])('%j changes in one line', (file, iter, after) => {
    expect(rewriteFallback(file, next(iter))).toBe(after);
  });

  test('is left alone without front matter, or where it is another session’s', async () => {
    const untouched = { reason: '', changes: [] };
    expect(await decide(stop(), { fallback: 'notes' })).toMatchObject({
      ...untouched,
      odd: [expect.any(String)],
    });
    const fallback = `---\nactive: true\nsession_id: ${OTHER}\n---\n`;
    expect(await decide(stop(), { fallback })).toMatchObject({ ...untouched, odd: [] });
  });

  test('may have its values in quotes', async () => {
    const fallback = '---\nactive: "true"\niteration: \'2\'\nmax_iterations: 3\n---\n';
    const after = { reason: sentence(3, 3), fallback: fallback.replace("'2'", '3') };
    expect(await decide(stop(), { fallback })).toMatchObject(after);
  });

  test.each([
    ['loses that line alone', '---\na: 1\npaused: x\n---\npaused: y\n', '---\na: 1\n---\npaused: y\n'],
    ['keeps its line ends', '---\r\npaused: x\r\na: 1\r\n---\r\n', '---\r\na: 1\r\n---\r\n'],
    ['is the same where it has no front matter', 'paused: x\n', 'paused: x\n'],
  ])('without its pause %s', (_, file, after) => {
    expect(unpausedFallback(file)).toBe(after);
  });
});

describe('what `loop` writes', () => {
  const FRAME = { id: 'l-1', mode: 'loop', iter: 1, max: 10 };
  const started = { ...made.startedState(FRAME, 's1', NOW - 60_000), theirs: { a: 1 } };
  const resting = {
    event: 'STATE',
    run_id: 'r',
    updated_at: STAMP,
    stack: [{ started_at: EARLIER, iter: 3 }],
  };

  test.each([
    ['pushed', made.pushedState(started, FRAME, NOW)],
    ['aborted', made.endedState(started, 'ABORT', 'USER_CANCELLED', NOW)],
    ['paused', made.pausedState(started, 'why', NOW)],
    ['resumed', made.resumedState(started, 's1', NOW)],
  ])('keeps what nobody knows when it is %s', (_, next) => {
    expect(next).toMatchObject({ theirs: { a: 1 }, run_id: 'l-1', session_id: 's1', updated_at: STAMP });
  });

  test('goes on without the time of its pause, as far as that is known, and with its schema', () => {
    const paused = { ...resting, paused: { at: '2026-01-01T11:30:00Z', reason: '' } };
    const stack = [{ started_at: '2026-01-01T11:30:00Z', iter: 3 }];
    expect(made.resumedState(paused, 's2', NOW)).toEqual({ ...resting, schema: 1, session_id: 's2', stack });
    const unknown = made.resumedState({ ...resting, schema: 2, paused: true, updated_at: 'soon' }, 's2', NOW);
    expect(unknown).toMatchObject({ schema: 2, stack: resting.stack });
  });
});
