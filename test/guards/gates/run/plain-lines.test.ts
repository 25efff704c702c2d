import { describe, expect, it } from 'vitest';
import { statusOf } from '../../../../src/guards/gates/run/execute-gates';
import { gateLabel, plainLines } from '../../../../src/guards/gates/run/messages';
import type { RunEvent } from '../../../../src/guards/gates/run/run';
import type { GateResult } from '../../../../src/guards/gates/run-result';

const result = (more: Partial<GateResult>): RunEvent => ({
  kind: 'finished',
  result: { id: 'check:src:c', status: 'pass', message: 'm', durationMs: 1234, ...more },
});

describe('the plain form of an event', () => {
  it.each<[string, RunEvent, readonly string[]]>([
    ['a start', { kind: 'started', id: 'check:src:c' }, ['[START] check:src:c']],
    ['a pass needs no words', result({}), ['[PASS]  check:src:c (1.23s)']],
    [
      'a failure with its log',
      result({ status: 'fail', log: '/l/x.1.log' }),
      ['[FAIL]  check:src:c (1.23s) - m', '      Log: /l/x.1.log'],
    ],
    ['an error without one', result({ status: 'error' }), ['[ERROR] check:src:c (1.23s) - m']],
    ['a gate that was skipped', result({ status: 'skipped' }), ['[SKIP]  check:src:c - m']],
    ['a gate that need not run', result({ status: 'cached' }), ['[CACHED] check:src:c - m']],
    [
      'a review, one line a reviewer',
      result({
        id: 'review:src:q',
        status: 'fail',
        slots: [
          {
            slot: 'claude@1',
            status: 'fail',
            message: 'two',
            durationMs: 10,
            review: '/l/q@1.json',
            log: '/l/q',
          },
          { slot: 'codex@2', status: 'error', message: 'gone', durationMs: 10, log: '/l/q@2.log' },
          { slot: 'codex@3', status: 'pass', message: 'fine', durationMs: 10, review: '/l/q@3.json' },
        ],
      }),
      [
        '[FAIL]  review:src:q (claude@1) (0.01s) - two',
        '      Review: /l/q@1.json',
        '[ERROR] review:src:q (codex@2) (0.01s) - gone',
        '      Log: /l/q@2.log',
        '[PASS]  review:src:q (codex@3) (0.01s)',
        '      Review: /l/q@3.json',
      ],
    ],
    ['live output is not part of it', { kind: 'line', id: 'check:src:c', line: 'x' }, []],
    ['a warning', { kind: 'warning', text: 'careful' }, ['Warning: careful']],
    ['no sequences for terminals', { kind: 'note', text: '\x1b[31mred\x1b[0m\r\x07' }, ['red']],
    ['several lines', { kind: 'note', text: 'a\nb' }, ['a', 'b']],
  ])('%s', (_name, event, lines) => {
    expect(plainLines(event)).toEqual(lines);
  });

  it('ends with a summary of what was settled, run by run', () => {
    const fixed = { what: 'fixed', id: 'review:src:q', who: 'claude@1', details: 'a.ts:1\nbad' } as const;
    const skipped = {
      what: 'skipped',
      id: 'review:src:q',
      who: 'claude@1',
      details: 'b',
      reason: 'why\nnot',
    } as const;
    const lines = plainLines({
      kind: 'summary',
      summary: {
        status: 'passed_with_warnings',
        failed: 0,
        attempt: 2,
        iterations: [
          { run: 1, activity: [] },
          { run: 2, activity: [fixed, skipped] },
        ],
      },
    });
    expect(lines.filter((line) => !/^─+$/.test(line))).toEqual([
      'RESULTS SUMMARY',
      'Iteration 2:',
      '  ✓ Fixed: review:src:q (claude@1) - a.ts:1 bad',
      '  ⊘ Skipped: review:src:q (claude@1) - b',
      '    Reason: why not',
      'Total: 1 fixed, 1 skipped, 0 failed after 2 iterations',
      'Status: Passed with warnings',
    ]);
  });
});

describe('what results come to', () => {
  const gate = (status: GateResult['status'], more: Partial<GateResult> = {}): GateResult => ({
    id: 'x',
    status,
    message: '',
    durationMs: 0,
    ...more,
  });
  it.each<[string, readonly GateResult[], number, string]>([
    ['all pass', [gate('pass'), gate('cached')], 1, 'passed'],
    ['findings were skipped', [gate('pass', { skippedFindings: 1 })], 1, 'passed_with_warnings'],
    ['one failed', [gate('pass'), gate('fail')], 1, 'failed'],
    ['one failed, in the last attempt', [gate('fail')], 4, 'retry_limit_exceeded'],
    ['all that did not pass could give no answer', [gate('pass'), gate('error')], 1, 'infrastructure_error'],
    ['the same in the last attempt', [gate('error')], 4, 'infrastructure_error'],
    ['one failed and one could give no answer', [gate('error'), gate('fail')], 1, 'failed'],
    ['some were not started', [gate('pass'), gate('skipped')], 1, 'infrastructure_error'],
  ])('%s', (_name, gates, attempt, status) => {
    expect(statusOf(gates, { number: attempt, attempt, most: 4 })).toBe(status);
  });
});

describe('what people read for a gate', () => {
  it.each([
    ['a check of the whole project', 'check:.:lint', 'lint'],
    ['a check of a part', 'check:src/api:lint', 'lint (src/api)'],
    ['a review', 'review:src:quality', 'review quality (src)'],
    ['a name with a colon', 'check:.:test:unit', 'test:unit'],
  ])('%s', (_sentence, id, label) => {
    expect(gateLabel(id)).toBe(label);
  });
});
