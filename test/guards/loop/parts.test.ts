import { describe, expect, test } from 'vitest';
import { heardIn } from '../../../src/guards/loop/signals';
import { parseTime, stampOf } from '../../../src/guards/loop/state';
import { parseFallback, rewriteFallback } from '../../../src/guards/loop/store';
import * as scene from './scene';

describe('a time', () => {
  test.each<[string, number | undefined]>([
    ['2024-12-21T10:30:00Z', Date.UTC(2024, 11, 21, 10, 30)],
    ['2024-12-21T10:30:00+00:00', Date.UTC(2024, 11, 21, 10, 30)],
    ['2024-12-21T10:30:00-0530', Date.UTC(2024, 11, 21, 16, 0)],
    ['2024-12-21T10:30:00.5Z', Date.UTC(2024, 11, 21, 10, 30, 0, 500)],
    ['2024-02-29T00:00:00z', Date.UTC(2024, 1, 29)],
    ['2024-06-30T23:59:60Z', Date.UTC(2024, 6, 1)],
    ['2023-02-29T00:00:00Z', undefined],
    ['2024-12-21T25:00:00Z', undefined],
    ['2024-12-21T10:60:00Z', undefined],
    ['2024-12-21', undefined],
    ['1734777000', undefined],
    ['soon', undefined],
    ['', undefined],
  ])('%s', (text, ms) => expect(parseTime(text)).toBe(ms));

  test('is written in UTC and whole seconds', () => {
    expect(stampOf(Date.UTC(2024, 11, 21, 10, 30, 5, 999))).toBe('2024-12-21T10:30:05Z');
  });
});

describe('the fallback file', () => {
  const text =
    '---\nactive: true\nmode: "issue"\niteration: 05 \nmax_iterations: 10\nother: x\n---\nThe task\n---\nmore';

  test('is a state with one frame', () => {
    expect(parseFallback(text)).toMatchObject({
      event: 'STATE',
      stack: [{ mode: 'issue', iter: '05', max: '10' }],
    });
    expect(parseFallback('\uFEFF---\r\nactive: true\r\n---\r\n')).toMatchObject({
      event: 'STATE',
      stack: [{}],
    });
    expect(parseFallback('---\nactive: yes\n---\n')).toMatchObject({ event: 'ABORT' });
    expect(parseFallback('---\nmode: loop\n---\n')).toMatchObject({ event: 'ABORT' });
  });

  test.each(['', 'just text', '---\nactive: true\n', 'x\n---\nactive: true\n---\n'])('is none: %j', (odd) => {
    expect(parseFallback(odd)).toBeUndefined();
  });

  test('without front matter is left alone, and told', () => {
    const outcome = scene.outcomeOf(scene.stop(), { file: 'notes' });
    expect(outcome).toMatchObject({ reason: '', changes: [], file: 'notes' });
    expect(outcome.odd).toHaveLength(1);
  });

  const next = (iter: number) => ({ event: 'STATE', stack: [{ iter }] });

  test('changes in one line', () => {
    expect(rewriteFallback(text, next(6))).toBe(text.replace('05 ', '6 '));
    const crlf = text.replaceAll('\n', '\r\n');
    expect(rewriteFallback(crlf, next(6))).toBe(crlf.replace('05 ', '6 '));
    expect(rewriteFallback('---\nactive: true\n---\nx', next(1))).toBe(
      '---\nactive: true\niteration: 1\n---\nx',
    );
    expect(rewriteFallback(rewriteFallback(text, next(6)) ?? '', next(6))).toBe(
      rewriteFallback(text, next(6)),
    );
  });

  test('keeps what looks like its count in the task', () => {
    const file = '---\nactive: true\n---\niteration: 5\n';
    expect(rewriteFallback(file, next(1))).toBe('---\nactive: true\niteration: 1\n---\niteration: 5\n');
  });

  test('of another session is not touched', () => {
    const file = `---\nactive: true\nsession_id: ${scene.S2}\n---\n`;
    expect(scene.outcomeOf(scene.stop(), { file })).toMatchObject({ reason: '', changes: [] });
  });

  test('with an odd mode or quoted numbers counts all the same', () => {
    const file = '---\nactive: "true"\niteration: \'2\'\nmax_iterations: 3\n---\n';
    const outcome = scene.outcomeOf(scene.stop(), { file });
    expect(outcome.reason).toBe(scene.sentence(3, 3));
    expect(outcome.file).toBe(file.replace("'2'", '3'));
  });
});

describe('signals by mode', () => {
  const words = {
    '<loop-done>COMPLETE</loop-done>': 'COMPLETE',
    '<loop-done>MAX_ITERATIONS</loop-done>': 'MAX_ITERATIONS',
    '<loop-done>STUCK</loop-done>': 'STUCK',
    '<issue-complete>DONE</issue-complete>': 'COMPLETE',
    '<grind-done>NO_MORE_ISSUES</grind-done>': 'NO_MORE_ISSUES',
    '<grind-done>MAX_ISSUES</grind-done>': 'MAX_ISSUES',
  } as const;
  const takes = {
    loop: [0, 1, 2],
    issue: [0, 1, 2, 3],
    grind: [4, 5],
    unknown: [],
  } as const;

  test.each(Object.entries(takes))('%s', (mode, indexes) => {
    for (const [index, [signal, reason]] of Object.entries(words).entries()) {
      const taken = (indexes as readonly number[]).includes(index);
      expect(heardIn(signal, mode as never).signal).toBe(taken ? reason : undefined);
    }
  });

  test('a state of the older mode `task` is a loop', () => {
    const world = scene.looping([scene.frame(1, 10, { mode: 'task' })]);
    expect(scene.outcomeOf(scene.saying(scene.S), world).next).toMatchObject({ reason: 'COMPLETE' });
  });
});

describe('which message is the session’s', () => {
  const mine = scene.state([scene.frame(3, 10)], { session_id: scene.S1 });
  const theirs = scene.state([scene.frame(7, 10)], { session_id: scene.S2 });
  const nobodys = scene.state([scene.frame(5, 10)]);

  test.each<[string, readonly (object | string)[], number]>([
    ['its own behind another’s', [mine, theirs], 4],
    ['its own newest', [{ ...mine, stack: [scene.frame(1, 10)] }, mine, theirs], 4],
    ['nobody’s if it is newer', [mine, nobodys, theirs], 6],
    ['its own if it is newer', [nobodys, mine], 4],
    ['its own behind another’s that nobody understands', [mine, { schema: 9, session_id: scene.S2 }], 4],
    ['an empty id is nobody’s', [{ ...nobodys, session_id: '' }], 6],
  ])('%s', (_which, messages, iter) => {
    const world = { store: 'shared', messages: messages as never } as const;
    expect(scene.outcomeOf(scene.stop(), world).reason).toBe(scene.sentence(iter, 10));
  });

  test('the store that knows the topic comes before our own log', () => {
    const own = { dir: '/x', known: true, messages: [{ id: '1', body: JSON.stringify(mine) }] };
    const world = {
      store: 'shared',
      messages: [theirs],
      documents: { 'own:loop.jsonl': scene.present(own) },
    } as const;
    expect(scene.outcomeOf(scene.stop(), world).reason).toBe('');
  });
});
