import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { builtinModel } from '../../../src/guards/workflow/config/compile';
import { gateForce, looksAtTests, standingOf } from '../../../src/guards/workflow/gate';
import type { RuleMode, WorkflowModel } from '../../../src/guards/workflow/model';

const MODEL = builtinModel();

function stateAt(phase: string, more: JsonObject = {}, record: JsonObject = {}): JsonObject {
  return { active_workflow: { type: 'feature', current_phase: phase, ...more }, phases: { [phase]: record } };
}

const whatIn = (state: JsonObject): string[] =>
  standingOf(MODEL, state)?.missing.map(({ what }) => what) ?? ['no workflow'];

const SHOWN = ['constitutional_validation', 'agent_delegation'];

describe('what a phase lacks', () => {
  it.each<[string, JsonObject, string[]]>([
    ['nothing is active', { active_workflow: null }, ['no workflow']],
    ['the phase asks for nothing', stateAt('00-quick-scan'), []],
    ['nothing was shown', stateAt('03-architecture'), SHOWN],
    ['it was not begun', stateAt('03-architecture', {}, { status: 'pending' }), ['phase_started', ...SHOWN]],
    [
      'a person has switched the rules off',
      { ...stateAt('03-architecture'), iteration_enforcement: { enabled: false } },
      [],
    ],
    ['a person has waived it all', stateAt('03-architecture', {}, { gate_approval: { waived: SHOWN } }), []],
    [
      'a person has waived a part',
      stateAt('03-architecture', {}, { gate_approval: { waived: SHOWN.slice(1) } }),
      SHOWN.slice(0, 1),
    ],
    ['the place is another', stateAt('03-architecture', { current_phase_index: 5 }), ['workflow_state']],
    [
      'the place is beyond the end',
      stateAt('03-architecture', { current_phase_index: 50 }),
      ['workflow_state'],
    ],
    ['the workflow has no such phase', stateAt('99-own'), ['workflow_state']],
    ['the place fits by another name', stateAt('02-architecture', { current_phase_index: 3 }), SHOWN],
    ['no phase is named', { active_workflow: { type: 'feature' } }, ['current_phase']],
  ])('where %s', (_, state, missing) => {
    expect(whatIn(state)).toEqual(missing);
  });

  it('counts a delegation only after the phase was begun anew', () => {
    const log = [
      { agent: 'solution-architect', agent_phase: '03-architecture', timestamp: '2026-01-02T00:00:00Z' },
    ];
    const since = (at: string): string[] =>
      whatIn({ ...stateAt('03-architecture', {}, { evidence_since: at }), skill_usage_log: log });
    expect(since('2026-01-01T00:00:00Z')).not.toContain('agent_delegation');
    expect(since('2026-01-03T00:00:00Z')).toContain('agent_delegation');
  });

  it('knows the place of the current phase, by its number where a phase comes twice', () => {
    const phases = ['a', 'b', 'a'];
    const at = (index: number): number | undefined =>
      standingOf(MODEL, stateAt('a', { phases, current_phase_index: index }))?.index;
    expect([at(0), at(2)]).toEqual([0, 2]);
  });
});

it.each<[RuleMode, string, string]>([
  ['deny', 'feature', 'refuse'],
  ['ask', 'feature', 'refuse'],
  ['warn', 'feature', 'warn'],
  ['observe', 'feature', 'none'],
  ['disabled', 'feature', 'none'],
  ['deny', 'reverse-engineer', 'warn'],
])('a gate of mode %s in %s: %s', (mode, workflow, force) => {
  const rules = { ...MODEL.rules, 'gate-blocker': { mode, tell: 'both' } } as WorkflowModel['rules'];
  expect(gateForce({ ...MODEL, rules }, workflow)).toBe(force);
});

it.each<[string, JsonObject, boolean]>([
  ['a phase with tests', stateAt('06-implementation'), true],
  ['a phase without', stateAt('03-architecture'), false],
  ['tests that are only reported', stateAt('07-testing', { type: 'test-run' }), false],
  ['no phase', {}, false],
])('whether the tree matters: %s', (_, state, looks) => {
  expect(looksAtTests(MODEL, state)).toBe(looks);
});
