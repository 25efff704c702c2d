import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ended, HostDocument } from './rig';
import {
  bash,
  expectAllowed,
  expectDenied,
  inPhase,
  PLAN_FILE,
  skill,
  task,
  tasked,
  told,
  type WorkflowProject,
  workflowProject,
  write,
} from './workflow-project';

/*
 * The tests that the workflow's older program lists for its seven hooks, each under its number. Where it lists
 * what must not be (a broken state that lets everything pass, a test that asserts nothing) the name says how
 * it is here.
 */

const PHASE = '06-implementation';
let project: WorkflowProject;

beforeEach(() => {
  project = workflowProject();
});

afterEach(() => project.rig.remove());

/** What the one hook says to an event in a state; a text is written as it is, `undefined` not at all. */
function says(only: string, state: unknown, event: HostDocument): Ended {
  if (state !== undefined) project.state(state);
  const ended = project.hook(event, { only });
  expect(ended.exitCode).toBe(0);
  return ended;
}

function saysToText(only: string, text: string): Ended {
  project.state(inPhase('03-architecture'));
  const ended = project.rig.hookText(text, { env: { CLAUDE_PROJECT_DIR: project.rig.repo } });
  expect(ended, only).toMatchObject({ exitCode: 0, stdout: '' });
  return ended;
}

const pending = {
  active_workflow: { type: 'feature', current_phase: PHASE },
  phases: { [PHASE]: { status: 'pending' } },
};
const go = task('software-developer', 'go');

describe('phase-loop-controller', () => {
  const hook = 'phase-loop-controller';

  it('T01 blocks phase delegation when phase status is "pending"', () => {
    expectDenied(says(hook, pending, go), 'PROGRESS TRACKING', 'pending');
  });
  it('T02 blocks phase delegation when phases section is empty', () => {
    expectDenied(says(hook, { ...pending, phases: {} }, go), 'not set');
  });
  it('T03 allows phase delegation when phase status is "in_progress"', () => {
    expectAllowed(says(hook, inPhase(PHASE), go));
  });
  it('T04 allows non-phase-delegation Task calls', () => {
    expectAllowed(says(hook, pending, task('Explore', 'look around')));
  });
  it('T05 allows when active_workflow is null', () => {
    expectAllowed(says(hook, { ...pending, active_workflow: null }, go));
  });
  it('T06 allows when state.json is missing', () => {
    expectAllowed(says(hook, undefined, go));
  });
  it('T07 denies when state.json is malformed JSON, and names it', () => {
    expectDenied(says(hook, '{"active', go), 'state.json');
  });
  it('T08 allows when stdin is empty', () => {
    saysToText(hook, '');
  });
  it('T09 allows setup commands (discover), by their agent', () => {
    expectAllowed(says(hook, pending, task('discover-orchestrator', 'discover this project')));
    expectDenied(says(hook, pending, task('software-developer', 'discover this project')));
  });
  it('T10 correctly detects agent name variations', () => {
    for (const name of [
      'software-developer',
      'Developer',
      '05-software-developer',
      'software_developer',
      'x:developer',
    ]) {
      expectDenied(says(hook, pending, task(name, 'go')), 'software-developer');
    }
  });
  it('T11 denies when no manifest exists, by the built-in one', () => {
    expectDenied(says(hook, pending, go));
  });
  it('T12 exit code is always 0', () => {
    for (const state of [pending, '{', undefined]) expect(says(hook, state, go).exitCode).toBe(0);
  });
});

describe('plan-surfacer', () => {
  const hook = 'plan-surfacer';

  beforeEach(() => {
    project.rig.remove();
    project = workflowProject({ plan: false });
  });

  it('T01 blocks impl phase delegation when tasks.md missing', () => {
    expectDenied(says(hook, inPhase(PHASE), go), 'TASK PLAN NOT GENERATED:', PHASE);
  });
  it('T02 allows early phase delegation without tasks.md', () => {
    expectAllowed(says(hook, inPhase('03-architecture'), task('solution-architect', 'go')));
  });
  it('T03 allows all delegations when tasks.md exists', () => {
    project.rig.write(PLAN_FILE, 'x');
    for (const [phase, agent] of [
      [PHASE, 'developer'],
      ['07-testing', 'tester'],
      ['08-code-review', 'qa'],
    ]) {
      expectAllowed(says(hook, inPhase(phase ?? ''), task(agent ?? '', 'go')));
    }
  });
  it('T04 allows when state.json missing', () => {
    expectAllowed(says(hook, undefined, go));
  });
  it('T05 allows when active_workflow is null', () => {
    expectAllowed(says(hook, { active_workflow: null }, go));
  });
  it('T06 allows non-Task tool calls', () => {
    expectAllowed(says(hook, inPhase(PHASE), bash('ls')));
  });
  it('T07 blocks phase 06-implementation without tasks.md', () => {
    expectDenied(says(hook, inPhase(PHASE), go), `Expected path: ${project.rig.repo}/${PLAN_FILE}`);
  });
  it('T08 allows phase 05-test-strategy without tasks.md', () => {
    expectAllowed(says(hook, inPhase('05-test-strategy'), task('test-design-engineer', 'go')));
  });
  it('T09 handles monorepo tasks.md path', () => {
    const { rig } = project;
    rig.write(
      '.isdlc/monorepo.json',
      JSON.stringify({ default_project: 'api', projects: { api: { path: 'apps/api' } } }),
    );
    rig.write('.isdlc/projects/api/state.json', JSON.stringify(inPhase(PHASE)));
    expectDenied(says(hook, undefined, go), 'docs/isdlc/projects/api/tasks.md');
    rig.write('docs/isdlc/projects/api/tasks.md', 'x');
    expectAllowed(says(hook, undefined, go));
  });
  it('T10 exit code is always 0', () => {
    for (const state of [inPhase(PHASE), '{', undefined]) expect(says(hook, state, go).exitCode).toBe(0);
  });
});

describe('phase-sequence-guard', () => {
  const hook = 'phase-sequence-guard';
  const early = inPhase('03-architecture');

  it('T01 blocks delegation to wrong phase', () => {
    expectDenied(says(hook, early, go), 'OUT-OF-ORDER PHASE DELEGATION:');
  });
  it('T02 allows delegation to correct current_phase', () => {
    expectAllowed(says(hook, inPhase(PHASE), go));
  });
  it('T03 allows non-phase-delegation Task calls', () => {
    expectAllowed(says(hook, early, task('general-purpose', 'look at 06-implementation notes')));
  });
  it('T04 allows when no active workflow', () => {
    expectAllowed(says(hook, { phases: {} }, go));
  });
  it('T05 allows when state.json missing', () => {
    expectAllowed(says(hook, undefined, go));
  });
  it('T06 denies when state.json malformed, and names it', () => {
    expectDenied(says(hook, '{', go), 'state.json');
  });
  it('T07 allows setup agents, and no others for words of setup', () => {
    expectAllowed(says(hook, early, task('discover-orchestrator', 'setup')));
    expectDenied(says(hook, early, task('software-developer', 'setup, init and configure')));
  });
  it('T08 detects agent name from subagent_type', () => {
    expectDenied(says(hook, early, task('qa-engineer', 'x')), 'Target phase:  08-code-review');
  });
  it('T09 detects phase from prompt text, where no agent is named', () => {
    const unnamed = { tool_input: { prompt: 'Phase 06-implementation: build it', description: '' } };
    expectDenied(says(hook, early, { ...go, ...unnamed }), 'Target phase:  06-implementation');
    const tagged = { tool_input: { prompt: 'Build it.\nphase: 07-testing', description: '' } };
    expectDenied(says(hook, early, { ...go, ...tagged }), 'Target phase:  07-testing');
    const prose = { tool_input: { prompt: 'Look.\nIt was said in 06-implementation.', description: '' } };
    expectAllowed(says(hook, early, { ...go, ...prose }));
  });
  it('T10 denies when manifest is missing, by the built-in one', () => {
    expectDenied(says(hook, early, go));
  });
  it('T11 block message contains both current and target phase', () => {
    expectDenied(says(hook, early, go), 'Current phase: 03-architecture', 'Target phase:  06-implementation');
  });
  it('T12 exit code is always 0', () => {
    for (const state of [early, '{', undefined]) expect(says(hook, state, go).exitCode).toBe(0);
  });
});

describe('branch-guard', () => {
  const hook = 'branch-guard';
  const active = inPhase(PHASE, { git_branch: { name: 'feature/x', status: 'active' } });
  const commit = bash('git commit -m x');

  beforeEach(() => project.rig.git('switch', '-q', '-c', 'main'));

  it('T01 blocks git commit on main with active branch', () => {
    expectDenied(says(hook, active, commit), 'COMMIT TO MAIN BLOCKED:');
  });
  it('T02 blocks git commit on master with active branch', () => {
    project.rig.git('branch', '-m', 'master');
    expectDenied(says(hook, active, commit), 'master');
  });
  it('T03 allows git commit on feature branch', () => {
    project.rig.git('switch', '-q', '-c', 'feature/x');
    expectAllowed(says(hook, active, commit));
  });
  it('T04 allows git commit when no active workflow', () => {
    expectAllowed(says(hook, { active_workflow: null }, commit));
  });
  it('T05 allows git commit when no git_branch in workflow', () => {
    expectAllowed(says(hook, inPhase(PHASE), commit));
  });
  it('T06 allows git commit when git_branch.status is not "active"', () => {
    expectAllowed(
      says(hook, inPhase(PHASE, { git_branch: { name: 'feature/x', status: 'merged' } }), commit),
    );
  });
  it('T07 allows non-git-commit bash commands', () => {
    for (const command of ['ls', 'git status', 'npm test']) expectAllowed(says(hook, active, bash(command)));
  });
  it('T08 allows git push (not commit)', () => {
    expectAllowed(says(hook, active, bash('git push')));
  });
  it('T09 allows when state.json missing', () => {
    expectAllowed(says(hook, undefined, commit));
  });
  it('T10 denies on a branch without a commit, where git itself cannot tell its name', () => {
    project.rig.git('switch', '-q', '--orphan', 'master');
    expectDenied(says(hook, active, commit), 'master');
  });
  it('T11 detects git commit --amend', () => {
    expectDenied(says(hook, active, bash('git commit --amend --no-edit')));
  });
  it('T12 detects git commit in chained commands', () => {
    expectDenied(says(hook, active, bash('npm test && git add . ; git commit -m "x"')));
  });
  it('T13 block message contains branch name', () => {
    expectDenied(says(hook, active, commit), 'Current branch: main', 'Expected branch: feature/x');
  });
  it('T14 exit code is always 0', () => {
    for (const state of [active, '{', undefined]) expect(says(hook, state, commit).exitCode).toBe(0);
  });
});

describe('state-write-validator', () => {
  const hook = 'state-write-validator';
  const file = (path = '.isdlc/state.json') => `${project.rig.repo}/${path}`;
  const done = (path?: string): HostDocument => {
    return { ...write(file(path), ''), hook_event_name: 'PostToolUse', tool_response: 'ok' };
  };
  const record = (constitution: object, elicitation: object, tests: object): HostDocument =>
    inPhase(
      PHASE,
      {},
      {
        constitutional_validation: constitution,
        iteration_requirements: { interactive_elicitation: elicitation, test_iteration: tests },
      },
    );
  const fake = record({ completed: true, iterations_used: 0 }, {}, {});
  const warning = 'Suspicious state.json write detected';

  it('T01 detects state.json write (single-project path)', () => {
    expect(told(says(hook, fake, done()))).toContain(`Path: ${file()}`);
  });
  it('T02 detects state.json write (monorepo path)', () => {
    project.rig.write('.isdlc/projects/api/state.json', JSON.stringify(fake));
    expect(told(says(hook, {}, done('.isdlc/projects/api/state.json')))).toContain(warning);
  });
  it('T03 warns on fake constitutional_validation', () => {
    expect(told(says(hook, fake, done()))).toContain(
      'constitutional_validation.completed is true but iterations_used is 0',
    );
  });
  it('T04 warns on fake interactive_elicitation', () => {
    const state = record({}, { completed: true, menu_interactions: 0 }, {});
    expect(told(says(hook, state, done()))).toContain('menu_interactions is 0');
  });
  it('T05 warns on fake test_iteration', () => {
    const state = record({}, {}, { completed: true, current_iteration: 0 });
    expect(told(says(hook, state, done()))).toContain('current_iteration is 0');
  });
  it('T06 silent on valid constitutional_validation', () => {
    expectAllowed(says(hook, record({ completed: true, iterations_used: 2 }, {}, {}), done()));
  });
  it('T07 silent on valid interactive_elicitation', () => {
    expectAllowed(says(hook, record({}, { completed: true, menu_interactions: 3 }, {}), done()));
  });
  it('T08 silent on valid test_iteration', () => {
    expectAllowed(says(hook, record({}, {}, { completed: true, current_iteration: 1 }), done()));
  });
  it('T09 never blocks what has been written', () => {
    expect(says(hook, fake, done()).stdout).not.toMatch(/"decision"|permissionDecision/);
  });
  it('T10 silent on non-state.json writes', () => {
    project.rig.write('foo.isdlc/state.json', JSON.stringify(fake));
    project.rig.write('.isdlc/other.json', JSON.stringify(fake));
    expectAllowed(says(hook, fake, done('foo.isdlc/state.json')));
    expectAllowed(says(hook, fake, done('.isdlc/other.json')));
  });
  it('T11 silent where the file cannot be read', () => {
    expectAllowed(says(hook, '{', done()));
    expectAllowed(says(hook, fake, done('.isdlc/projects/none/state.json')));
  });
  it('T12 silent on malformed stdin', () => {
    saysToText(hook, '{oops');
  });
  it('T13 handles Windows-style separators in a path', () => {
    const event = {
      ...done(),
      tool_input: { file_path: `${project.rig.repo}/.isdlc\\state.json`, content: '' },
    };
    project.rig.write('.isdlc\\state.json', JSON.stringify(fake));
    expect(told(says(hook, {}, event))).toContain(warning);
  });
  it('T14 exit code is always 0', () => {
    for (const state of [fake, '{', {}]) expect(says(hook, state, done()).exitCode).toBe(0);
  });
});

describe('walkthrough-tracker', () => {
  const hook = 'walkthrough-tracker';
  const done = tasked('discover-orchestrator', 'x', 'Discovery is complete.');
  const warning = 'Discovery completed without constitution walkthrough';

  it('T01 detects discover orchestrator completion', () => {
    for (const name of ['discover-orchestrator', 'd0', 'Discovery']) {
      const ended = says(
        hook,
        { discovery_context: {} },
        tasked(name, 'x', [{ type: 'text', text: 'Done.' }]),
      );
      expect(told(ended)).toContain(warning);
    }
  });
  it('T02 warns when walkthrough_completed is false', () => {
    expect(told(says(hook, { discovery_context: { walkthrough_completed: false } }, done))).toContain(
      warning,
    );
  });
  it('T03 warns when walkthrough_completed is missing', () => {
    expect(told(says(hook, { discovery_context: { other: 1 } }, done))).toContain(warning);
  });
  it('T04 silent when walkthrough_completed is true', () => {
    expectAllowed(says(hook, { discovery_context: { walkthrough_completed: true } }, done));
  });
  it('T05 silent on non-discover Task calls', () => {
    expectAllowed(says(hook, { discovery_context: {} }, tasked('Explore', 'discover', 'done')));
  });
  it('T06 silent where state.json cannot be read', () => {
    expectAllowed(says(hook, '{', done));
  });
  it('T07 silent on malformed stdin', () => {
    saysToText(hook, 'nonsense');
  });
  it('T08 silent on empty stdin', () => {
    saysToText(hook, '');
  });
  it('T09 silent when no discovery_context exists', () => {
    expectAllowed(says(hook, {}, done));
  });
  it('T10 exit code is always 0', () => {
    for (const state of [{ discovery_context: {} }, '{', undefined])
      expect(says(hook, state, done).exitCode).toBe(0);
  });
});

describe('discover-menu-guard', () => {
  const hook = 'discover-menu-guard';
  const old =
    'What shall we do?\n[1] New Project\n[2] Existing Project\n[3] Scoped Analysis\n[4] Auto-detect\n';
  const right = 'What shall we do?\n[1] New Project\n[2] Existing Project\n[3] Chat / Explore\n';
  const shown = (text: string) => tasked('discover-orchestrator', 'x', text);
  const warning = 'Incorrect discover menu detected';

  it('T01 detects discover Task delegation', () => {
    expect(told(says(hook, {}, shown(old)))).toContain(warning);
    expect(told(says(hook, {}, { ...shown(old), tool_name: 'Agent' }))).toContain(warning);
  });
  it('T02 warns when old 4-option menu detected', () => {
    expect(told(says(hook, {}, shown(old)))).toContain('Found removed options: Scoped Analysis, Auto-detect');
  });
  it('T03 warns when "Scoped Analysis" option present', () => {
    expect(told(says(hook, {}, shown(`${right}[4] Scoped Analysis`)))).toContain('Scoped Analysis');
  });
  it('T04 silent when correct 3-option menu detected', () => {
    expectAllowed(says(hook, {}, shown(right)));
  });
  it('T05 silent on non-discover Task calls', () => {
    expectAllowed(says(hook, {}, tasked('Explore', 'x', old)));
  });
  it('T06 silent on malformed stdin', () => {
    saysToText(hook, '{"a":');
  });
  it('T07 silent on empty stdin', () => {
    saysToText(hook, ' ');
  });
  it('T08 silent when output is too short for menu', () => {
    expectAllowed(says(hook, {}, shown('[1] New Project [2] Scoped Analysis')));
  });
  it('T09 handles menu text in tool_result vs tool_input', () => {
    const { tool_response: _, ...bare } = shown('');
    expect(told(says(hook, {}, { ...bare, tool_result: old }))).toContain(warning);
    expect(told(says(hook, {}, tasked('discover-orchestrator', old, 'The person chose one.')))).toContain(
      warning,
    );
  });
  it('T10 exit code is always 0', () => {
    for (const state of [{}, '{', undefined]) expect(says(hook, state, shown(old)).exitCode).toBe(0);
  });
});

/* The tests that it lists for telling delegations apart, as they are corrected here. */
describe('phase detection', () => {
  const without = (prompt: string): HostDocument => task('', prompt);

  it('detectPhaseDelegation with known agent name in subagent_type', () => {
    expectDenied(says('phase-sequence-guard', inPhase(PHASE), task('qa-engineer', 'x')), '08-code-review');
  });
  it('detectPhaseDelegation with agent name in prompt text: words are no delegation', () => {
    expectAllowed(says('phase-sequence-guard', inPhase(PHASE), without('Ask the qa-engineer about it')));
  });
  it('detectPhaseDelegation with phase pattern in text: only first line or tag, only without an agent', () => {
    const hook = 'phase-sequence-guard';
    expectDenied(says(hook, inPhase(PHASE), without('Phase 08-code-review')), '08-code-review');
    expectDenied(says(hook, inPhase(PHASE), without('Go on.\nphase: 08-code-review')), '08-code-review');
    expectAllowed(says(hook, inPhase(PHASE), without('Go on.\nThen comes 08-code-review.')));
    expectAllowed(says(hook, inPhase(PHASE), task('Explore', 'Phase 08-code-review')));
  });
  it('detectPhaseDelegation returns false for non-delegation', () => {
    expectAllowed(says('phase-sequence-guard', inPhase(PHASE), task('Explore', 'look around')));
    expectAllowed(says('phase-sequence-guard', inPhase(PHASE), bash('echo qa-engineer')));
  });
  it('detectPhaseDelegation returns false for setup commands: by the kind of agent', () => {
    for (const agent of ['discover-orchestrator', 'd1', 'constitution-generator', 'sdlc-orchestrator']) {
      expectAllowed(says('phase-sequence-guard', inPhase(PHASE), task(agent, 'x')));
    }
  });
  it('isSetupCommand recognizes all keywords: as exact commands', () => {
    for (const args of ['discover', 'constitution', 'init', 'setup', 'configure', 'status']) {
      expectAllowed(says('gate-blocker', inPhase(PHASE), skill('sdlc', args)));
    }
  });
  it('isSetupCommand returns false for normal text', () => {
    for (const args of ['advance', 'advance --status', 'gate the initial setup']) {
      expectDenied(says('gate-blocker', inPhase(PHASE), skill('sdlc', args)), 'GATE BLOCKED');
    }
  });
  it('detectPhaseDelegation with missing manifest: the built-in one serves', () => {
    expectDenied(says('phase-sequence-guard', inPhase(PHASE), task('qa-engineer', 'x')), 'OUT-OF-ORDER');
  });
});
