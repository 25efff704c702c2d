import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { builtinModel } from '../../../src/guards/workflow/config/compile';
import { workflowNamed } from '../../../src/guards/workflow/model';
import { findFault, suspicionsIn } from '../../../src/guards/workflow/rules/state-writes';

const MODEL = builtinModel();
const PHASE = '06-implementation';
const TESTS = { completed: true, status: 'success', last_test_result: 'passed', current_iteration: 1 };
const COMPLIANT = { completed: true, status: 'compliant', iterations_used: 1 };

function state(workflow: JsonObject | null, record: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return { active_workflow: workflow, phases: { [PHASE]: { status: 'in_progress', ...record } }, ...more };
}

const ACTIVE = { type: 'feature', current_phase: PHASE, git_branch: { name: 'feature/x', status: 'active' } };
const OPEN = { iteration_requirements: { test_iteration: TESTS }, constitutional_validation: COMPLIANT };
const LOG = { skill_usage_log: [{ agent: 'software-developer', agent_phase: PHASE }] };
const before = state(ACTIVE, { iteration_requirements: { test_iteration: { completed: false } } }, LOG);
const ready = state(ACTIVE, OPEN, LOG);
const next = { ...ACTIVE, current_phase: '11-local-testing' };
const PHASES = workflowNamed(MODEL, 'feature')?.phases ?? [];

function listed(phases: readonly string[] = PHASES): JsonObject {
  return { ...before, active_workflow: { ...ACTIVE, phases } };
}

describe('an agent may not write a state that', () => {
  it.each<[string, JsonObject | undefined, JsonObject, RegExp]>([
    ['switches the rules off', before, { ...before, iteration_enforcement: { enabled: false } }, /rules off/],
    ['begins with the rules off', undefined, { iteration_enforcement: { enabled: false } }, /rules off/],
    [
      'switches the log off',
      before,
      { ...before, skill_enforcement: { enabled: false } },
      /skill enforcement off/,
    ],
    [
      'approves an escalation',
      before,
      state(ACTIVE, { constitutional_validation: { escalation_approved: true } }, LOG),
      /approval/,
    ],
    [
      'approves a gate',
      before,
      state(ACTIVE, { gate_approval: { waived: ['test_iteration'] } }, LOG),
      /approval/,
    ],
    [
      'waives more than a person has',
      state(ACTIVE, { gate_approval: { waived: [] } }, LOG),
      state(ACTIVE, { gate_approval: { waived: ['test_iteration'] } }, LOG),
      /approval/,
    ],
    [
      'takes an approval away',
      state(ACTIVE, { gate_approval: { waived: ['test_iteration'] } }, LOG),
      state(ACTIVE, {}, LOG),
      /approval/,
    ],
    [
      'takes an approved phase away',
      state(ACTIVE, { gate_approval: { waived: [] } }, LOG),
      { ...state(ACTIVE, {}, LOG), phases: {} },
      /approval/,
    ],
    [
      'slips something into a workflow that was put away',
      { ...before, suspended_workflows: [{ type: 'fix' }] },
      { ...before, suspended_workflows: [{ type: 'fix', phases: { x: { gate_approval: {} } } }] },
      /approval/,
    ],
    [
      'says who approved',
      state(ACTIVE, { gate_approval: { approved_by: 'person', waived: [] } }, LOG),
      state(ACTIVE, { gate_approval: { approved_by: 'me', waived: [] } }, LOG),
      /approval/,
    ],
    [
      'approves a gate of a workflow that it begins',
      { active_workflow: null },
      state(ACTIVE, { gate_approval: { waived: ['test_iteration'] } }),
      /approval/,
    ],
    [
      'lets older evidence count',
      state(ACTIVE, { evidence_since: '2026-03-01T10:00:00Z' }, LOG),
      state(ACTIVE, { evidence_since: '2026-01-01T10:00:00Z' }, LOG),
      /time from which evidence counts/,
    ],
    [
      'lets all evidence count',
      state(ACTIVE, { evidence_since: '2026-03-01T10:00:00Z' }, LOG),
      state(ACTIVE, {}, LOG),
      /time from which evidence counts/,
    ],
    [
      'says since when evidence counts',
      before,
      state(ACTIVE, { evidence_since: '2026-01-01T10:00:00Z' }, LOG),
      /time from which evidence counts/,
    ],
    ['shortens the workflow', listed(), listed([PHASE, '08-code-review']), /phases of the workflow/],
    ['turns its phases round', listed(), listed(PHASES.toReversed()), /phases of the workflow/],
    ['makes it longer', listed(), listed([...PHASES, '10-cicd']), /phases of the workflow/],
    ['takes the list of its phases away', listed(PHASES.slice(1)), before, /phases of the workflow/],
    ['lists fewer phases than it has', before, listed([PHASE]), /phases of the workflow/],
    [
      'shortens a workflow that is in no phase',
      { active_workflow: { type: 'feature', phases: PHASES } },
      { active_workflow: { type: 'feature', phases: [PHASE] } },
      /phases of the workflow/,
    ],
    ['says that tests passed', before, ready, /how the tests/],
    [
      'takes a failure back',
      state(
        ACTIVE,
        { iteration_requirements: { test_iteration: { ...TESTS, last_test_result: 'failed' } } },
        LOG,
      ),
      ready,
      /how the tests/,
    ],
    ['says who was delegated to', state(ACTIVE, {}), state(ACTIVE, {}, LOG), /claims a delegation/],
    ['ends the workflow', before, { ...before, active_workflow: null }, /ends the workflow/],
    ['empties the workflow', before, { ...before, active_workflow: {} }, /ends the workflow/],
    ['makes it another workflow', before, { ...before, active_workflow: { ...ACTIVE, type: 'fix' } }, /ends/],
    [
      'suspends the workflow',
      before,
      { ...before, active_workflow: { ...ACTIVE, suspended_at: 'x' } },
      /suspends/,
    ],
    [
      'lets go of the branch',
      before,
      { ...before, active_workflow: { ...ACTIVE, git_branch: { name: 'feature/x', status: 'merged' } } },
      /branch/,
    ],
    ['goes on before the gate', before, { ...before, active_workflow: next }, /before the gate/],
    [
      'leaves a phase out',
      ready,
      { ...ready, active_workflow: { ...ACTIVE, current_phase: '10-cicd' } },
      /before the gate/,
    ],
    [
      'goes back',
      before,
      { ...before, active_workflow: { ...ACTIVE, current_phase: '01-requirements' } },
      /goes back/,
    ],
    ['names no phase', before, { ...before, active_workflow: { type: 'feature' } }, /branch|phase away/],
  ])('%s', (_, old, fresh, what) => {
    expect(findFault(MODEL, old, fresh)?.what).toMatch(what);
  });
});

describe('an agent may write a state that', () => {
  it.each<[string, JsonObject | undefined, JsonObject]>([
    ['is the first', undefined, state(ACTIVE)],
    ['begins a workflow', { active_workflow: null }, state(ACTIVE)],
    ['is the same', before, before],
    ['has more to tell', before, { ...before, note: 1 }],
    ['sets a phase to begun', state(ACTIVE, { status: 'pending' }), state(ACTIVE, { status: 'in_progress' })],
    ['lists the phases that it has', before, listed()],
    [
      'keeps what a person has approved, in whatever order',
      state(ACTIVE, { gate_approval: { approved_by: 'person', waived: ['a'] }, evidence_since: 'x' }, LOG),
      state(ACTIVE, { evidence_since: 'x', gate_approval: { waived: ['a'], approved_by: 'person' } }, LOG),
    ],
    [
      'begins a workflow and forgets the approvals of an earlier one',
      state(null, { gate_approval: { waived: [] }, evidence_since: 'x' }),
      state(ACTIVE),
    ],
    ['goes on after the gate', ready, { ...ready, active_workflow: next }],
    [
      'keeps a switch that a person has set',
      { ...before, iteration_enforcement: { enabled: false } },
      { ...before, iteration_enforcement: { enabled: false }, note: 1 },
    ],
  ])('%s', (_, old, fresh) => {
    expect(findFault(MODEL, old, fresh)).toBeUndefined();
  });

  it.each([
    [null, 'cancel --reason TEXT'],
    [{ ...ACTIVE, git_branch: null }, 'cancel --reason TEXT'],
    [{ ...ACTIVE, phases: [PHASE] }, 'cancel --reason TEXT'],
    [{ ...ACTIVE, suspended_at: 'x' }, 'suspend'],
  ])('is told what a person may do instead: %j', (workflow, command) => {
    expect(findFault(MODEL, before, { ...before, active_workflow: workflow })?.how).toContain(
      `a person can run \`holdpoint flow ${command}\``,
    );
  });

  it('ends the workflow after its last gate', () => {
    const last = '08-code-review';
    const old: JsonObject = {
      active_workflow: { type: 'feature', current_phase: last, git_branch: { name: 'x', status: 'active' } },
      phases: { [last]: { status: 'in_progress', constitutional_validation: COMPLIANT } },
      skill_usage_log: [{ agent: 'qa-engineer', agent_phase: last }],
    };
    expect(findFault(MODEL, old, { ...old, active_workflow: null })).toBeUndefined();
  });
});

describe('what is said to be completed', () => {
  it.each<[string, JsonObject, string[]]>([
    ['after nothing at all', { constitutional_validation: { completed: true } }, ['V1']],
    ['after no iteration', { constitutional_validation: { completed: true, iterations_used: 0 } }, ['V1']],
    ['after one', { constitutional_validation: { completed: true, iterations_used: 1 } }, []],
    ['by a word', { constitutional_validation: { completed: 'true', iterations_used: 0 } }, []],
    [
      'by all three',
      {
        constitutional_validation: { completed: true },
        iteration_requirements: {
          interactive_elicitation: { completed: true },
          test_iteration: { completed: true, current_iteration: Number.NaN },
        },
      },
      ['V3', 'V2', 'V1'],
    ],
  ])('%s', (_, record, rules) => {
    expect(suspicionsIn({ phases: { [PHASE]: record, odd: 3 } }).map(({ rule }) => rule)).toEqual(rules);
  });
});
