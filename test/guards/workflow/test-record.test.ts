import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { valueAt } from '../../../src/guards/workflow/json-path';
import { testsPath } from '../../../src/guards/workflow/phase-evidence';
import { type Run, withEdit, withRun } from '../../../src/guards/workflow/test-record';

const PHASE = '06-implementation';
const ASKED = { maxIterations: 10, breaker: 3, reportOnly: false };
const NOW = Date.parse('2026-03-01T10:00:00.000Z');

function run(result: 'passed' | 'failed' | 'inconclusive', error = '', more: Partial<Run> = {}): Run {
  return { verdict: { result, runner: 'npm', shown: error, error }, command: 'npm test', now: NOW, ...more };
}

function recordAfter(runs: readonly Run[], state: JsonObject = {}, asked = ASKED): unknown {
  return valueAt(
    runs.reduce<JsonObject>((current, one) => withRun(current, PHASE, asked, one), state),
    testsPath(PHASE),
  );
}

describe('the record of test runs', () => {
  it('counts failures, and those that are alike', () => {
    const record = recordAfter([run('failed', 'a'), run('failed', 'a'), run('failed', 'b')]);
    expect(record).toMatchObject({
      failures_count: 3,
      identical_failure_count: 1,
      current_iteration: 3,
      completed: false,
    });
  });

  it('breaks the circuit at the third failure of a kind', () => {
    const record = recordAfter([run('failed', 'a'), run('failed', 'a'), run('failed', 'a')]);
    expect(record).toMatchObject({
      completed: true,
      status: 'escalated',
      escalation_reason: 'circuit_breaker',
      escalation_approved: false,
    });
  });

  it('ends after as many as are allowed', () => {
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

  it('forgets earlier failures of a kind after a pass, and the pass after a failure', () => {
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

  it('counts a run that nobody can read, and concludes nothing from it', () => {
    expect(recordAfter([run('passed'), run('inconclusive')])).toMatchObject({
      completed: true,
      last_test_result: 'inconclusive',
      current_iteration: 2,
    });
  });

  it('only reports where that is all that is asked', () => {
    const asked = { maxIterations: 1, breaker: 3, reportOnly: true };
    expect(recordAfter([run('failed', 'a')], {}, asked)).toMatchObject({
      completed: true,
      status: 'reported',
      last_test_result: 'failed',
    });
  });

  it('has a call once', () => {
    const one = run('failed', 'a', { callId: 'toolu_1' });
    expect(recordAfter([one, one, one])).toMatchObject({ current_iteration: 1, failures_count: 1 });
  });

  it('keeps fields that it does not know', () => {
    const state = {
      z: 1,
      phases: { [PHASE]: { odd: [1], iteration_requirements: { test_iteration: { mine: true } } } },
      a: 2,
    };
    const next = withRun(state, PHASE, ASKED, run('passed'));
    expect(Object.keys(next)).toEqual(['z', 'phases', 'a']);
    expect(valueAt(next, ['phases', PHASE, 'odd'])).toEqual([1]);
    expect(valueAt(next, [...testsPath(PHASE), 'mine'])).toBe(true);
  });
});

describe('an edit', () => {
  it('takes a pass back, once, and the next pass takes that back', () => {
    const passed = withRun({}, PHASE, ASKED, run('passed'));
    const edited = withEdit(passed, PHASE, NOW);
    expect(valueAt(edited, [...testsPath(PHASE), 'edited_at'])).toBe('2026-03-01T10:00:00.000Z');
    expect(withEdit(edited, PHASE, NOW + 1)).toBe(edited);
    const again = withRun(edited, PHASE, ASKED, run('passed'));
    expect(valueAt(again, [...testsPath(PHASE), 'edited_at'])).toBeNull();
  });

  it('has nothing to take back where nothing passed', () => {
    const failed = withRun({}, PHASE, ASKED, run('failed', 'a'));
    expect(withEdit(failed, PHASE, NOW)).toBe(failed);
    expect(withEdit({}, PHASE, NOW)).toEqual({});
  });
});
