import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { at, type HostDocument } from './rig';
import {
  bash,
  bashed,
  expectAllowed,
  expectDenied,
  inPhase,
  PLAN_FILE,
  STATE_FILE,
  task,
  tasked,
  told,
  type WorkflowProject,
  workflowProject,
  write,
} from './workflow-project';

/* The scenarios of the workflow's brief, each under its number, as a stranger would try them one by one. */

const PHASE = '06-implementation';
const BRANCH = { git_branch: { name: 'feature/x', status: 'active' } };
const go = task('software-developer', 'go');
let project: WorkflowProject;

beforeEach(() => {
  project = workflowProject();
});

afterEach(() => project.rig.remove());

function inState(state: unknown, event: HostDocument): ReturnType<WorkflowProject['hook']> {
  project.state(state);
  return project.hook(event);
}

const tests = (): unknown =>
  at(project.stored(), 'phases', PHASE, 'iteration_requirements', 'test_iteration');
const evidence = {
  constitutional_validation: { completed: true, status: 'compliant', iterations_used: 1 },
  iteration_requirements: {
    test_iteration: { completed: true, status: 'success', last_test_result: 'passed', current_iteration: 1 },
  },
};
const log = (agent: string, agent_phase: string): object => ({ skill_usage_log: [{ agent, agent_phase }] });
const advance = task('sdlc-orchestrator', 'advance the gate');

describe('order', () => {
  it('1 a later phase is out of order', () =>
    expectDenied(
      inState(inPhase('03-architecture'), go),
      'OUT-OF-ORDER',
      'Current phase: 03-architecture',
      PHASE,
    ));
  it('2 the current one is not', () =>
    expectAllowed(inState(inPhase('03-architecture'), task('solution-architect', 'draw it'))));
  it('3 an earlier one is', () =>
    expectDenied(inState(inPhase(PHASE), task('requirements-analyst', 'redo')), 'OUT-OF-ORDER'));
  it('4 an agent of no phase is not', () =>
    expectAllowed(inState(inPhase(PHASE), task('Explore', 'look at the parser'))));
  it('6 64-bit is no phase', () =>
    expectAllowed(inState(inPhase(PHASE), task('Explore', 'how does the 64-bit codec work'))));
  it('8 the tool may be called Agent', () =>
    expectDenied(inState(inPhase('03-architecture'), { ...go, tool_name: 'Agent' }), 'OUT-OF-ORDER'));
  it.each(['07-qa-engineer', 'QA', 'qa_engineer', 'team:qa-engineer'])(
    '9 one agent, many names: %s',
    (agent) => expectDenied(inState(inPhase(PHASE), task(agent, 'x')), 'OUT-OF-ORDER'),
  );
  it.each(['sdlc-orchestrator', 'discover-orchestrator'])('10 %s stands beside the phases', (agent) =>
    expectAllowed(inState(inPhase(PHASE), task(agent, 'x'))),
  );
  it('11 a phase has to be begun', () => {
    const status = (phases: object): object => ({ ...inPhase(PHASE), phases });
    expectDenied(
      inState(status({ [PHASE]: { status: 'pending' } }), go),
      'PROGRESS TRACKING',
      'status: pending',
    );
    expectAllowed(inState(status({ [PHASE]: { status: 'in_progress' } }), go));
    expectAllowed(inState(status({ [PHASE]: { status: 'completed' } }), go));
    expectDenied(inState(status({}), go), 'not set');
  });
  it('12 nothing is asked for without a workflow, a state or an event', () => {
    expectAllowed(inState({ active_workflow: null }, go));
    expectAllowed(inState(inPhase('03-architecture'), { ...go, tool_input: null }));
    for (const text of ['', '{oops'])
      expect(project.rig.hookText(text)).toMatchObject({ stdout: '', exitCode: 0 });
    rmSync(join(project.rig.repo, STATE_FILE));
    expectAllowed(project.hook(go));
  });
  it.each<[string, unknown, string]>([
    ['is cut off', '{"active_wor', 'is not valid JSON'],
    ['names no phase', { active_workflow: { type: 'feature' }, phases: {} }, 'names no current phase'],
    ['has a number for a phase', { active_workflow: { current_phase: 6 } }, 'names no current phase'],
    [
      'has only a word for a workflow',
      { active_workflow: 'feature' },
      'has an `active_workflow` that is not an object',
    ],
  ])('13 a state that %s is not silently passed', (_, state, why) => {
    expectDenied(inState(state, go), STATE_FILE, why);
    expectDenied(project.hook(advance), STATE_FILE);
    expectDenied(project.hook(bash('holdpoint flow advance')), STATE_FILE);
    expectAllowed(project.hook(task('Explore', 'look')));
    expectAllowed(project.hook(bash('holdpoint flow rollback 01-requirements')));
  });
});

describe('the plan', () => {
  beforeEach(() => {
    project.rig.remove();
    project = workflowProject({ plan: false });
  });

  it('14 is asked for', () =>
    expectDenied(
      inState(inPhase(PHASE), go),
      'TASK PLAN',
      `Expected path: ${project.rig.repo}/${PLAN_FILE}`,
    ));
  it.each([PLAN_FILE, '.isdlc/tasks.md'])('15 may be %s', (plan) => {
    project.rig.write(plan, 'x');
    expectAllowed(inState(inPhase(PHASE), go));
  });
  it('15 is not asked for before implementation', () =>
    expectAllowed(inState(inPhase('05-test-strategy'), task('test-design-engineer', 'go'))));
  it('16 is asked neither of a helper nor of a workflow that makes none', () => {
    expectAllowed(inState(inPhase(PHASE), task('Explore', 'look')));
    expectAllowed(
      inState(inPhase('11-local-testing', { type: 'test-run' }), task('environment-builder', 'run')),
    );
  });
  it('17 is that of the project in a monorepo', () => {
    const { rig } = project;
    const projects = { api: { path: 'apps/api' }, web: { path: 'apps/web' } };
    rig.write('.isdlc/monorepo.json', JSON.stringify({ default_project: 'api', projects }));
    rig.write('.isdlc/projects/api/state.json', JSON.stringify(inPhase(PHASE)));
    rig.write('.isdlc/projects/web/state.json', JSON.stringify(inPhase('01-requirements')));
    rig.write('apps/web/.keep', '');
    expectDenied(project.hook(go), 'docs/isdlc/projects/api/tasks.md');
    const ask = task('requirements-analyst', 'go');
    expectAllowed(project.hook({ ...ask, cwd: `${rig.repo}/apps/web` }));
    expectAllowed(project.hook(ask, { env: { ISDLC_PROJECT: 'web' } }));
  });
});

describe('the branch', () => {
  beforeEach(() => {
    project.rig.git('switch', '-q', '-c', 'main');
    project.state(inPhase(PHASE, BRANCH));
  });

  it.each([
    'git commit -m x',
    'git commit --amend',
    'npm test && git commit -m x',
    '/usr/bin/git commit',
    'env git commit',
  ])('18 main is not committed to: %s', (command) =>
    expectDenied(project.hook(bash(command)), 'COMMIT TO MAIN BLOCKED', 'main', 'feature/x'),
  );
  it('19 elsewhere and otherwise it is free', () => {
    const commit = bash('git commit -m x');
    expectAllowed(project.hook(bash('git push')));
    expectAllowed(inState(inPhase(PHASE, { git_branch: { name: 'feature/x', status: 'merged' } }), commit));
    expectAllowed(inState(inPhase(PHASE), commit));
    expectAllowed(inState({ active_workflow: null }, commit));
    project.rig.git('switch', '-q', '-c', 'feature/x');
    expectAllowed(inState(inPhase(PHASE, BRANCH), commit));
  });
  it.each([
    'git commit-tree X',
    'git commit-graph write',
    'echo "git commit"',
    '# git commit',
    'grep -r "git commit" docs',
    'cat <<EOF\ngit commit\nEOF',
    'git log --grep="git commit"',
  ])('21 is no commit: %s', (command) => expectAllowed(project.hook(bash(command))));
});

describe('gates', () => {
  it('23 failing tests keep the phase', () => {
    const test_iteration = {
      completed: false,
      last_test_result: 'failed',
      current_iteration: 2,
      max_iterations: 10,
      last_test_command: 'npm test',
      history: [{ error: 'boom' }],
    };
    const state = inPhase(PHASE, {}, { iteration_requirements: { test_iteration } });
    expectDenied(inState(state, task('x', 'advance to next phase')), 'iteration 2/10', 'boom', 'npm test');
    expect(at(project.stored(), 'pending_escalations', '0', 'type')).toBe('corridor_blocked');
  });
  it('25 so does an unchecked constitution', () => {
    const test_iteration = { completed: true, status: 'success' };
    const state = inPhase(PHASE, {}, { iteration_requirements: { test_iteration } });
    expectDenied(inState(state, task('x', 'proceed')), 'Articles [I, II,');
  });
  const indexed = (index: number): object => ({
    active_workflow: { type: 'feature', current_phase: PHASE, current_phase_index: index },
    phases: {},
  });
  it('26 a gate names all that is missing', () => {
    const ended = inState(indexed(6), advance);
    expectDenied(ended, 'test_iteration, constitutional_validation, agent_delegation');
    expect(at(project.stored(), 'phases', PHASE, 'gate_validation', 'status')).toBe('blocked');
  });
  it('27 a gate sees that index and phase differ', () =>
    expectDenied(inState(indexed(2), advance), "Expected phase '02-impact-analysis' at index 2"));
  it('28 a gate opens on full evidence', () => {
    expectAllowed(inState({ ...inPhase(PHASE, {}, evidence), ...log('software-developer', PHASE) }, advance));
    const cloud = { cloud_configuration: { provider: 'undecided' } };
    const state = {
      ...inPhase('07-testing', {}, evidence),
      ...log('integration-tester', '07-testing'),
      ...cloud,
    };
    expectAllowed(inState(state, advance));
    expect(at(project.stored(), 'pending_triggers', '0', 'trigger')).toBe('cloud_configuration');
  });
  it.each([
    [
      'tests that failed since',
      {
        iteration_requirements: {
          test_iteration: { completed: true, status: 'success', last_test_result: 'failed' },
        },
      },
    ],
    [
      'a constitution never checked',
      { constitutional_validation: { completed: true, status: 'compliant', iterations_used: 0 } },
    ],
  ])('29 a gate does not open on %s', (_, worse) => {
    const state = { ...inPhase(PHASE, {}, { ...evidence, ...worse }), ...log('software-developer', PHASE) };
    expectDenied(inState(state, advance), 'BLOCKED');
  });
  it('29 nor on a person who was never asked, nor on an approval that a tool writes', () => {
    const asked = { completed: true, final_selection: 'save', menu_interactions: 0 };
    const record = { ...evidence, iteration_requirements: { interactive_elicitation: asked } };
    const state = {
      ...inPhase('01-requirements', {}, record),
      ...log('requirements-analyst', '01-requirements'),
    };
    expectDenied(inState(state, advance), 'interactive_elicitation');
    const escalated = { status: 'escalated', completed: true };
    const phase = (more: object): object =>
      inPhase(PHASE, {}, { iteration_requirements: { test_iteration: { ...escalated, ...more } } });
    project.state(phase({}));
    const approved = JSON.stringify(phase({ escalation_approved: true }));
    expectDenied(project.hook(write(join(project.rig.repo, STATE_FILE), approved)), 'STATE WRITE BLOCKED');
  });
  it('30 the state is read freely and written by nobody', () => {
    const off = { ...inPhase(PHASE), iteration_enforcement: { enabled: false } };
    const file = join(project.rig.repo, STATE_FILE);
    expectDenied(inState(inPhase(PHASE), write(file, JSON.stringify(off))), 'STATE WRITE BLOCKED');
    expectAllowed(project.hook(bash('jq . .isdlc/state.json')));
    for (const command of [
      'echo {} > .isdlc/state.json',
      "sed -i 's/a/b/' .isdlc/state.json",
      'echo {} | tee .isdlc/state.json',
      `node -e "require('fs').writeFileSync('.isdlc/state.json','{}')"`,
    ]) {
      expectDenied(project.hook(bash(command)), 'STATE WRITE BLOCKED');
    }
  });
});

describe('records', () => {
  const failed = (count: number): HostDocument =>
    bashed('npm test', '', {
      tool_response: undefined,
      tool_result: `Tests: ${count} failed, 4 passed, 9 total`,
    });

  it('31 the same failure three times breaks the circuit, different ones do not', () => {
    project.state(inPhase(PHASE));
    for (let run = 0; run < 3; run++) project.hook(failed(1));
    expect(tests()).toMatchObject({
      completed: true,
      status: 'escalated',
      escalation_reason: 'circuit_breaker',
      identical_failure_count: 3,
    });
    project.state(inPhase(PHASE));
    for (const count of [1, 2, 3]) project.hook(failed(count));
    expect(tests()).toMatchObject({ completed: false, identical_failure_count: 1 });
  });
  it('33 a person may set the limits; elsewhere nothing is kept', () => {
    const iteration_config = { configured_at: '2026-01-01', testing_max: 2, circuit_breaker_threshold: 9 };
    project.state({ ...inPhase(PHASE), iteration_config });
    for (const count of [1, 2]) project.hook(failed(count));
    expect(tests()).toMatchObject({ status: 'escalated', escalation_reason: 'max_iterations' });
    for (const state of [
      { active_workflow: null },
      inPhase('03-architecture'),
      { ...inPhase(PHASE), iteration_enforcement: { enabled: false } },
    ]) {
      project.state(state);
      project.hook(failed(1));
      expect(project.stored()).toEqual(state);
    }
  });
  it.each([
    ['cat jest.config.js', undefined],
    ['npm i -D jest', undefined],
    ['git commit -m "fix pytest"', undefined],
    ['node --test', 1],
    ['./gradlew test', 1],
    ['bun test', 1],
    ['yarn run test', 1],
  ])('35 %s is tracked: %s', (command, iterations) => {
    inState(inPhase(PHASE), bashed(command, 'x'));
    expect(at(tests(), 'current_iteration')).toBe(iterations);
  });
  it.each([
    ['qa', 'qa-engineer', '08-code-review', 'observed', 'cross-phase-usage'],
    ['orchestrator', 'sdlc-orchestrator', 'all', 'executed', 'authorized-orchestrator'],
    ['Explore', 'explore', '', 'executed', 'allowed'],
  ])('37 %s is logged as %s', (given, agent, agent_phase, status, reason) => {
    inState(inPhase(PHASE), tasked(given, 'p', 'done'));
    expect(at(project.stored(), 'skill_usage_log', '0')).toMatchObject({
      agent,
      agent_phase,
      status,
      reason,
    });
  });
  it('38 a team is reminded of reviews', () => {
    const commit = bashed('git commit -m x', '');
    expect(told(inState({ code_review: { enabled: false, team_size: 2 } }, commit))).toContain('review');
    expectAllowed(project.hook(bashed('git push', '')));
    expectAllowed(inState({ code_review: { enabled: false, team_size: 1 } }, commit));
    expectAllowed(inState({ code_review: { enabled: true, team_size: 2 } }, commit));
  });
  it.each([
    ['a warning', { discovery_context: {} }, 'Done.', 'walkthrough'],
    ['a warning', { discovery_context: { walkthrough_completed: false } }, 'Done.', 'walkthrough'],
    ['nothing', { discovery_context: { walkthrough_completed: true } }, 'Done.', ''],
    ['nothing', {}, 'Done.', ''],
    ['nothing', {}, 'What now? [1] New Project [2] Existing Project [3] Chat / Explore', ''],
    [
      'a warning',
      {},
      'What now? [1] New Project [2] Existing Project [3] Scoped Analysis',
      'Scoped Analysis',
    ],
    [
      'a warning',
      {},
      'What would you like to do now? [1] New Project [2] Existing Project',
      'Chat / Explore',
    ],
    ['nothing', {}, '[1] New Project [2] Scoped Analysis', ''],
    [
      'nothing',
      {},
      `${'A report. '.repeat(6)}\n1. We auto-detect your stack.\n2. A new project was begun.`,
      '',
    ],
    [
      'nothing',
      {},
      'And now?\n[1] Re-discover (full)\n[2] Re-discover (incremental)\n[3] Chat / Explore',
      '',
    ],
  ])('40 discovery brings %s: %j %s', (_, state, result, text) => {
    const ended = inState(state, tasked('d0', 'x', result));
    if (text === '') expectAllowed(ended);
    else expect(told(ended)).toContain(text);
  });
});

describe('modes', () => {
  const denying: [string, unknown, HostDocument, string][] = [
    ['phase-sequence-guard', inPhase('03-architecture'), go, 'OUT-OF-ORDER'],
    ['phase-loop-controller', { ...inPhase(PHASE), phases: {} }, go, 'PROGRESS TRACKING'],
    ['gate-blocker', inPhase(PHASE), advance, 'GATE BLOCKED'],
    ['branch-guard', inPhase(PHASE, BRANCH), bash('git commit -m x'), 'COMMIT TO MAIN'],
    ['state-write-validator', inPhase(PHASE), bash('rm .isdlc/state.json'), 'STATE WRITE'],
  ];

  it.each(denying)('of %s', (rule, state, event, text) => {
    project.rig.git('switch', '-q', '-c', 'main');
    const heard = (mode: string): ReturnType<WorkflowProject['hook']> => {
      project.rig.write('.holdpoint/config.yaml', `workflow: {rules: {${rule}: {mode: ${mode}}}}\n`);
      project.state(state);
      return project.hook(event, { only: rule });
    };
    const decision = (mode: string): unknown =>
      at(heard(mode).json, 'hookSpecificOutput', 'permissionDecision');
    expectDenied(heard('deny'), text);
    expect(decision('ask')).toBe('ask');
    expect(decision('warn')).toBeUndefined();
    expect(told(heard('warn'))).toContain(text);
    expectAllowed(heard('observe'));
    expectAllowed(heard('disabled'));
    expect(project.stored()).toEqual(state);
  });

  it('SKILL_VALIDATOR_DEBUG shows what each rule thought, and changes nothing', () => {
    project.state(inPhase('03-architecture'));
    const debug = { env: { SKILL_VALIDATOR_DEBUG: 'true' } };
    const plain = project.hook(go);
    const shown = project.hook(go, debug);
    expect(at(shown.json, 'hookSpecificOutput', 'permissionDecision')).toBe('deny');
    expect(plain.stderr).not.toContain('[skill-validator]');
    expect(shown.stderr).toContain('[skill-validator] phase-sequence-guard: deny');
    expect(project.hook(go, { env: { SKILL_VALIDATOR_DEBUG: 'false' } }).stderr).not.toContain(
      '[skill-validator]',
    );
  });
});
