import { describe, expect, test } from 'vitest';
import { valueAt } from '../../../src/config/pointer';
import type { EventOf } from '../../../src/core/event';
import type { JsonObject } from '../../../src/core/json';
import { withEdit } from '../../../src/guards/workflow/rules/records';
import { evidencePath } from '../../../src/guards/workflow/state';
import { errorLine, normalisedError } from '../../../src/guards/workflow/test-output';
import { type Run, testVerdict, withRun } from '../../../src/guards/workflow/test-run';
import { effectsOf } from '../../../src/shell';

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
  testVerdict(ended(command, more), effectsOf(command, { cwd: '/repo' }), ['/repo']);

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
        text: 'test result: ok. 5 passed; 0 failed; 0 ignored\ntest result: FAILED. 1 passed; 1 failed; 0 ignored',
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
    [
      'an exit status that the line prints counts',
      'npm test; echo "exit: $?"',
      { text: 'ok\nexit: 0' },
      'passed',
    ],
    ['whatever it is', 'cd a && CI=1 npm test 2>&1; echo $?', { text: '5 passed in 1s\n1' }, 'failed'],
    [
      'with words on both sides',
      'npm test > o.log; echo "== exit $? =="',
      { text: '== exit 0 ==' },
      'passed',
    ],
    [
      'behind a pipe, in bash',
      `npm test 2>&1 | tail -5; echo "exit \${PIPESTATUS[0]}"`,
      { text: 'ok\nexit 0' },
      'passed',
    ],
    ['or in zsh', `npm test | tee o.log; echo \${pipestatus[1]}`, { text: 'Tests: 5 passed\n1' }, 'failed'],
    [
      'but not that of the last program',
      `npm test | tail -5; echo \${PIPESTATUS[1]}`,
      { text: 'ok\n0' },
      'inconclusive',
    ],
    [
      'nor that of a later line',
      `npm test | tail -5\ntrue; echo \${PIPESTATUS[0]}`,
      { text: 'ok\n0' },
      'inconclusive',
    ],
    [
      'nor that of what is before the tests',
      `A=b | npm test; echo \${PIPESTATUS[0]}`,
      { text: 'ok\n0' },
      'inconclusive',
    ],
    ['unless no test ran', 'npm test; echo $?', { text: 'Tests: 0 total\n0' }, 'inconclusive'],
    ['or it is that of another program', 'npm test | tail -1; echo $?', { text: 'ok\n0' }, 'inconclusive'],
    ['or of one that loses it', 'npm test || true; echo $?', { text: 'ok\n0' }, 'inconclusive'],
    ['or it is missing', 'npm test; echo "exit: $?"', { text: 'ok' }, 'inconclusive'],
    [
      'of numbers cut short nothing is known',
      'go test ./... | head -1',
      { text: 'ok  \ta\t0.1s' },
      'inconclusive',
    ],
    ['nor of those picked out', 'npx mocha | grep passing', { text: '  5 passing (2ms)' }, 'inconclusive'],
    ['nor where failures are left out', 'npx mocha | grep -v fail', { text: '  5 passing' }, 'inconclusive'],
    ['unless failures are, too', 'npx mocha 2>&1 | grep -E "pass|fail"', { text: '  5 passing' }, 'passed'],
    [
      'a search that finds nothing is no failure',
      'npx mocha | grep -i fail',
      { outcome: 'failure' },
      'inconclusive',
    ],
    [
      'the last zeros of a summary are none',
      'node --test | tail -2',
      { text: '# skipped 0\n# todo 0' },
      'inconclusive',
    ],
    [
      'the tests’ own program prints nothing else',
      'python -m pytest -q 2>&1 | tail -5',
      { text: '5 passed in 0.1s' },
      'passed',
    ],
    ['nor does cat', 'npm test 2>&1 | cat', { text: 'Tests: 5 passed, 5 total' }, 'passed'],
    [
      'unless it is given a file',
      'npm test; cat out.log',
      { text: 'Tests: 5 passed, 5 total' },
      'inconclusive',
    ],
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

  test('a run in the background has no result', () => {
    const started = ended('npm test', { outcome: 'unknown' });
    const event = { ...started, call: { ...started.call, background: true } };
    const { result, unclear } = testVerdict(event, effectsOf('npm test', { cwd: '/repo' }), ['/repo']) ?? {};
    expect([result, unclear]).toEqual(['inconclusive', expect.stringContaining('in the foreground')]);
  });

  test('a failure comes with the line that tells of it, and its plain form', () => {
    const found = verdict('npm test', {
      outcome: 'failure',
      error: 'Exit code 1\nFAIL src/a.test.ts\n  AssertionError: expected 1 to be 2 at a.test.ts:12:5 (34ms)',
    });
    expect(found).toMatchObject({
      result: 'failed',
      shown: 'AssertionError: expected 1 to be 2 at a.test.ts:12:5 (34ms)',
      error: 'AssertionError: expected 1 to be 2 at a.test.ts:<line> <duration>',
    });
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

const PHASE = '06-implementation';
const ASKED = { maxIterations: 10, breaker: 3, reportOnly: false, minCoverage: undefined };
const NOW = Date.parse('2026-03-01T10:00:00.000Z');

function run(result: 'passed' | 'failed' | 'inconclusive', error = '', more: Partial<Run> = {}): Run {
  const verdict = { result, unclear: undefined, counts: undefined, coverage: undefined, shown: error, error };
  return { verdict, command: 'npm test', now: NOW, ...more };
}

function recordAfter(runs: readonly Run[], state: JsonObject = {}, asked = ASKED): unknown {
  return valueAt(
    runs.reduce<JsonObject>((current, one) => withRun(current, PHASE, asked, one), state),
    evidencePath(PHASE, 'tests'),
  );
}

describe('the record of test runs', () => {
  test('counts failures, and those that are alike', () => {
    const record = recordAfter([run('failed', 'a'), run('failed', 'a'), run('failed', 'b')]);
    expect(record).toMatchObject({
      failures_count: 3,
      identical_failure_count: 1,
      current_iteration: 3,
      completed: false,
    });
  });

  test('breaks the circuit at the third failure of a kind', () => {
    const record = recordAfter([run('failed', 'a'), run('failed', 'a'), run('failed', 'a')]);
    expect(record).toMatchObject({
      completed: true,
      status: 'escalated',
      escalation_reason: 'circuit_breaker',
      escalation_approved: false,
    });
  });

  test('ends after as many as are allowed', () => {
    const limits = {
      iteration_config: {
        configured_at: '2026-01-01T00:00:00Z',
        testing_max: 2,
        circuit_breaker_threshold: 9,
      },
    };
    expect(recordAfter([run('failed', 'a'), run('failed', 'b')], limits)).toMatchObject({
      escalation_reason: 'max_iterations',
      max_iterations: 2,
    });
    const unset = { iteration_config: { testing_max: 2 } };
    expect(recordAfter([run('failed', 'a'), run('failed', 'b')], unset)).toMatchObject({
      completed: false,
      max_iterations: 10,
    });
  });

  test('forgets earlier failures of a kind after a pass, and the pass after a failure', () => {
    expect(recordAfter([run('failed', 'a'), run('failed', 'a'), run('passed')])).toMatchObject({
      completed: true,
      status: 'success',
      identical_failure_count: 0,
    });
    expect(recordAfter([run('passed', '', { tree: 't', head: 'h' })])).toMatchObject({
      evidence: { tree: 't', head: 'h' },
    });
    expect(recordAfter([run('passed', '', { tree: 't' }), run('failed', 'a')])).toMatchObject({
      completed: false,
      status: 'iterating',
      evidence: null,
    });
  });

  test('counts a run that nobody can read, and concludes nothing from it', () => {
    expect(recordAfter([run('passed'), run('inconclusive')])).toMatchObject({
      completed: true,
      last_test_result: 'inconclusive',
      current_iteration: 2,
    });
  });

  test('only reports where that is all that is asked', () => {
    const asked = { maxIterations: 1, breaker: 3, reportOnly: true, minCoverage: undefined };
    expect(recordAfter([run('failed', 'a')], {}, asked)).toMatchObject({
      completed: true,
      status: 'reported',
      last_test_result: 'failed',
    });
  });

  test('has a call once', () => {
    const one = run('failed', 'a', { callId: 'toolu_1' });
    expect(recordAfter([one, one, one])).toMatchObject({ current_iteration: 1, failures_count: 1 });
  });

  test('keeps fields that it does not know', () => {
    const state = {
      z: 1,
      phases: { [PHASE]: { odd: [1], iteration_requirements: { test_iteration: { mine: true } } } },
      a: 2,
    };
    const next = withRun(state, PHASE, ASKED, run('passed'));
    expect(Object.keys(next)).toEqual(['z', 'phases', 'a']);
    expect(valueAt(next, ['phases', PHASE, 'odd'])).toEqual([1]);
    expect(valueAt(next, [...evidencePath(PHASE, 'tests'), 'mine'])).toBe(true);
  });
});

describe('an edit', () => {
  test('takes a pass back, once, and the next pass takes that back', () => {
    const passed = withRun({}, PHASE, ASKED, run('passed'));
    const edited = withEdit(passed, PHASE, NOW);
    expect(valueAt(edited, [...evidencePath(PHASE, 'tests'), 'edited_at'])).toBe('2026-03-01T10:00:00.000Z');
    expect(withEdit(edited, PHASE, NOW + 1)).toBe(edited);
    const again = withRun(edited, PHASE, ASKED, run('passed'));
    expect(valueAt(again, [...evidencePath(PHASE, 'tests'), 'edited_at'])).toBeNull();
  });

  test('has nothing to take back where nothing passed', () => {
    const failed = withRun({}, PHASE, ASKED, run('failed', 'a'));
    expect(withEdit(failed, PHASE, NOW)).toBe(failed);
    expect(withEdit({}, PHASE, NOW)).toEqual({});
  });
});
