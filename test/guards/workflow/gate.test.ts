import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { builtinModel } from '../../../src/guards/workflow/config/compile';
import {
  gateNeedsTests,
  gateStrictness,
  missingFor,
  readWorkflowStatus,
  triggersOf,
} from '../../../src/guards/workflow/gate';
import type { RuleMode, WorkflowModel } from '../../../src/guards/workflow/model';

const MODEL = builtinModel();
const PHASE = '06-implementation';
const TESTS = { completed: true, status: 'success', last_test_result: 'passed', current_iteration: 1 };
const COMPLIANT = { completed: true, status: 'compliant', iterations_used: 1 };
const LOG = [{ agent: 'software-developer', agent_phase: PHASE }];

interface Parts {
  readonly tests?: JsonObject;
  readonly constitution?: JsonObject;
  readonly log?: readonly JsonObject[];
  readonly workflow?: JsonObject;
}

function state({ tests = TESTS, constitution = COMPLIANT, log = LOG, workflow = {} }: Parts): JsonObject {
  return {
    active_workflow: { type: 'feature', current_phase: PHASE, ...workflow },
    phases: {
      [PHASE]: { constitutional_validation: constitution, iteration_requirements: { test_iteration: tests } },
    },
    skill_usage_log: log,
  };
}

const actions = (parts: Parts, tree?: string): string[] =>
  missingFor({ model: MODEL, state: state(parts), phase: PHASE, ...(tree !== undefined && { tree }) }).map(
    ({ action }) => action ?? '',
  );

describe('a gate', () => {
  it.each<[string, Parts, string[]]>([
    ['is open on full evidence', {}, []],
    [
      'does not ask how often, where nobody counted',
      {
        tests: { completed: true, status: 'success' },
        constitution: { completed: true, status: 'compliant' },
      },
      [],
    ],
    ['wants a run at all', { tests: { ...TESTS, current_iteration: 0 } }, ['RUN_TESTS']],
    ['wants a run that passed', { tests: { ...TESTS, completed: false } }, ['CONTINUE_ITERATION']],
    [
      'does not believe a pass before a failure',
      { tests: { ...TESTS, last_test_result: 'failed' } },
      ['CONTINUE_ITERATION'],
    ],
    ['leaves an escalation to a person', { tests: { ...TESTS, status: 'escalated' } }, ['HUMAN_APPROVAL']],
    [
      'takes what a person has approved',
      { tests: { ...TESTS, status: 'escalated', last_test_result: 'failed', escalation_approved: true } },
      [],
    ],
    [
      'does not take a word for an approval',
      { tests: { ...TESTS, status: 'escalated', escalation_approved: 'true' } },
      ['HUMAN_APPROVAL'],
    ],
    [
      'does not count what was edited since',
      { tests: { ...TESTS, edited_at: '2026-01-01T00:00:00Z' } },
      ['RUN_TESTS'],
    ],
    ['wants the coverage, where it is known', { tests: { ...TESTS, coverage: 12 } }, ['RUN_TESTS']],
    ['is content with coverage that is enough', { tests: { ...TESTS, coverage: 80 } }, []],
    [
      'wants the articles checked to the end',
      { constitution: { completed: false, status: 'iterating' } },
      ['CONTINUE_CONSTITUTIONAL_ITERATION'],
    ],
    ['wants them to be met', { constitution: { ...COMPLIANT, status: 'violations' } }, ['FIX_VIOLATIONS']],
    [
      'wants all of them, where it is known which were checked',
      { constitution: { ...COMPLIANT, articles_checked: ['I'] } },
      ['CONTINUE_CONSTITUTIONAL_ITERATION'],
    ],
    [
      'knows them by other spellings',
      {
        constitution: {
          ...COMPLIANT,
          articles_checked: ['Article I', 'II: Tests', 'III', 'V', 'VI', 'VII', 'VIII', 'IX', 'X'],
        },
      },
      [],
    ],
    [
      'wants them to have been looked at',
      { constitution: { ...COMPLIANT, iterations_used: 0 } },
      ['RUN_CONSTITUTIONAL_VALIDATION'],
    ],
    [
      'leaves violations to a person',
      { constitution: { completed: false, status: 'escalated' } },
      ['HUMAN_DECISION'],
    ],
    [
      'wants the agent of the phase',
      { log: [{ agent: 'qa-engineer', agent_phase: '08-code-review' }] },
      ['DELEGATE_TO_PHASE_AGENT'],
    ],
    [
      'knows that agent by its other names',
      { log: [{ agent: '05-software-developer', agent_phase: PHASE }] },
      [],
    ],
    [
      'does not count work of an earlier workflow',
      {
        log: [{ ...LOG[0], timestamp: '2026-01-01T00:00:00Z' }],
        workflow: { started_at: '2026-02-01T00:00:00Z' },
      },
      ['DELEGATE_TO_PHASE_AGENT'],
    ],
    ['asks for nothing in a phase that nobody knows', { workflow: { current_phase: 'x' } }, []],
  ])('%s', (_, parts, expected) => expect(actions(parts)).toEqual(expected));

  it('compares the tree that passed with the one that is there', () => {
    const tests = { ...TESTS, evidence: { tree: 'abc' } };
    expect(actions({ tests }, 'abc')).toEqual([]);
    expect(actions({ tests }, 'def')).toEqual(['RUN_TESTS']);
    expect(actions({ tests }, '')).toEqual(['RUN_TESTS']);
  });

  it('asks for less where a workflow only reports', () => {
    const phase = '07-testing';
    const run = { completed: true, status: 'reported', last_test_result: 'failed', current_iteration: 1 };
    const lacks = (type: string): string[] =>
      missingFor({
        model: MODEL,
        state: {
          active_workflow: { type },
          phases: { [phase]: { iteration_requirements: { test_iteration: run } } },
        },
        phase,
      }).map(({ what }) => what);
    expect(lacks('test-run')).not.toContain('test_iteration');
    expect(lacks('feature')).toContain('test_iteration');
  });

  it.each([
    [undefined, 1],
    [null, 1],
    ['', 1],
    ['undecided', 1],
    ['aws', 0],
  ])('notes the cloud as open for %j', (provider, count) => {
    const given = provider === undefined ? {} : { cloud_configuration: { provider } };
    expect(triggersOf({ model: MODEL, state: given, phase: '07-testing' })).toHaveLength(count);
  });
});

function stateAt(phase: string, more: JsonObject = {}, record: JsonObject = {}): JsonObject {
  return { active_workflow: { type: 'feature', current_phase: phase, ...more }, phases: { [phase]: record } };
}

const whatIn = (state: JsonObject): string[] =>
  readWorkflowStatus(MODEL, state)?.missing.map(({ what }) => what) ?? ['no workflow'];

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
      readWorkflowStatus(MODEL, stateAt('a', { phases, current_phase_index: index }))?.index;
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
  expect(gateStrictness({ ...MODEL, rules }, workflow)).toBe(force);
});

it.each<[string, JsonObject, boolean]>([
  ['a phase with tests', stateAt('06-implementation'), true],
  ['a phase without', stateAt('03-architecture'), false],
  ['tests that are only reported', stateAt('07-testing', { type: 'test-run' }), false],
  ['no phase', {}, false],
])('whether the tree matters: %s', (_, state, looks) => {
  expect(gateNeedsTests(MODEL, state)).toBe(looks);
});
