import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { at } from './rig';
import {
  bash,
  bashed,
  expectAllowed,
  expectDenied,
  inPhase,
  PLAN_FILE,
  STATE_FILE,
  task,
  told,
  type WorkflowProject,
  workflowProject,
} from './workflow-project';

let project: WorkflowProject;

beforeEach(() => {
  project = workflowProject();
});

afterEach(() => project.rig.remove());

describe('the order of phases', () => {
  it('denies an agent of a later phase, and names both phases', () => {
    project.state(inPhase('03-architecture'));
    const ended = project.hook(task('software-developer', 'build it'));
    expectDenied(
      ended,
      'OUT-OF-ORDER PHASE DELEGATION:',
      'Current phase: 03-architecture',
      'Target phase:  06-implementation',
      'GATE-03',
    );
  });

  it.each([
    ['the agent of the phase', '03-architecture', 'solution-architect', 'draw it'],
    ['an agent that no workflow knows', '06-implementation', 'Explore', 'look at the parser'],
    ['a number with a word in the prompt', '06-implementation', 'Explore', 'how does the 64-bit codec work'],
    [
      'the name of an agent in the prompt',
      '06-implementation',
      'Explore',
      'write about the qa-engineer role',
    ],
    [
      'the name of a file in the prompt',
      '06-implementation',
      'general-purpose',
      'read docs/05-test-strategy.md',
    ],
    ['the orchestrator', '06-implementation', 'sdlc-orchestrator', 'x'],
    ['the orchestrator of discovery', '06-implementation', 'discover-orchestrator', 'x'],
  ])('allows %s', (_, phase, agent, prompt) => {
    project.state(inPhase(phase));
    expectAllowed(project.hook(task(agent, prompt)));
  });

  it.each([
    ['an earlier phase', '06-implementation', 'requirements-analyst', 'redo'],
    ['an alias with a number', '06-implementation', '07-qa-engineer', 'x'],
    ['a short alias', '06-implementation', 'QA', 'x'],
    ['an underscore', '06-implementation', 'qa_engineer', 'x'],
    ['a blank', '06-implementation', 'QA Engineer', 'x'],
    ['the name of a plugin', '06-implementation', 'team:qa-engineer', 'x'],
    ['a word of setup in the prompt', '03-architecture', 'software-developer', 'Review the initial commit'],
    [
      'a status in the prompt',
      '03-architecture',
      'software-developer',
      'HTTP status handling, then setup.py',
    ],
  ])('denies %s', (_, phase, agent, prompt) => {
    project.state(inPhase(phase));
    expectDenied(project.hook(task(agent, prompt)), 'OUT-OF-ORDER');
  });

  it('without an agent, goes by the phase in the first line or a tag of the prompt', () => {
    project.state(inPhase('03-architecture'));
    expectDenied(project.hook(task('', 'Phase 06-implementation: build it')), '06-implementation');
    expectDenied(project.hook(task('', 'Build it.\nphase: 07-testing')), 'Target phase:  07-testing');
    expectAllowed(project.hook(task('', 'Look.\nIt was said in 06-implementation.')));
    const both = 'Take what 01-requirements says and go on with 03-architecture.';
    expectAllowed(project.hook(task('', both)));
  });

  it('denies the same under the new name of the tool', () => {
    project.state(inPhase('03-architecture'));
    expectDenied(
      project.hook(task('software-developer', 'build it', { tool_name: 'Agent' })),
      'OUT-OF-ORDER',
    );
  });

  it('denies a phase that has not been begun, until it is', () => {
    const workflow = { type: 'feature', current_phase: '06-implementation' };
    const go = task('software-developer', 'go');
    project.state({ active_workflow: workflow, phases: { '06-implementation': { status: 'pending' } } });
    expectDenied(project.hook(go), 'PROGRESS TRACKING', 'Current phase status: pending', 'flow begin');
    project.state({ active_workflow: workflow, phases: {} });
    expectDenied(project.hook(go), 'PROGRESS TRACKING', 'not set');
    for (const status of ['in_progress', 'completed']) {
      project.state({ active_workflow: workflow, phases: { '06-implementation': { status } } });
      expectAllowed(project.hook(go));
    }
  });
});

describe('what says nothing', () => {
  it('is allowed: no workflow, no state, no input', () => {
    project.state({ active_workflow: null });
    expectAllowed(project.hook(task('software-developer', 'go')));
    project.state({ active_workflow: {} });
    expectAllowed(project.hook(task('software-developer', 'go')));
    project.state(inPhase('03-architecture'));
    expectAllowed(project.hook({ ...task('software-developer', 'go'), tool_input: null }));
    const fresh = workflowProject();
    expectAllowed(fresh.hook(task('software-developer', 'go')));
    for (const text of ['', '  \n', '{oops']) {
      expect(fresh.rig.hookText(text)).toMatchObject({ stdout: '', exitCode: 0 });
    }
    fresh.rig.remove();
  });

  it('is not the same as a state that cannot be read', () => {
    project.state('{"active_wor');
    expectDenied(project.hook(task('software-developer', 'build it')), '.isdlc/state.json', 'not valid JSON');
    expectDenied(project.hook(task('sdlc-orchestrator', 'advance the gate')), '.isdlc/state.json');
    expectAllowed(project.hook(task('Explore', 'look')));
    project.rig.git('switch', '-q', '-c', 'main');
    expectDenied(project.hook(bash('git commit -m x')), '.isdlc/state.json');
    expectAllowed(project.hook(bash('git status')));
    project.state('[]');
    expectDenied(project.hook(task('software-developer', 'build it')), 'not an object');
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
  ])('is not a state that %s', (_, state, why) => {
    project.state(state);
    expectDenied(project.hook(task('software-developer', 'go')), STATE_FILE, why);
    expectDenied(project.hook(bash('holdpoint flow advance')), STATE_FILE);
    expectAllowed(project.hook(bash('holdpoint flow rollback 01-requirements')));
  });
});

describe('the plan', () => {
  beforeEach(() => {
    project.rig.remove();
    project = workflowProject({ plan: false });
  });

  it('is asked for from implementation on', () => {
    project.state(inPhase('06-implementation'));
    const go = task('software-developer', 'go');
    expectDenied(project.hook(go), 'TASK PLAN', `Expected path: ${project.rig.repo}/${PLAN_FILE}`);
    expectAllowed(project.hook(task('Explore', 'look')));
    project.rig.write('.isdlc/tasks.md', 'x');
    expectAllowed(project.hook(go));
    project.rig.write('.isdlc/tasks.md', ' \n');
    expectDenied(project.hook(go), 'TASK PLAN', 'empty');
  });

  it('is not asked for in earlier phases, nor in workflows that make none', () => {
    project.state(inPhase('05-test-strategy'));
    expectAllowed(project.hook(task('test-design-engineer', 'go')));
    project.state(inPhase('11-local-testing', { type: 'test-run' }));
    expectAllowed(project.hook(task('environment-builder', 'run')));
  });

  it('has to be of this workflow', () => {
    const { rig } = project;
    rig.write(PLAN_FILE, '- [ ] of an older one\n');
    project.state(inPhase('06-implementation', { started_at: new Date().toISOString() }));
    expectAllowed(project.hook(task('software-developer', 'go')));
    utimesSync(join(rig.repo, PLAN_FILE), 1_700_000_000, 1_700_000_000);
    expectDenied(project.hook(task('software-developer', 'go')), 'TASK PLAN', 'older than this workflow');
  });

  it('is that of the project in a monorepo', () => {
    const { rig } = project;
    const projects = { api: { name: 'api', path: 'apps/api' }, web: { name: 'web', path: 'apps/web' } };
    rig.write('.isdlc/monorepo.json', JSON.stringify({ version: '1', default_project: 'api', projects }));
    rig.write('.isdlc/projects/api/state.json', JSON.stringify(inPhase('06-implementation')));
    rig.write('.isdlc/projects/web/state.json', JSON.stringify(inPhase('01-requirements')));
    rig.write('apps/web/.keep', '');
    const go = task('software-developer', 'go');
    const ask = task('requirements-analyst', 'go');
    expectDenied(project.hook(go), `${rig.repo}/docs/isdlc/projects/api/tasks.md`);
    expectAllowed(project.hook({ ...ask, cwd: `${rig.repo}/apps/web` }));
    expectAllowed(project.hook({ ...go, cwd: `${rig.repo}/apps/web` }, { only: 'plan-surfacer' }));
    expectAllowed(project.hook(ask, { env: { ISDLC_PROJECT: 'web' } }));
    expectDenied(project.hook(go, { env: { ISDLC_PROJECT: '../../x' } }), 'projects/api/');
  });
});

it('tests of another project of a monorepo are none of this one', () => {
  const { rig } = project;
  const projects = { api: { path: 'apps/api' }, web: { path: 'apps/web' } };
  rig.write('.isdlc/monorepo.json', JSON.stringify({ default_project: 'api', projects }));
  rig.write('.isdlc/projects/web/state.json', JSON.stringify(inPhase('06-implementation')));
  for (const id of ['api', 'web']) rig.write(`apps/${id}/.keep`, '');
  const ran = (command: string) =>
    told(project.hook({ ...bashed(command, '5 passed'), cwd: `${rig.repo}/apps/web` }));
  expect(ran('cd ../api && npm test')).toContain(`they ran in ${rig.repo}/apps/api, outside of this project`);
  expect(ran('cd ../.. && npm test')).toContain('TESTS PASSED');
  expect(ran('npm test')).toContain('TESTS PASSED');
});

describe('the branch', () => {
  beforeEach(() => {
    project.rig.git('switch', '-q', '-c', 'main');
    const branch = { git_branch: { name: 'feature/x', status: 'active' } };
    project.state(inPhase('06-implementation', branch));
  });

  it('is not committed past, under either name, also before its first commit', () => {
    const commit = bash('git commit -m x');
    expectDenied(
      project.hook(commit),
      'COMMIT TO MAIN BLOCKED:',
      'Current branch: main',
      'Expected branch: feature/x',
    );
    project.rig.git('branch', '-m', 'master');
    expectDenied(project.hook(commit), 'master');
    project.rig.git('switch', '-q', '--orphan', 'main');
    expectDenied(project.hook(commit), 'main');
  });

  it('is free elsewhere: on it, merged, without one, without a workflow', () => {
    const commit = bash('git commit -m x');
    project.state(inPhase('06-implementation', { git_branch: { name: 'feature/x', status: 'merged' } }));
    expectAllowed(project.hook(commit));
    project.state(inPhase('06-implementation'));
    expectAllowed(project.hook(commit));
    project.state({ active_workflow: null });
    expectAllowed(project.hook(commit));
    project.state(inPhase('06-implementation', { git_branch: { name: 'feature/x', status: 'active' } }));
    project.rig.git('switch', '-q', '-c', 'feature/x');
    expectAllowed(project.hook(commit));
  });

  it('knows the default branch of the remote', () => {
    const { rig } = project;
    rig.git('switch', '-q', '-c', 'trunk');
    expectAllowed(project.hook(bash('git commit -m x')));
    rig.git('update-ref', 'refs/remotes/origin/trunk', 'HEAD');
    rig.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
    expectDenied(project.hook(bash('git commit -m x')), 'trunk');
    const ended = project.hook(bash('$g commit'));
    expect(at(ended.json, 'hookSpecificOutput', 'permissionDecision')).toBe('ask');
  });

  it('asks a person about what cannot be told', () => {
    const ended = project.hook(bash('gh pr merge 12'));
    expect(at(ended.json, 'hookSpecificOutput', 'permissionDecision')).toBe('ask');
  });
});
