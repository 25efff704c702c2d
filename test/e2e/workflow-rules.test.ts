import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SESSION } from './events';
import { at } from './rig';
import {
  bash,
  bashed,
  expectAllowed,
  expectDenied,
  inPhase,
  PLAN_FILE,
  STATE_FILE,
  skilled,
  stop,
  task,
  tasked,
  told,
  type WorkflowProject,
  workflowProject,
} from './workflow-project';

/* What each rule says, how the host hears it, and that none of them ever falls silent. */

const PHASE = '06-implementation';
const BRANCH = { git_branch: { name: 'feature/x', status: 'active' } };
let project: WorkflowProject;

beforeEach(() => {
  project = workflowProject();
});

afterEach(() => project.rig.remove());

const tests = (): unknown =>
  at(project.stored(), 'phases', PHASE, 'iteration_requirements', 'test_iteration');

describe('the host', () => {
  it.each([
    ['tool_response', { tool_response: { stdout: 'Tests: 5 passed, 5 total', stderr: '' } }],
    ['tool_response as a text', { tool_response: 'Tests: 5 passed, 5 total' }],
    ['tool_result', { tool_response: undefined, tool_result: 'Tests: 5 passed, 5 total' }],
  ])('a result is read from %s', (_, result) => {
    project.state(inPhase(PHASE));
    project.hook(bashed('npm test', '', result));
    expect(tests()).toMatchObject({ last_test_result: 'passed', completed: true });
  });

  it('an agent that answers in parts is read too', () => {
    project.state({ discovery_context: {} });
    const parts = { content: [{ type: 'text', text: 'All done.' }] };
    expect(told(project.hook(tasked('d0', 'x', parts)))).toContain('walkthrough');
  });

  it('a refusal goes to the model and does not end its turn', () => {
    project.state(inPhase('03-architecture'));
    const { json } = project.hook(task('software-developer', 'go'));
    expect(json).not.toHaveProperty('continue');
    expect(json).not.toHaveProperty('stopReason');
    expect(at(json, 'hookSpecificOutput', 'hookEventName')).toBe('PreToolUse');
  });

  it('one process hears every rule, and leaves one whole file', () => {
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

  it('no text takes longer than the deadline that is our own', { timeout: 60_000 }, () => {
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

  it.each(['Task', 'Agent'])('a delegation is one under the name %s', (tool_name) => {
    project.state(inPhase('03-architecture'));
    expectDenied(project.hook(task('software-developer', 'go', { tool_name })), 'OUT-OF-ORDER');
    project.hook(tasked('solution-architect', 'go', 'done', { tool_name }));
    expect(at(project.stored(), 'skill_usage_log')).toHaveLength(1);
  });

  it('what is to be told is told: to the model, to the person, or to both', () => {
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
});

describe('phases and config', () => {
  it('what a workflow asks for differently is asked for differently', () => {
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
});

describe('around it', () => {
  it('quotes, line ends and a long answer come through whole', () => {
    project.state(inPhase('03-architecture'));
    const prompt = `it's\n"quoted" \\n ${'x'.repeat(200_000)}`;
    expectDenied(project.hook(task('software-developer', prompt)), 'OUT-OF-ORDER');
  });

  it('no settings and no permissions are written by a workflow', () => {
    const settings = '{"permissions":{"deny":["Read(./secrets/**)"]}}';
    project.rig.write('.claude/settings.json', settings);
    project.rig.holdpoint(['flow', 'start', 'feature', '--artifact', 'REQ-0001-x']);
    project.hook(task('software-developer', 'go'));
    expect(readFileSync(join(project.rig.repo, '.claude/settings.json'), 'utf8')).toBe(settings);
    expect(existsSync(join(project.rig.repo, '.claude/settings.local.json'))).toBe(false);
    expect(existsSync(join(project.rig.home, '.claude/settings.json'))).toBe(false);
  });

  it('a state that is cut off is never a silent pass', () => {
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

  it('is held to its own document too, also one that is cut off', () => {
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

/* A rule that has silently ceased to work is worse than none, so each is seen to speak by its name. */
describe('each of the eighteen speaks when it is called by name', () => {
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
