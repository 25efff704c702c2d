import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SESSION } from './events';
import { at, deniedBecause, heldBecause } from './rig';
import {
  bash,
  bashed,
  bashFailed,
  edit,
  expectAllowed,
  expectDenied,
  inPhase,
  PLAN_FILE,
  STATE_FILE,
  skill,
  skilled,
  stop,
  task,
  tasked,
  told,
  type WorkflowProject,
  workflowProject,
  write,
} from './workflow-project';

/* What went wrong in the workflow's older program, each problem under its number, and that it does not here. */

const PHASE = '06-implementation';
const BRANCH = { git_branch: { name: 'feature/x', status: 'active' } };
let project: WorkflowProject;

beforeEach(() => {
  project = workflowProject();
});

afterEach(() => project.rig.remove());

const file = (): string => join(project.rig.repo, STATE_FILE);
const tests = (): unknown =>
  at(project.stored(), 'phases', PHASE, 'iteration_requirements', 'test_iteration');
const asks = (command: string): void =>
  expect(at(project.hook(bash(command)).json, 'hookSpecificOutput', 'permissionDecision'), command).toBe(
    'ask',
  );

describe('the host', () => {
  it.each([
    ['tool_response', { tool_response: { stdout: 'Tests: 5 passed, 5 total', stderr: '' } }],
    ['tool_response as a text', { tool_response: 'Tests: 5 passed, 5 total' }],
    ['tool_result', { tool_response: undefined, tool_result: 'Tests: 5 passed, 5 total' }],
  ])('B-01 a result is read from %s', (_, result) => {
    project.state(inPhase(PHASE));
    project.hook(bashed('npm test', '', result));
    expect(tests()).toMatchObject({ last_test_result: 'passed', completed: true });
  });

  it('B-01 an agent that answers in parts is read too', () => {
    project.state({ discovery_context: {} });
    const parts = { content: [{ type: 'text', text: 'All done.' }] };
    expect(told(project.hook(tasked('d0', 'x', parts)))).toContain('walkthrough');
  });

  it('B-02 a refusal goes to the model and does not end its turn', () => {
    project.state(inPhase('03-architecture'));
    const { json } = project.hook(task('software-developer', 'go'));
    expect(json).not.toHaveProperty('continue');
    expect(json).not.toHaveProperty('stopReason');
    expect(at(json, 'hookSpecificOutput', 'hookEventName')).toBe('PreToolUse');
  });

  it('B-03 one process hears every rule, and leaves one whole file', () => {
    const failing = { completed: false, last_test_result: 'failed', current_iteration: 1 };
    project.state(inPhase(PHASE, {}, { iteration_requirements: { test_iteration: failing } }));
    const claim = 'The implementation phase is complete. Advance to the next phase.';
    expectDenied(
      project.hook(task('sdlc-orchestrator', claim)),
      'ITERATION CORRIDOR',
      'Also: GATE BLOCKED',
      'Also: PHASE',
    );
    expect(at(project.stored(), 'pending_escalations')).toHaveLength(3);
  });

  it('B-04 no text takes longer than the deadline that is our own', { timeout: 60_000 }, () => {
    project.state(inPhase(PHASE, BRANCH));
    const before = Date.now();
    project.hook(bash('rm '.repeat(50_000)));
    project.hook(bash(`git${'\n'.repeat(50_000)}x`));
    project.hook(task('general-purpose', `and${'\t\n'.repeat(50_000)}`));
    project.state(inPhase(PHASE));
    project.hook(bashed('npm test', `${'\n'.repeat(100_000)}${'1'.repeat(100_000)}`));
    expect(Date.now() - before).toBeLessThan(4 * 6000);
    expect(tests()).toMatchObject({ current_iteration: 1 });
  });

  it.each(['Task', 'Agent'])('B-05 a delegation is one under the name %s', (tool_name) => {
    project.state(inPhase('03-architecture'));
    expectDenied(project.hook(task('software-developer', 'go', { tool_name })), 'OUT-OF-ORDER');
    project.hook(tasked('solution-architect', 'go', 'done', { tool_name }));
    expect(at(project.stored(), 'skill_usage_log')).toHaveLength(1);
  });

  it('B-06 a run that ends with another code than 0 is a failed one', () => {
    project.state(inPhase(PHASE));
    expect(told(project.hook(bashFailed('npm test', 'Exit code 1\nTests: 1 failed, 5 total')))).toContain(
      'TESTS FAILED',
    );
    expect(tests()).toMatchObject({ last_test_result: 'failed', failures_count: 1 });
  });

  it('B-07 what is to be told is told: to the model, to the person, or to both', () => {
    project.state(inPhase(PHASE));
    const run = project.hook(bashed('npm test', 'Tests: 5 passed, 5 total'));
    expect(at(run.json, 'hookSpecificOutput', 'additionalContext')).toContain('TESTS PASSED');
    project.state({ code_review: { enabled: false, team_size: 2 } });
    expect(at(project.hook(bashed('git commit -m x', '')).json, 'systemMessage')).toContain('review');
    project.state({ discovery_context: {} });
    const { json } = project.hook(tasked('d0', 'x', 'All done.'));
    expect(at(json, 'systemMessage')).toContain('walkthrough');
    expect(at(json, 'hookSpecificOutput', 'additionalContext')).toContain('walkthrough');
    expect(
      at(project.hook(skilled('sdlc', 'feature x')).json, 'hookSpecificOutput', 'additionalContext'),
    ).toContain('MANDATORY DELEGATION REQUIRED');
  });

  it('B-08 a stop is held once, never in a loop', () => {
    project.state({ active_workflow: null });
    project.hook(skilled('sdlc', 'feature x'));
    heldBecause(project.hook(stop()));
    for (let turn = 0; turn < 3; turn++) {
      const { json } = project.hook(stop(true));
      expect(at(json, 'decision')).toBeUndefined();
    }
  });
});

describe('phases and config', () => {
  const everyPhase: [string, string, string][] = [
    ['full-lifecycle', '12-remote-build', 'environment-builder'],
    ['full-lifecycle', '13-test-deploy', 'deployment-engineer-staging'],
    ['full-lifecycle', '14-production', 'release-manager'],
    ['full-lifecycle', '15-operations', 'site-reliability-engineer'],
    ['upgrade', '16-upgrade-plan', 'upgrade-engineer'],
    ['upgrade', '16-upgrade-execute', '14-upgrade-engineer'],
    ['reverse-engineer', 'R2-characterization-tests', 'characterization-test-generator'],
  ];

  it.each(everyPhase)('B-12 in %s the phase %s can be delegated to %s', (type, phase, agent) => {
    project.state(inPhase(phase, { type }));
    expectAllowed(project.hook(task(agent, 'go')));
  });

  it('B-13 what a workflow asks for differently is asked for differently', () => {
    project.rig.write(
      '.isdlc/config/iteration-requirements.json',
      JSON.stringify({
        phase_requirements: { '07-testing': { test_iteration: { enabled: true, max_iterations: 10 } } },
        workflow_overrides: { 'test-run': { '06-testing': { test_iteration: { max_iterations: 1 } } } },
      }),
    );
    project.state(inPhase('07-testing', { type: 'test-run' }));
    project.hook(bashed('npm test', 'Tests: 1 failed, 5 total'));
    const run = at(project.stored(), 'phases', '07-testing', 'iteration_requirements', 'test_iteration');
    expect(run).toMatchObject({ status: 'escalated', escalation_reason: 'max_iterations' });
  });

  it('B-14 a plan is asked for where one is made, and only of who does the work', () => {
    project.rig.remove();
    project = workflowProject({ plan: false });
    project.state(inPhase(PHASE));
    expectAllowed(project.hook(task('Explore', 'look')));
    expectDenied(project.hook(task('software-developer', 'go')), 'TASK PLAN');
    project.rig.write(PLAN_FILE, '');
    expectDenied(project.hook(task('software-developer', 'go')), 'TASK PLAN', 'empty');
    for (const [type, phase, agent] of [
      ['test-run', '07-testing', 'integration-tester'],
      ['upgrade', '16-upgrade-execute', 'upgrade-engineer'],
      ['test-generate', PHASE, 'software-developer'],
      ['reverse-engineer', 'R3-artifact-integration', 'artifact-integration'],
    ] as const) {
      project.state(inPhase(phase, { type }));
      expectAllowed(project.hook(task(agent, 'go')));
    }
  });
});

describe('delegations', () => {
  it.each([
    'Review the initial commit',
    'HTTP status handling',
    'Check installed packages',
    'initialisation',
    'setup.py',
    'discoverability',
    'reinitialize',
    'initiative',
    'configure it for the constitution',
  ])('B-19 words of setup open nothing: %s', (prompt) => {
    project.state(inPhase('03-architecture'));
    expectDenied(project.hook(task('software-developer', prompt)), 'OUT-OF-ORDER');
  });

  it('B-19 nor do they in an order or a command', () => {
    project.state(inPhase(PHASE));
    expectDenied(project.hook(task('sdlc-orchestrator', 'Advance; current status is fine')), 'GATE BLOCKED');
    expectDenied(project.hook(skill('sdlc', 'advance --status')), 'GATE BLOCKED');
    expectAllowed(project.hook(skill('sdlc', 'status')));
  });

  it.each([
    'how does the 64-bit codec work',
    'a 24-hour clock',
    'read 10-minute-timer.ts',
    'apply 20240115-add-users.sql',
    'decode utf-16-le',
    'read docs/05-test-strategy.md',
  ])('B-20 a number with a word is no phase: %s', (prompt) => {
    project.state(inPhase(PHASE));
    expectAllowed(project.hook(task('general-purpose', prompt)));
    expectAllowed(project.hook({ ...task('', prompt) }));
  });

  it('B-21 an agent in prose is no delegation to it', () => {
    project.state(inPhase(PHASE));
    expectAllowed(project.hook(task('general-purpose', 'Write a text about the qa-engineer role')));
    expectAllowed(project.hook(task('Explore', 'requirements-analyst')));
  });
});

describe('tests, gates, corridors', () => {
  it('B-24 a pass is taken back by a later edit, a later failure, and a change that nobody reported', () => {
    const lacks = (): string =>
      deniedBecause(
        project.hook(task('sdlc-orchestrator', 'advance the gate'), { only: 'gate-blocker' }),
      ).split('\n')[1] ?? '';
    project.state(inPhase(PHASE));
    project.rig.write('a.ts', '1');
    const pass = bashed('npm test', 'Tests: 5 passed, 5 total');
    project.hook(pass);
    expect(lacks()).not.toContain('test_iteration');
    const edited = edit(join(project.rig.repo, 'a.ts'), 'a', 'b');
    project.hook({ ...edited, hook_event_name: 'PostToolUse', tool_response: {} });
    expect(lacks()).toContain('test_iteration');
    project.hook(pass);
    expect(lacks()).not.toContain('test_iteration');
    project.rig.write('a.ts', '2');
    expect(lacks()).toContain('test_iteration');
    project.hook(pass);
    project.hook(bashFailed('npm test', 'Exit code 1\nTests: 1 failed, 5 total'));
    expect(tests()).toMatchObject({ completed: false, last_test_result: 'failed' });
    expect(lacks()).toContain('test_iteration');
    expectDenied(project.hook(task('x', 'advance to the next phase')), 'ITERATION CORRIDOR');
  });

  it.each([
    ['pytest', '5 passed in 0.03s'],
    ['cargo test', 'test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out'],
    ['go test ./...', 'ok  \texample.com/a\t0.003s'],
    ['phpunit', 'OK (5 tests, 7 assertions)'],
    ['dotnet test', 'Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5'],
    ['npx playwright test', '  5 passed (3.2s)'],
    ['node --test', '# pass 5\n# fail 0'],
  ])('B-25 a passing run passes: %s', (command, output) => {
    project.state(inPhase(PHASE));
    project.hook(bashed(command, output));
    expect(tests()).toMatchObject({ last_test_result: 'passed' });
  });

  it.each([
    ['marks of both kinds', 'node --test', '\u2714 a\n\u2716 b\n\u2139 pass 1\n\u2139 fail 1'],
    [
      'a first part without failures',
      'npm test',
      'Tests: 0 failed, 5 passed, 5 total\nTests: 2 failed, 3 total',
    ],
    ['a mark before a crash', 'npx mocha', '\u2714 a\n1 passing\nError: hook crashed'],
  ])('B-25 a failing run fails: %s', (_, command, output) => {
    project.state(inPhase(PHASE));
    project.hook(bashFailed(command, `Exit code 1\n${output}`));
    expect(tests()).toMatchObject({ last_test_result: 'failed' });
  });

  it.each([
    'cat jest.config.js',
    'npm install -D jest',
    'grep -rn pytest .',
    'git commit -m "fix pytest"',
    'echo latest majesty',
  ])('B-26 is no run of tests: %s', (command) => {
    project.state(inPhase(PHASE));
    project.hook(bashed(command, '1 failed'));
    expect(tests()).toBeUndefined();
  });

  it.each([
    'node --test',
    'npm t',
    'bun test',
    'deno test',
    'make test',
    './gradlew test',
    'yarn run test',
    'python -m unittest',
    'mix test',
    'ctest',
    'bazel test //...',
    'nx test',
    'turbo run test',
    'npm --prefix app test',
  ])('B-26 is a run of tests: %s', (command) => {
    project.state(inPhase(PHASE));
    project.hook(bashFailed(command, 'Exit code 1'));
    expect(tests()).toMatchObject({ current_iteration: 1 });
  });

  it('B-27 a corridor is left by orders, not by words that look like one', () => {
    const failing = { completed: false, last_test_result: 'failed', current_iteration: 1 };
    project.state(inPhase(PHASE, {}, { iteration_requirements: { test_iteration: failing } }));
    for (const words of [
      'investigate the failing test',
      'navigate to src',
      'aggregate',
      'an advanced case',
    ]) {
      expectAllowed(project.hook(task('general-purpose', words)));
    }
    expectDenied(project.hook(task('sdlc-orchestrator', 'Advance and show status')), 'ITERATION CORRIDOR');
  });

  it('B-28 a gate is a gate, by whatever it is to be passed', () => {
    project.state(inPhase(PHASE));
    expectDenied(project.hook(task('sdlc-orchestrator', 'advance to next phase')), 'GATE BLOCKED');
    expectDenied(project.hook(bash('holdpoint flow advance')), 'GATE BLOCKED');
    expectDenied(project.hook(skill('/sdlc', 'advance')), 'GATE BLOCKED');
    expectDenied(project.hook(bash("sed -i 's/06/07/' .isdlc/state.json")), 'STATE WRITE BLOCKED');
    const moved = inPhase('08-code-review');
    expectDenied(project.hook(write(file(), JSON.stringify(moved))), 'STATE WRITE BLOCKED');
  });

  it.each([
    ['switches enforcement off', { iteration_enforcement: { enabled: false } }],
    ['ends the workflow', { active_workflow: null }],
    [
      'gives up the branch',
      {
        active_workflow: {
          type: 'feature',
          current_phase: PHASE,
          git_branch: { name: 'feature/x', status: 'merged' },
        },
      },
    ],
    [
      'approves an escalation',
      {
        phases: {
          [PHASE]: {
            status: 'in_progress',
            iteration_requirements: { test_iteration: { status: 'escalated', escalation_approved: true } },
          },
        },
      },
    ],
  ])('B-29 nobody approves their own work: a write that %s', (_, change) => {
    const state = inPhase(PHASE, BRANCH);
    project.state(state);
    const text = JSON.stringify({ ...state, ...change });
    expectDenied(project.hook(write(file(), text)), 'STATE WRITE BLOCKED');
    const whole = readFileSync(file(), 'utf8');
    expectDenied(project.hook(edit(file(), whole, text)), 'STATE WRITE BLOCKED');
    const edits = [{ old_string: whole, new_string: text }];
    const multi = {
      ...edit(file(), '', ''),
      tool_name: 'MultiEdit',
      tool_input: { file_path: file(), edits },
    };
    expectDenied(project.hook(multi), 'STATE WRITE BLOCKED');
    expectDenied(project.hook(bash(`echo '${text}' > .isdlc/state.json`)), 'STATE WRITE BLOCKED');
  });
});

describe('the branch', () => {
  beforeEach(() => {
    project.rig.git('switch', '-q', '-c', 'main');
    project.state(inPhase(PHASE, BRANCH));
  });

  it.each([
    'git commit-tree X',
    'git commit-graph write',
    'echo "git commit"',
    '# git commit',
    'grep "git commit" docs',
    'cat <<EOF\ngit commit\nEOF',
    'git log --grep="git commit"',
    'git commit --dry-run',
    'git commit -h',
  ])('B-34 is no commit: %s', (command) => expectAllowed(project.hook(bash(command))));

  it('B-35 is a commit however it is written', () => {
    for (const command of [
      'git -C . commit -m x',
      'git -c k=v commit -m x',
      'git --no-pager commit -m x',
      'git "commit" -m x',
      'git \\\n commit -m x',
      'git merge feature/x',
      'git cherry-pick abc',
      'git revert HEAD',
      'git rebase feature/x',
      'git am x.patch',
      'git push origin HEAD:main',
    ]) {
      expectDenied(project.hook(bash(command)), 'COMMIT TO MAIN BLOCKED');
    }
    asks('git ci -m x');
    project.rig.git('config', 'alias.ci', 'commit');
    expectDenied(project.hook(bash('git ci -m x')), 'COMMIT TO MAIN BLOCKED');
    for (const command of ['$g commit -m x', 'gh pr merge 3']) asks(command);
  });

  it('B-36 the branch is that at the commit, in the directory of the commit', () => {
    expectAllowed(project.hook(bash('git checkout -b feature/x && git commit -m x')));
    project.rig.git('init', '-q', '-b', 'main', '../other');
    expectAllowed(project.hook(bash('cd ../other && git commit -m x')));
    project.rig.git('switch', '-q', '-c', 'feature/x');
    expectAllowed(project.hook(bash('git commit -m x')));
    expectDenied(project.hook(bash('git checkout main && git commit -m x')), 'COMMIT TO MAIN BLOCKED');
  });
});

describe('around it', () => {
  it('B-45 quotes, line ends and a long answer come through whole', () => {
    project.state(inPhase('03-architecture'));
    const prompt = `it's\n"quoted" \\n ${'x'.repeat(200_000)}`;
    expectDenied(project.hook(task('software-developer', prompt)), 'OUT-OF-ORDER');
  });

  it('B-47, B-48 no settings and no permissions are written by a workflow', () => {
    const settings = '{"permissions":{"deny":["Read(./secrets/**)"]}}';
    project.rig.write('.claude/settings.json', settings);
    project.rig.holdpoint(['flow', 'start', 'feature', '--artifact', 'REQ-0001-x']);
    project.hook(task('software-developer', 'go'));
    expect(readFileSync(join(project.rig.repo, '.claude/settings.json'), 'utf8')).toBe(settings);
    expect(existsSync(join(project.rig.repo, '.claude/settings.local.json'))).toBe(false);
    expect(existsSync(join(project.rig.home, '.claude/settings.json'))).toBe(false);
  });

  it('B-44 a state that is cut off is never a silent pass', () => {
    project.state('{"active_wor');
    const claim = 'The implementation phase is complete. Advance to the next phase.';
    for (const only of ['iteration-corridor', 'gate-blocker', 'constitution-validator']) {
      expectDenied(project.hook(task('sdlc-orchestrator', claim), { only }), STATE_FILE);
    }
    for (const only of ['phase-loop-controller', 'plan-surfacer', 'phase-sequence-guard']) {
      expectDenied(project.hook(task('software-developer', 'go'), { only }), STATE_FILE);
    }
    expectDenied(project.hook({ ...task('', '06-implementation: build it') }), STATE_FILE);
    expect(told(project.hook(bashed('npm test', 'Tests: 5 passed, 5 total')))).toContain(STATE_FILE);
    expect(told(project.hook(stop()))).toContain(STATE_FILE);
    expect(project.rig.holdpoint(['flow', 'advance']).exitCode).not.toBe(0);
  });
});

describe('a project without the older directory', () => {
  const OWN = '.git/holdpoint/workflow.json';

  beforeEach(() => rmSync(join(project.rig.repo, '.isdlc'), { recursive: true }));

  it('B-44 is held to its own document too, also one that is cut off', () => {
    const { rig } = project;
    const go = task('software-developer', 'go');
    expectAllowed(project.hook(go));
    rig.write(OWN, JSON.stringify(inPhase('03-architecture')));
    expectDenied(project.hook(go), 'Held by phase-sequence-guard: software-developer');
    project.hook(tasked('solution-architect', 'x', 'done'));
    expect(at(rig.readJson(OWN), 'skill_usage_log')).toHaveLength(1);
    rig.write(OWN, '{"active_wor');
    expectDenied(project.hook(go), 'workflow.json', 'not valid JSON');
    expect(existsSync(join(rig.repo, '.isdlc'))).toBe(false);
  });
});

/* B-51: a rule that has silently ceased to work is worse than none, so each is seen to speak by its name. */
describe('B-51 each of the eighteen speaks when it is called by name', () => {
  const failing = { completed: false, last_test_result: 'failed', current_iteration: 1 };
  const broken = { skill_enforcement: { fail_behavior: 'block' } };
  const pending = { skill: 'sdlc', required_agent: 'sdlc-orchestrator', session_id: SESSION };
  const claim = 'The implementation phase is complete. Advance to the next phase.';
  const denied = 'permissionDecision":"deny"';
  const cases: [string, () => string, string][] = [
    [
      'iteration-corridor',
      () =>
        said(
          inPhase(PHASE, {}, { iteration_requirements: { test_iteration: failing } }),
          task('sdlc-orchestrator', claim),
        ),
      'ITERATION CORRIDOR',
    ],
    [
      'skill-validator',
      () => {
        project.rig.write('.claude/hooks/config/skills-manifest.json', '{oops');
        return said({ ...inPhase(PHASE), ...broken }, task('Explore', 'x'));
      },
      'SKILL ENFORCEMENT ERROR',
    ],
    [
      'phase-loop-controller',
      () => said({ ...inPhase(PHASE), phases: {} }, task('software-developer', 'x')),
      'PROGRESS TRACKING',
    ],
    [
      'plan-surfacer',
      () => {
        project.rig.write(PLAN_FILE, '');
        return said(inPhase(PHASE), task('software-developer', 'x'));
      },
      'TASK PLAN',
    ],
    ['phase-sequence-guard', () => said(inPhase(PHASE), task('qa-engineer', 'x')), 'OUT-OF-ORDER'],
    [
      'gate-blocker',
      () => said(inPhase(PHASE), task('sdlc-orchestrator', 'advance the gate')),
      'GATE BLOCKED',
    ],
    [
      'constitution-validator',
      () => said(inPhase(PHASE), task('sdlc-orchestrator', claim)),
      'PHASE COMPLETION BLOCKED',
    ],
    [
      'branch-guard',
      () => {
        project.rig.git('switch', '-q', '-c', 'main');
        return said(inPhase(PHASE, BRANCH), bash('git commit -m x'));
      },
      'COMMIT TO MAIN',
    ],
    ['state-write-validator', () => said(inPhase(PHASE), bash('rm .isdlc/state.json')), denied],
    ['log-skill-usage', () => kept(inPhase(PHASE), tasked('qa', 'x', 'done')), '"agent":"qa-engineer"'],
    [
      'menu-tracker',
      () => kept(inPhase('01-requirements'), tasked('requirements-analyst', 'x', '[A] Adjust\n[S] Save')),
      '"menu_interactions":1',
    ],
    ['walkthrough-tracker', () => said({ discovery_context: {} }, tasked('d0', 'x', 'Done.')), 'walkthrough'],
    [
      'discover-menu-guard',
      () => said({}, tasked('d0', 'x', `${'Welcome. '.repeat(6)}\n[1] New Project\n[2] Existing Project`)),
      'Incorrect discover menu',
    ],
    ['skill-delegation-enforcer', () => said({}, skilled('sdlc', 'feature x')), 'MANDATORY DELEGATION'],
    [
      'test-watcher',
      () => said(inPhase(PHASE), bashed('npm test', 'Tests: 1 passed, 1 total')),
      'TESTS PASSED',
    ],
    [
      'review-reminder',
      () => said({ code_review: { enabled: false, team_size: 2 } }, bashed('git commit -m x', '')),
      'review',
    ],
    [
      'delegation-gate',
      () => said({ pending_delegation: { ...pending, invoked_at: new Date().toISOString() } }, stop()),
      '"decision":"block"',
    ],
    [
      'model-provider-router',
      () => {
        project.rig.write(
          '.holdpoint/config.yaml',
          'workflow: {rules: {model-provider-router: {mode: warn}}}\n',
        );
        return said(inPhase(PHASE), task('software-developer', 'x'), { ISDLC_MODEL_OVERRIDE: 'haiku' });
      },
      '"model":"haiku"',
    ],
  ];
  let only = '';
  const said = (state: unknown, event: object, env: Record<string, string> = {}): string => {
    project.state(state);
    return project.hook({ ...event }, { only, env }).stdout;
  };
  const kept = (state: unknown, event: object): string => {
    said(state, event);
    return JSON.stringify(project.stored());
  };

  it('there are eighteen', () => expect(new Set(cases.map(([name]) => name)).size).toBe(18));

  it.each(cases)('%s', (name, speak, text) => {
    only = name;
    expect(speak()).toContain(text);
  });

  it.each(cases.filter(([name]) => name !== 'log-skill-usage' && name !== 'menu-tracker'))(
    '%s is silent where only another is called',
    (name, speak) => {
      only = name === 'review-reminder' ? 'branch-guard' : 'review-reminder';
      expect(speak()).toBe('');
    },
  );
});
