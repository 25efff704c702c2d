import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { at, type HostDocument } from './rig';
import {
  edit,
  expectAllowed,
  expectDenied,
  inPhase,
  STATE_FILE,
  told,
  type WorkflowProject,
  workflowProject,
  write,
} from './workflow-project';

const PHASE = '06-implementation';
let project: WorkflowProject;

beforeEach(() => {
  project = workflowProject();
});

afterEach(() => project.rig.remove());

const file = () => `${project.rig.repo}/${STATE_FILE}`;
const writing = (state: unknown) => project.hook(write(file(), JSON.stringify(state)));
const evidence = (requirements: object, constitution?: object) => ({
  iteration_requirements: requirements,
  ...(constitution && { constitutional_validation: constitution }),
});

describe('an agent that writes the state itself', () => {
  const CHECK = 'constitution check of 06-implementation';
  const FAILED = { completed: false, current_iteration: 2, failures_count: 2, status: 'iterating' };

  it.each<[string, object, object, string]>([
    [
      'a compliant check',
      {},
      evidence({}, { completed: true, status: 'compliant', iterations_used: 2 }),
      CHECK,
    ],
    ['rounds of a check', {}, evidence({}, { completed: false, iterations_used: 3 }), CHECK],
    ['checked articles', {}, evidence({}, { completed: false, articles_checked: ['I'] }), CHECK],
    [
      'more rounds than were recorded',
      evidence({}, { completed: false, iterations_used: 1 }),
      evidence({}, { completed: false, iterations_used: 2 }),
      CHECK,
    ],
    [
      'a finished elicitation',
      {},
      evidence({
        interactive_elicitation: { completed: true, menu_interactions: 4, final_selection: 'save' },
      }),
      'elicitation of 06-implementation',
    ],
    [
      'answered questions',
      {},
      evidence({ interactive_elicitation: { completed: false, menu_interactions: 3 } }),
      'elicitation of 06-implementation',
    ],
    [
      'answers to questions that are still open',
      evidence({
        interactive_elicitation: { completed: false, menu_interactions: 3, questions_answered: 0 },
      }),
      evidence({ interactive_elicitation: { completed: false, menu_interactions: 3 } }),
      'elicitation of 06-implementation',
    ],
    ['test runs', {}, evidence({ test_iteration: { completed: false, current_iteration: 4 } }), 'tests of'],
    [
      'fewer failures than there were',
      evidence({ test_iteration: FAILED }),
      evidence({ test_iteration: { ...FAILED, current_iteration: 0, failures_count: 0 } }),
      'tests of',
    ],
    ['no failures any more', evidence({ test_iteration: FAILED }), {}, 'tests of'],
    [
      'a higher limit for its own runs',
      evidence({ test_iteration: { ...FAILED, max_iterations: 10 } }),
      evidence({ test_iteration: { ...FAILED, max_iterations: 999 } }),
      'tests of',
    ],
    [
      'a limit before the first run',
      {},
      evidence({ test_iteration: { completed: false, current_iteration: 0, max_iterations: 999 } }),
      'tests of',
    ],
  ])('may not claim %s', (_, known, claimed, what) => {
    project.state(inPhase(PHASE, {}, known));
    expectDenied(writing(inPhase(PHASE, {}, claimed)), 'STATE WRITE BLOCKED', what);
  });

  it('may not drop or change the delegation that a skill requires', () => {
    const pending_delegation = {
      skill: 'sdlc',
      required_agent: 'sdlc-orchestrator',
      invoked_at: '2026-01-01T00:00:00Z',
    };
    const state = inPhase(PHASE);
    project.state({ ...state, pending_delegation });
    for (const other of [
      { pending_delegation: null },
      {},
      { pending_delegation: { ...pending_delegation, required_agent: 'x' } },
    ])
      expectDenied(
        writing({ ...state, ...other }),
        'STATE WRITE BLOCKED',
        'the delegation to sdlc-orchestrator',
      );
    expectAllowed(writing({ ...state, pending_delegation, note: 1 }));
  });

  it('may not claim evidence by an edit, or by several at once', () => {
    project.state(inPhase(PHASE, {}, { constitutional_validation: { iterations_used: 0 } }));
    const change = ['"iterations_used": 0', '"iterations_used": 2'] as const;
    expectDenied(project.hook(edit(file(), ...change)), CHECK);
    const edits = [{ old_string: '"in_progress"', new_string: '"begun"' }];
    const several = { ...edit(file(), '', ''), tool_name: 'MultiEdit' };
    const editing = (...more: object[]) =>
      project.hook({ ...several, tool_input: { file_path: file(), edits: [...edits, ...more] } });
    expectDenied(editing({ old_string: change[0], new_string: change[1] }), CHECK);
    expectAllowed(editing());
    project.rig.write(STATE_FILE, JSON.stringify(inPhase(PHASE), null, 2).replaceAll('\n', '\r\n'));
    const claim = '"constitutional_validation": {"completed": true},';
    const opening = `"phases": {\n    "${PHASE}": {`;
    expectDenied(project.hook(edit(file(), opening, opening + claim)), CHECK);
  });

  it.each([
    { configured_at: '2026-03-01T10:00:00Z', testing_max: 9999, circuit_breaker_threshold: 9999 },
    { configured_at: '2026-03-01T10:00:00Z', testing_max: 4 },
    undefined,
  ])('may not change the limits while a workflow is active: %j', (config) => {
    const limits = { configured_at: '2026-03-01T10:00:00Z', testing_max: 3 };
    project.state({ ...inPhase(PHASE), iteration_config: limits });
    expectDenied(writing({ ...inPhase(PHASE), iteration_config: config }), 'changes the iteration limits');
    project.state({ active_workflow: null, iteration_config: limits });
    expectAllowed(writing({ active_workflow: null, iteration_config: config }));
  });

  it.each(['2026-01-01T00:00:00Z', undefined])(
    'may not let evidence of an earlier workflow count: started %s',
    (started_at) => {
      project.state(inPhase(PHASE, { started_at: '2026-03-01T10:00:00Z' }));
      const told = 'changes when the workflow was started';
      expectDenied(writing(inPhase(PHASE, { started_at })), told);
      expectAllowed(writing({ ...inPhase(PHASE, { started_at: '2026-03-01T10:00:00.000Z' }), note: 'x' }));
    },
  );

  it('may open records that claim nothing, and keep those that are there', () => {
    const known = evidence(
      { test_iteration: FAILED },
      { completed: true, status: 'compliant', iterations_used: 1 },
    );
    project.state(inPhase(PHASE, {}, known));
    expectAllowed(writing({ ...inPhase(PHASE, {}, known), note: 'x' }));
    const open = { required: true, completed: false, status: 'pending', iterations_used: 0, history: [] };
    project.state(inPhase(PHASE));
    expectAllowed(
      writing(inPhase(PHASE, {}, evidence({}, { ...open, max_iterations: 5, articles_required: ['I'] }))),
    );
  });
});

describe('the warning of a suspicious counter', () => {
  const written = (): HostDocument => ({
    ...write(file(), ''),
    hook_event_name: 'PostToolUse',
    tool_response: {},
  });

  it('names every counter and says which are missing', () => {
    const requirements = {
      interactive_elicitation: { completed: true, menu_interactions: 0 },
      test_iteration: { completed: true, current_iteration: 'three' },
    };
    project.state(inPhase(PHASE, {}, evidence(requirements, { completed: true })));
    const text = told(project.hook(written()));
    expect(text).toContain('menu_interactions is 0');
    expect(text).toContain('current_iteration is "three"');
    expect(text).toContain('iterations_used is undefined (missing)');
    expect(at(project.stored(), 'phases', PHASE, 'constitutional_validation')).toEqual({ completed: true });
  });

  it('is not given for counters that fit, for other files, nor for one that cannot be read', () => {
    const fitting = evidence(
      {
        interactive_elicitation: { completed: true, menu_interactions: 3 },
        test_iteration: { completed: true, current_iteration: 1 },
      },
      { completed: true, status: 'compliant', iterations_used: 2 },
    );
    project.state(inPhase(PHASE, {}, fitting));
    expectAllowed(project.hook(written()));
    const fake = JSON.stringify(inPhase(PHASE, {}, evidence({}, { completed: true, iterations_used: 0 })));
    const other = (path: string) => {
      project.rig.write(path, fake);
      return project.hook({ ...written(), tool_input: { file_path: `${project.rig.repo}/${path}` } });
    };
    for (const path of ['foo.isdlc/state.json', '.isdlc/other.json']) expectAllowed(other(path));
    for (const path of ['.isdlc/projects/api/state.json', '.isdlc\\state.json'])
      expect(told(other(path))).toContain('Suspicious state.json write detected');
    project.state('{');
    expectAllowed(project.hook(written()));
  });
});
