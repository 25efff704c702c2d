import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SESSION } from './events';
import { at, type HostDocument } from './rig';
import {
  bash,
  bashed,
  bashFailed,
  edit,
  expectAllowed,
  expectDenied,
  inPhase,
  skill,
  task,
  told,
  type WorkflowProject,
  workflowProject,
  write,
} from './workflow-project';

const PHASE = '06-implementation';
const FAILING = {
  completed: false,
  last_test_result: 'failed',
  current_iteration: 2,
  max_iterations: 10,
  last_test_command: 'npm test',
  history: [{ error: 'boom' }],
};

/** A phase with everything that its gate asks for. */
function evident(tests: object = {}, constitution: object = {}): HostDocument {
  const record = {
    iteration_requirements: {
      test_iteration: {
        completed: true,
        status: 'success',
        last_test_result: 'passed',
        current_iteration: 1,
        ...tests,
      },
    },
    constitutional_validation: { completed: true, status: 'compliant', iterations_used: 1, ...constitution },
  };
  const log = [{ agent: 'software-developer', agent_phase: PHASE }];
  return { ...inPhase(PHASE, { current_phase_index: 6 }, record), skill_usage_log: log };
}

let project: WorkflowProject;

beforeEach(() => {
  project = workflowProject();
});

afterEach(() => project.rig.remove());

function testing(tests: object, more: object = {}): void {
  project.state(inPhase(PHASE, {}, { iteration_requirements: { test_iteration: tests }, ...more }));
}

function tests(): HostDocument {
  return at(project.stored(), 'phases', PHASE, 'iteration_requirements', 'test_iteration') as HostDocument;
}

describe('while tests fail', () => {
  beforeEach(() => testing(FAILING));

  it('nobody is told to advance, and the attempt is kept', () => {
    const ended = project.hook(task('x', 'advance to next phase'));
    expectDenied(ended, 'ITERATION CORRIDOR:', 'iteration 2/10', 'boom', 'npm test', 'Blocked action: Task');
    expect(at(project.stored(), 'pending_escalations', '0', 'type')).toBe('corridor_blocked');
    project.hook(task('x', 'advance to next phase'));
    expect(at(project.stored(), 'pending_escalations')).toHaveLength(1);
  });

  it.each([
    'Advance and show status',
    'proceed',
    'Tests are fine; move on to the next phase',
    'Please proceed to 07-testing.',
  ])('these words are an order: %s', (prompt) =>
    expectDenied(project.hook(task('sdlc-orchestrator', prompt)), 'ITERATION CORRIDOR'),
  );

  it.each([
    ['Explore', 'investigate why the test fails'],
    ['general-purpose', 'navigate to the aggregate root and look at the advanced options'],
    ['software-developer', 'fix the failing test'],
    ['general-purpose', 'explain why we cannot proceed'],
    ['general-purpose', 'do not advance before the tests pass'],
  ])('others may help: %s, %s', (agent, prompt) => expectAllowed(project.hook(task(agent, prompt))));

  it.each([
    'advance',
    'advance --status',
    'gate',
    'please advance',
    'move to next phase',
    'status && advance',
  ])('the skill does not advance either: /sdlc %s', (args) => {
    expectDenied(project.hook(skill('sdlc', args)), 'ITERATION CORRIDOR');
    expectDenied(project.hook(skill('/isdlc', args)), 'ITERATION CORRIDOR');
  });

  it('the skill may tell how things stand', () => {
    expectAllowed(project.hook(skill('sdlc', 'status')));
    expectAllowed(project.hook(skill('isdlc', 'analyze "gate-blocker is wrong"')));
    expectAllowed(project.hook(skill('isdlc', 'analyze "the gate; advance anyway"')));
    expectAllowed(project.hook(skill('other', 'advance')));
  });

  it('the command does not advance', () => {
    expectDenied(project.hook(bash('npx holdpoint flow advance')), 'ITERATION CORRIDOR');
    expectAllowed(project.hook(bash('holdpoint flow status')));
  });

  it('a switch that a person has set is honoured', () => {
    project.state({ ...(project.stored() as object), iteration_enforcement: { enabled: false } });
    expectAllowed(project.hook(task('x', 'advance to next phase')));
  });
});

describe('after the tests', () => {
  it('the constitution is checked before anybody goes on', () => {
    testing({ completed: true, status: 'success' });
    expectDenied(project.hook(task('x', 'proceed')), 'Articles [I, II,', 'flow record constitution');
    const ended = project.hook(task('sdlc-orchestrator', 'The implementation phase is complete.'));
    expectDenied(ended, 'PHASE COMPLETION BLOCKED:', 'Articles [I, II,', 'Iteration 0/5');
    expect(at(project.stored(), 'phases', PHASE, 'constitutional_validation', 'status')).toBe('pending');
    expect(at(project.stored(), 'pending_escalations')).toContainEqual(
      expect.objectContaining({ type: 'constitution_blocked', hook: 'constitution-validator', phase: PHASE }),
    );
    expectAllowed(project.hook(task('software-developer', 'When the implementation is complete, say so.')));
  });
});

describe('the gate', () => {
  const advance = task('sdlc-orchestrator', 'advance the gate');

  it('names everything that is missing, and keeps it', () => {
    project.state({
      active_workflow: { type: 'feature', current_phase: PHASE, current_phase_index: 6 },
      phases: {},
    });
    expectDenied(
      project.hook(advance),
      `GATE BLOCKED: Iteration requirements not satisfied for phase '${PHASE}'.`,
      'Blocking requirements: test_iteration, constitutional_validation, agent_delegation',
    );
    expect(at(project.stored(), 'phases', PHASE, 'gate_validation', 'status')).toBe('blocked');
    expect(at(project.stored(), 'pending_escalations', '0', 'type')).toBe('gate_blocked');
  });

  it('sees that index and phase disagree', () => {
    project.state(inPhase(PHASE, { current_phase_index: 2 }));
    expectDenied(project.hook(advance), "Expected phase '02-impact-analysis' at index 2");
  });

  it('opens on evidence', () => {
    project.state(evident());
    expectAllowed(project.hook(advance));
    expectAllowed(project.hook(bash('holdpoint flow advance')));
  });

  it('notes what comes after it', () => {
    const state = evident();
    const record = at(state, 'phases', PHASE);
    project.state({
      active_workflow: { type: 'feature', current_phase: '07-testing', current_phase_index: 8 },
      phases: { '07-testing': record },
      skill_usage_log: [{ agent: 'integration-tester', agent_phase: '07-testing' }],
      cloud_configuration: { provider: 'undecided' },
    });
    expectAllowed(project.hook(advance));
    expect(at(project.stored(), 'pending_triggers', '0', 'trigger')).toBe('cloud_configuration');
  });

  it.each([
    ['the last run failed', evident({ last_test_result: 'failed' })],
    ['no iteration was used', evident({}, { iterations_used: 0 })],
    ['an escalation waits', evident({ status: 'escalated' })],
    ['the status is not compliant', evident({}, { status: 'iterating' })],
    [
      'nobody of the phase did the work',
      { ...evident(), skill_usage_log: [{ agent: 'qa-engineer', agent_phase: '08-code-review' }] },
    ],
  ])('stays closed where %s', (_, state) => {
    project.state(state);
    expectDenied(project.hook(advance), 'GATE BLOCKED');
  });

  it('wants a person to have been asked', () => {
    const interactive_elicitation = { completed: true, final_selection: 'save', menu_interactions: 0 };
    project.state(inPhase('01-requirements', {}, { iteration_requirements: { interactive_elicitation } }));
    expectDenied(project.hook(advance), 'interactive_elicitation', '0 of 3');
  });

  it('is not opened by words of setup', () => {
    project.state(inPhase(PHASE));
    expectDenied(project.hook(task('sdlc-orchestrator', 'advance; current status is fine')), 'GATE BLOCKED');
  });
});

describe('test runs', () => {
  const FAILED = 'Tests: 1 failed, 4 passed, 5 total';

  beforeEach(() => project.state(inPhase(PHASE)));

  it('that fail alike three times break the circuit', () => {
    for (let run = 1; run <= 3; run++)
      project.hook(bashed('npm test', undefined, { tool_result: FAILED, tool_use_id: `t${run}` }));
    expect(tests()).toMatchObject({
      completed: true,
      status: 'escalated',
      escalation_reason: 'circuit_breaker',
      identical_failure_count: 3,
      current_iteration: 3,
      failures_count: 3,
    });
  });

  it('that fail in different ways do not, but there is an end to them', () => {
    project.state({
      ...inPhase(PHASE),
      iteration_config: {
        configured_at: '2026-01-01T00:00:00Z',
        testing_max: 2,
        circuit_breaker_threshold: 9,
      },
    });
    project.hook(bashed('npm test', FAILED));
    project.hook(bashed('npm test', 'Tests: 2 failed, 3 passed, 5 total'));
    expect(tests()).toMatchObject({ escalation_reason: 'max_iterations', identical_failure_count: 1 });
  });

  it('of one call count once, whoever sees it', async () => {
    const event = bashed('npm test', FAILED, { tool_use_id: 'toolu_1' });
    for (let run = 0; run < 3; run++) project.hook(event);
    expect(tests()).toMatchObject({ current_iteration: 1, failures_count: 1 });
  });

  it('fail by the event that tells of a failure, whatever they print', () => {
    const ended = project.hook(bashFailed('node --test', '✔ a\n✖ b'));
    expect(told(ended)).toContain('TESTS FAILED (iteration 1/10)');
    expect(tests()).toMatchObject({ completed: false, last_test_result: 'failed' });
  });

  it.each([
    ['pytest', '5 passed in 0.03s'],
    ['cargo test', 'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured'],
    ['go test ./...', 'ok  \tx\t0.1s'],
    ['node --test', '# pass 2\n# fail 0'],
    ['npm test', { stdout: 'whatever', stderr: '', interrupted: false }],
  ])('pass by their end: %s', (command, response) => {
    expect(told(project.hook(bashed(command, response)))).toContain('TESTS PASSED (iteration 1)');
    expect(tests()).toMatchObject({ completed: true, status: 'success', last_test_result: 'passed' });
  });

  it('are not kept without a workflow, in other phases, or when switched off', () => {
    for (const state of [
      { active_workflow: null },
      inPhase('03-architecture'),
      { ...inPhase(PHASE), iteration_enforcement: { enabled: false } },
    ]) {
      project.state(state);
      project.hook(bashed('npm test', FAILED));
      expect(project.stored()).toEqual(state);
    }
  });

  it('that pass are evidence for what they ran on, and for nothing later', () => {
    const { rig } = project;
    const advance = task('sdlc-orchestrator', 'advance the gate');
    rig.write('code.js', '1');
    project.state({ ...evident({ completed: false, status: 'iterating' }) });
    project.hook(bashed('npm test', 'Tests: 5 passed, 5 total'));
    expect(at(tests(), 'evidence', 'tree')).toMatch(/^[0-9a-f]{40}$/);
    expectAllowed(project.hook(advance));
    rig.write('docs/isdlc/tasks.md', '- [x] T0001 build it\n');
    expectAllowed(project.hook(advance));
    for (const path of ['docs/guide/page.html', 'README.md', 'src/NOTES.md']) {
      rig.write(path, 'x');
      project.hook({
        ...write(`${rig.repo}/${path}`, 'x'),
        hook_event_name: 'PostToolUse',
        tool_response: {},
      });
      expectAllowed(project.hook(advance));
    }
    rig.write('code.js', '2');
    expectDenied(project.hook(advance), 'files have changed since the tests passed');
    rig.write('code.js', '1');
    expectAllowed(project.hook(advance));
    const edited = {
      ...edit(`${rig.repo}/code.js`, '1', '1'),
      hook_event_name: 'PostToolUse',
      tool_response: {},
    };
    project.hook(edited);
    expectDenied(project.hook(advance), 'files have changed');
    project.hook(bashed('npm test', 'Tests: 5 passed, 5 total'));
    expectAllowed(project.hook(advance));
    project.hook(bashFailed('npm test', 'Tests: 1 failed, 4 passed, 5 total'));
    expectDenied(project.hook(advance), 'ITERATION CORRIDOR', 'GATE BLOCKED');
    expectDenied(project.hook(task('x', 'proceed')), 'ITERATION CORRIDOR');
  });

  it('in a linked work tree are evidence for its files, not for those of the main one', () => {
    const { rig } = project;
    const there = join(rig.dir, 'linked');
    rig.git('worktree', 'add', '-q', there);
    const hook = (event: HostDocument) =>
      project.hook({ ...event, cwd: there }, { env: { CLAUDE_PROJECT_DIR: there } });
    const advance = task('sdlc-orchestrator', 'advance the gate');
    project.state({ ...evident({ completed: false, status: 'iterating' }) });
    hook(bashed('npm test', 'Tests: 5 passed, 5 total'));
    rig.write('code.js', 'of the main work tree');
    expectAllowed(hook(advance));
    writeFileSync(join(there, 'code.js'), '1');
    expectDenied(hook(advance), 'files have changed since the tests passed');
    hook(bashed('npm test', 'Tests: 5 passed, 5 total'));
    expectAllowed(hook(advance));
    hook({
      ...edit(join(there, 'code.js'), '1', '1'),
      hook_event_name: 'PostToolUse',
      tool_response: {},
    });
    expectDenied(hook(advance), 'files have changed since the tests passed');
  });
});

describe('the state', () => {
  const file = () => `${project.rig.repo}/.isdlc/state.json`;
  const written = (change: (state: HostDocument) => HostDocument): HostDocument =>
    write(file(), JSON.stringify(change(project.stored() as HostDocument)));

  beforeEach(() => testing(FAILING));

  it.each([
    [
      'switches enforcement off',
      (state: HostDocument) => ({ ...state, iteration_enforcement: { enabled: false } }),
    ],
    ['ends the workflow', (state: HostDocument) => ({ ...state, active_workflow: null })],
    [
      'goes on without the gate',
      (state: HostDocument) => ({
        ...state,
        active_workflow: { type: 'feature', current_phase: '11-local-testing' },
      }),
    ],
  ])('is not written by an agent that %s', (_, change) =>
    expectDenied(project.hook(written(change)), 'STATE WRITE BLOCKED'),
  );

  it('is not written by an agent that gives up the branch', () => {
    const onBranch = (status: string) => inPhase(PHASE, { git_branch: { name: 'feature/x', status } });
    project.state(onBranch('active'));
    expectDenied(project.hook(written(() => onBranch('merged'))), 'STATE WRITE BLOCKED');
  });

  it('is not written by an agent that approves an escalation', () => {
    testing({ ...FAILING, status: 'escalated' });
    const before = '"status": "escalated"';
    expectDenied(
      project.hook(edit(file(), before, `${before}, "escalation_approved": true`)),
      'changes an approval',
    );
    const edits = [{ old_string: before, new_string: `${before}, "escalation_approved": true` }];
    const multi = {
      ...edit(file(), '', ''),
      tool_name: 'MultiEdit',
      tool_input: { file_path: file(), edits },
    };
    expectDenied(project.hook(multi), 'changes an approval');
  });

  it('may be written in all other ways, and read', () => {
    expectAllowed(project.hook(written((state) => ({ ...state, note: 'x' }))));
    expectAllowed(project.hook(edit(file(), '"in_progress"', '"completed"')));
    expectAllowed(project.hook(bash('jq . .isdlc/state.json')));
    expectAllowed(project.hook(bash('cat .isdlc/state.json | head -5')));
    expectAllowed(project.hook({ ...bash(''), tool_name: 'Read', tool_input: { file_path: file() } }));
  });

  it.each([
    'echo {} > .isdlc/state.json',
    "sed -i 's/true/false/' .isdlc/state.json",
    'echo x | tee .isdlc/state.json',
    `node -e "require('fs').writeFileSync('.isdlc/state.json', '{}')"`,
    'rm -rf .isdlc',
  ])('is not written by a shell: %s', (command) =>
    expectDenied(project.hook(bash(command)), 'STATE WRITE BLOCKED'),
  );

  it.each([
    [{ constitutional_validation: { completed: true, iterations_used: 0 } }, 'V1'],
    [
      { iteration_requirements: { interactive_elicitation: { completed: true, menu_interactions: 0 } } },
      'V2',
    ],
    [{ iteration_requirements: { test_iteration: { completed: true, current_iteration: 0 } } }, 'V3'],
  ])('that claims what was never done is told of: %j', (record, rule) => {
    project.state(inPhase(PHASE, {}, record));
    const ended = project.hook({ ...write(file(), ''), hook_event_name: 'PostToolUse', tool_response: {} });
    expect(told(ended)).toContain('[state-write-validator] WARNING: Suspicious state.json write detected.');
    expect(told(ended)).toContain(`Rule: ${rule}`);
  });
});

it('keeps what it does not know, in the order in which it stood', () => {
  const state = { zeta: { b: 1, a: [null] }, ...inPhase(PHASE), alpha: 'ä' };
  project.state(state);
  project.hook(bashed('npm test', 'Tests: 1 failed, 5 total', { session_id: SESSION }));
  expect(Object.keys(project.stored() as object).slice(0, 4)).toEqual([
    'zeta',
    'active_workflow',
    'phases',
    'alpha',
  ]);
  expect(project.stored()).toMatchObject({ zeta: state.zeta, alpha: 'ä' });
});
