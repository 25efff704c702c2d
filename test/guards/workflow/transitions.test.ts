import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { builtinModel } from '../../../src/guards/workflow/config/compile';
import { workflowNamed } from '../../../src/guards/workflow/model';
import {
  approveGate,
  beginPhase,
  cancelWorkflow,
  enterPhase,
  finishWorkflow,
  passGate,
  recordConstitution,
  recordSelection,
  redoPhase,
  resumeWorkflow,
  rollBack,
  startWorkflow,
  suspendWorkflow,
} from '../../../src/guards/workflow/transitions';

const MODEL = builtinModel();
const NOW = Date.parse('2026-01-02T03:04:05.678Z');
const AT = '2026-01-02T03:04:05.678Z';
const BEFORE = { unknown: { kept: [1] }, phases: { '01-requirements': { status: 'completed', old: true } } };

function start(name: string, state: JsonObject = BEFORE, now = NOW): JsonObject {
  const workflow = workflowNamed(MODEL, name);
  if (workflow === undefined) throw new Error(name);
  return startWorkflow(state, { workflow, phases: workflow.phases, atdd: false }, now);
}

/** Every move, from a state in the middle of a workflow. */
const MIDDLE = enterPhase(
  passGate(beginPhase(start('fix'), '01-requirements', NOW), '01-requirements', NOW),
  '02-tracing',
  1,
);
const ASKED = { articles: ['I', 'II'], maxIterations: 2 };
const MOVES: readonly (readonly [string, (state: JsonObject) => JsonObject])[] = [
  ['begun', (state) => beginPhase(state, '02-tracing', NOW)],
  ['passed', (state) => passGate(state, '02-tracing', NOW)],
  ['entered', (state) => enterPhase(state, '05-test-strategy', 2)],
  ['redone', (state) => redoPhase(state, '01-requirements', 0, NOW)],
  ['rolled back', (state) => rollBack(state, ['01-requirements', '02-tracing'], 0, NOW)],
  ['suspended', (state) => suspendWorkflow(state, NOW)],
  ['resumed', resumeWorkflow],
  ['approved', (state) => approveGate(state, '02-tracing', ['agent_delegation'], NOW)],
  ['finished', (state) => finishWorkflow(state, NOW)],
  ['cancelled', (state) => cancelWorkflow(state, 'why', NOW)],
  ['constitution checked', (state) => recordConstitution(state, '02-tracing', ASKED, ['I'], NOW)],
  ['elicitation ended', (state) => recordSelection(state, '02-tracing', 'save', NOW)],
];

describe.each(MOVES)('%s', (_, move) => {
  it('keeps what it does not know, and where each key stood', () => {
    const after = move(MIDDLE);
    expect(after['unknown']).toBe(MIDDLE['unknown']);
    const keys = Object.keys(after);
    expect(keys.slice(0, Object.keys(MIDDLE).length)).toEqual(Object.keys(MIDDLE));
  });

  it('leaves the state that it was given as it was', () => {
    const copy = structuredClone(MIDDLE);
    move(MIDDLE);
    expect(MIDDLE).toEqual(copy);
  });

  it('makes something of a state in which everything has another kind', () => {
    const odd = {
      active_workflow: 7,
      phases: [],
      current_phase: {},
      pending_escalations: 'x',
      workflow_history: {},
    };
    expect(() => move(odd)).not.toThrow();
  });
});

describe('moves', () => {
  it('notes the status of a phase in both places', () => {
    const state = beginPhase(start('fix'), '01-requirements', NOW);
    expect(state).toMatchObject({
      active_workflow: { phase_status: { '01-requirements': 'in_progress' } },
      phases: { '01-requirements': { status: 'in_progress', started: AT } },
    });
    expect(beginPhase(state, '01-requirements', NOW + 1)).toBe(state);
  });

  it('starts from nothing, whatever an earlier workflow has shown', () => {
    expect(start('fix')['phases']).toMatchObject({ '01-requirements': { status: 'pending' } });
    expect(start('fix')['phases']).not.toHaveProperty('01-requirements.old');
  });

  it('settles what was pending for a phase, and only for it', () => {
    const pending_escalations = [{ phase: '02-tracing' }, { phase: '01-requirements' }];
    const { pending_escalations: left } = passGate({ ...MIDDLE, pending_escalations }, '02-tracing', NOW);
    expect(left).toEqual([{ phase: '01-requirements' }]);
  });

  it('waives by the marks that older readers know', () => {
    const failing = {
      ...MIDDLE,
      phases: {
        p: { iteration_requirements: { test_iteration: { completed: false, current_iteration: 2 } } },
      },
    };
    expect(
      approveGate(failing, 'p', ['test_iteration', 'constitutional_validation'], NOW)['phases'],
    ).toMatchObject({
      p: {
        gate_approval: { approved_at: AT, waived: ['test_iteration', 'constitutional_validation'] },
        iteration_requirements: {
          test_iteration: { completed: true, status: 'escalated', escalation_approved: true },
        },
        constitutional_validation: { status: 'escalated', escalation_approved: true },
      },
    });
  });

  it('claims no test run where there was none', () => {
    const { phases } = approveGate(MIDDLE, '02-tracing', ['test_iteration'], NOW) as { phases: JsonObject };
    expect(phases['02-tracing']).not.toHaveProperty('iteration_requirements');
  });

  it('brings back the workflows that were put away, the last one first', () => {
    const first = suspendWorkflow(start('feature'), NOW);
    const second = suspendWorkflow(start('fix', first), NOW);
    const third = start('test-run', second);
    const back = cancelWorkflow(third, 'x', NOW + 5);
    expect(back).toMatchObject({
      active_workflow: { type: 'fix', suspended_at: AT },
      current_phase: '01-requirements',
    });
    const again = finishWorkflow(back, NOW + 6);
    expect(again).toMatchObject({ active_workflow: { type: 'feature' }, current_phase: '00-quick-scan' });
    const end = finishWorkflow(again, NOW + 7);
    expect(end).toMatchObject({ active_workflow: null, current_phase: null });
    expect(end['workflow_history']).toMatchObject([
      { type: 'test-run' },
      { type: 'fix' },
      { type: 'feature' },
    ]);
  });
});
