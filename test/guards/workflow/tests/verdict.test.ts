import { describe, expect, test } from 'vitest';
import type { EventOf } from '../../../../src/core/event';
import { afterFailure } from '../../../../src/guards/workflow/tests/breaker';
import { errorLine, normalisedError } from '../../../../src/guards/workflow/tests/error-line';
import { testVerdict } from '../../../../src/guards/workflow/tests/verdict';
import { effectsOf } from '../../../../src/shell';

type Ended = Partial<Pick<EventOf<'tool.after'>, 'outcome' | 'error' | 'interrupted'>> & { text?: string };

function ended(command: string, { text = '', ...more }: Ended): EventOf<'tool.after'> {
  return {
    v: 1,
    host: 'claude-code',
    hostEvent: 'PostToolUse',
    raw: {},
    sessionId: 's',
    cwd: '/repo',
    roots: [],
    at: 0,
    kind: 'tool.after',
    call: { nativeName: 'Bash', names: ['Bash'], op: 'shell', input: {}, command, paths: [] },
    outcome: 'success',
    response: { raw: null, text },
    ...more,
  };
}

const verdict = (command: string, more: Ended) =>
  testVerdict(ended(command, more), effectsOf(command, { cwd: '/repo' }));

describe('how a run of tests ended', () => {
  test.each<[sentence: string, command: string, ended: Ended, result: string | undefined]>([
    ['a run that ends well has passed', 'npm test', { text: '5 passed in 0.03s' }, 'passed'],
    ['even if it prints nothing', 'npm test', {}, 'passed'],
    ['or words that sound bad', 'go test ./...', { text: 'ok  \ta\t0.1s\nError: is only a word' }, 'passed'],
    [
      'zero failures are none',
      'cargo test',
      { text: 'test result: ok. 5 passed; 0 failed; 0 ignored' },
      'passed',
    ],
    ['a run that ends badly has failed', 'npm test', { outcome: 'failure' }, 'failed'],
    [
      'whatever ticks it prints',
      'npm test',
      { outcome: 'failure', text: '✓ a\n✓ b\nerror TS2304' },
      'failed',
    ],
    [
      'even all passing, as with a hook that crashes',
      'mocha',
      { outcome: 'failure', text: '  5 passing' },
      'failed',
    ],
    [
      'counted failures outweigh a good end',
      'npm test',
      { text: 'Tests: 1 failed, 4 passed, 5 total' },
      'failed',
    ],
    [
      'also those of a later package',
      'cargo test',
      {
        text: 'test result: ok. 5 passed; 0 failed; 0 ignored\ntest result: F. 1 passed; 1 failed; 0 ignored',
      },
      'failed',
    ],
    ['no tests at all prove nothing', 'npm test', { text: 'ℹ pass 0\nℹ fail 0' }, 'inconclusive'],
    [
      'a pipe hides the end, the numbers tell',
      'npm test 2>&1 | tail -5',
      { text: 'Tests: 5 passed, 5 total' },
      'passed',
    ],
    ['in both directions', 'npm test | tail', { text: 'Tests: 1 failed, 5 total' }, 'failed'],
    ['without numbers nothing is known', 'npm test | tail -1', { text: 'Done.' }, 'inconclusive'],
    ['so it is after `|| true`', 'npm test || true', { text: 'sh: jest: not found' }, 'inconclusive'],
    [
      'numbers that the line prints itself are no evidence',
      'npm test; echo "5 passing"',
      { text: '5 passing' },
      'inconclusive',
    ],
    [
      'nor those it has edited',
      "npm test | sed 's/1 failed/0 failed/'",
      { text: 'Tests: 0 failed, 5 passed, 5 total' },
      'inconclusive',
    ],
    [
      'what fails beside passing tests is not them',
      'npm test && npm run lint',
      { outcome: 'failure', text: 'Tests: 5 passed, 5 total\nlint: bad' },
      'inconclusive',
    ],
    [
      'unless nothing tells that they passed',
      'npm test && npm run lint',
      { outcome: 'failure', text: 'oops' },
      'failed',
    ],
    ['after which all went well', 'npm run build && npm test', { text: 'fine' }, 'passed'],
    ['an interrupted run is neither', 'npm test', { outcome: 'failure', interrupted: true }, 'inconclusive'],
    [
      'colours do not hide numbers',
      'npx vitest run',
      { text: ' \u001b[2m  Tests \u001b[22m \u001b[31m1 failed\u001b[39m | 4 passed (5)' },
      'failed',
    ],
    ['a command that runs no tests has no verdict', 'cat jest.config.js', { text: '5 passing' }, undefined],
    ['nor one that only mentions them', 'git commit -m "fix pytest"', { text: '1 failed' }, undefined],
  ])('%s', (_, command, more, result) => {
    expect(verdict(command, more)?.result).toBe(result);
  });

  test('a run in the background has only been started', () => {
    const started = ended('npm test', { outcome: 'unknown' });
    const event = { ...started, call: { ...started.call, background: true } };
    expect(testVerdict(event, effectsOf('npm test', { cwd: '/repo' }))).toBeUndefined();
  });

  test('a failure comes with the line that tells of it, and its plain form', () => {
    const found = verdict('npm test', {
      outcome: 'failure',
      error: 'Exit code 1\nFAIL src/a.test.ts\n  AssertionError: expected 1 to be 2 at a.test.ts:12:5 (34ms)',
    });
    expect(found).toMatchObject({ result: 'failed', runner: 'npm', shown: 'FAIL src/a.test.ts' });
  });

  test('one that tells nothing is still told', () => {
    expect(verdict('npm test', { outcome: 'failure' })?.shown).toBe('the command failed');
  });
});

describe('the error of a failed run', () => {
  test.each<[sentence: string, one: string, other: string, same: boolean]>([
    ['places in files differ', 'TypeError: x at a.ts:1:2', 'TypeError: x at a.ts:10:20', true],
    ['durations differ', 'expected 1 (12ms) failed', 'expected 1 (250ms) failed', true],
    ['times differ', '2024-01-02T03:04:05Z Error: x', '2025-11-12T13:14:15.123Z Error: x', true],
    ['addresses differ', 'fail at 0x7ffee', 'fail at 0x12ab', true],
    ['temporary directories differ', 'Error: /tmp/a1/x failed', 'Error: /tmp/b2/y failed', true],
    ['colours differ', '\u001b[31mError: x\u001b[39m', 'Error: x', true],
    ['counts tell failures apart', 'Tests: 1 failed, 4 passed', 'Tests: 2 failed, 3 passed', false],
    ['so do names', 'Error: a is not defined', 'Error: b is not defined', false],
  ])('%s', (_, one, other, same) => {
    expect(normalisedError(one) === normalisedError(other)).toBe(same);
  });

  test.each<[sentence: string, output: string, line: string]>([
    ['the first line that tells', 'start\nError: boom happened\nError: later', 'Error: boom happened'],
    ['not a sum without failures', '5 passed, 0 failed here\nAssertionError: nope', 'AssertionError: nope'],
    ['none where nothing tells', 'all quiet', ''],
  ])('%s', (_, output, line) => {
    expect(errorLine(output)).toBe(line);
  });
});

describe('the breaker', () => {
  const limits = { breaker: 3, maxIterations: 10 };

  test('equal failures in a row break the circuit', () => {
    expect(afterFailure({ identical: 2, lastError: 'x' }, 'x', 3, limits)).toEqual({
      identical: 3,
      escalation: 'circuit_breaker',
    });
  });

  test('another failure begins anew', () => {
    expect(afterFailure({ identical: 2, lastError: 'x' }, 'y', 3, limits)).toEqual({ identical: 1 });
  });

  test('the first failure has none before it', () => {
    expect(afterFailure({ identical: 0, lastError: undefined }, 'x', 1, limits)).toEqual({ identical: 1 });
  });

  test('alternating failures end with the iterations', () => {
    expect(afterFailure({ identical: 1, lastError: 'x' }, 'y', 10, limits)).toEqual({
      identical: 1,
      escalation: 'max_iterations',
    });
  });
});
