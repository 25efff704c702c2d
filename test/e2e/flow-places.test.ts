import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  AS_AGENT,
  type FlowProject,
  type FlowState,
  flowProject,
  OWN_STATE,
  SEED_STATE,
} from './flow-project';
import { at, commandFile, deniedBecause, runLater } from './rig';
import { hasTerminals, runAtTerminal } from './terminal';

let project: FlowProject;
afterEach(() => project.rig.remove());

const EVIDENCE = {
  iteration_requirements: {
    test_iteration: { completed: true, status: 'success', current_iteration: 2, last_test_result: 'passed' },
  },
  constitutional_validation: { completed: true, status: 'compliant', iterations_used: 1 },
};

describe('a project of the older program', () => {
  it('keeps its state in its own file, with everything in it that is not ours, in its order', () => {
    project = flowProject('seed');
    const before = {
      framework_version: '0.1.0',
      project: { name: 'x' },
      state_version: 12,
      counters: { next_req_id: 4, other: 9 },
      phases: { '01-requirements': { status: 'completed', ours: 'old' }, '99-own': { status: 'pending' } },
      history: [{ at: 'then' }],
    };
    project.rig.write(SEED_STATE, JSON.stringify(before));
    project.done('start feature --description "New thing"');
    const state = project.state();
    expect(Object.keys(state).slice(0, 6)).toEqual(Object.keys(before));
    expect(state).toMatchObject({
      framework_version: '0.1.0',
      state_version: 13,
      counters: { next_req_id: 5, other: 9 },
      history: [{ at: 'then' }],
      current_phase: '00-quick-scan',
      active_workflow: { artifact_folder: 'REQ-0004-new-thing', counter_used: 4 },
    });
    expect(state.phases['99-own']).toEqual({ status: 'pending' });
    expect(state.phases['01-requirements']).not.toHaveProperty('ours');
    expect(readFileSync(join(project.rig.repo, SEED_STATE), 'utf8')).toMatch(/^{\n {2}"framework_version"/);
    expect(project.rig.readJson(OWN_STATE)).toBeUndefined();
  });

  it('counts plain facts in a state that somebody else has written', () => {
    project = flowProject('seed');
    const state = {
      active_workflow: { type: 'feature', current_phase: '06-implementation', current_phase_index: 6 },
      phases: { '06-implementation': EVIDENCE },
      skill_usage_log: [{ agent: 'software-developer', agent_phase: '06-implementation' }],
    };
    project.rig.write(SEED_STATE, JSON.stringify(state));
    expect(project.status()).toMatchObject({
      active: true,
      phase: '06-implementation',
      index: 6,
      missing: [],
    });
    expect(project.status().phases).toHaveLength(11);
    project.done('advance');
    expect(project.state().active_workflow).toMatchObject({
      current_phase: '11-local-testing',
      current_phase_index: 7,
    });
  });

  it('notes what is to be done after a gate, unless it is decided', () => {
    project = flowProject('seed');
    const at = (provider: string): void => {
      project.rig.write(
        SEED_STATE,
        JSON.stringify({
          cloud_configuration: { provider },
          active_workflow: { type: 'feature', current_phase: '07-testing', current_phase_index: 8 },
          phases: { '07-testing': EVIDENCE },
          skill_usage_log: [{ agent: 'integration-tester', agent_phase: '07-testing' }],
        }),
      );
      project.done('advance');
    };
    at('aws');
    expect(project.state()).not.toHaveProperty('pending_triggers');
    at('undecided');
    expect(project.state()).toMatchObject({ pending_triggers: [{ trigger: 'cloud_configuration' }] });
  });

  it('passes without evidence where a person has switched the rules off', () => {
    project = flowProject('seed');
    const state = {
      iteration_enforcement: { enabled: false },
      active_workflow: { type: 'feature', current_phase: '06-implementation', current_phase_index: 6 },
    };
    project.rig.write(SEED_STATE, JSON.stringify(state));
    project.done('advance');
  });
});

describe('a monorepo', () => {
  const stateOf = (id: string): FlowState => project.state(`.isdlc/projects/${id}/state.json`);

  it('has a state for each project, by directory, variable and default', () => {
    project = flowProject('seed');
    const projects = { api: { name: 'API', path: 'apps/api' }, web: { name: 'Web', path: 'apps/web' } };
    project.rig.write('.isdlc/monorepo.json', JSON.stringify({ default_project: 'api', projects }));
    const web = join(project.rig.repo, 'apps', 'web');
    mkdirSync(web, { recursive: true });
    project.done('start feature --artifact REQ-0001-a');
    expect(stateOf('api').active_workflow).toMatchObject({
      git_branch: { name: 'api/feature/REQ-0001-a', created_from: 'main' },
    });
    project.done('start fix --artifact BUG-0001-b', { cwd: web });
    expect(stateOf('web').active_workflow).toMatchObject({ git_branch: { name: 'web/bugfix/BUG-0001-b' } });
    expect(project.status().workflow).toBe('feature');
    expect(project.status({ env: { ISDLC_PROJECT: 'web' } }).workflow).toBe('fix');
    expect(project.status({ env: { ISDLC_PROJECT: '../../x' } }).workflow).toBe('feature');
    const stranger = project.flow('start fix', { env: { ISDLC_PROJECT: 'wbe' } });
    expect(stranger.exitCode).toBe(2);
    expect(stranger.stderr).toContain("Unknown project 'wbe'");
    const misspelt = project.flow('status', { env: { ISDLC_PROJECT: 'wbe' } });
    expect(misspelt.stdout).toContain('feature REQ-0001-a');
    expect(misspelt.stderr).toContain("ISDLC_PROJECT names 'wbe', which is not a project here");
  });
});

describe('other places', () => {
  it('a linked work tree shares the state of its repository', () => {
    project = flowProject();
    const there = join(project.rig.dir, 'linked');
    project.rig.git('worktree', 'add', '--quiet', '-b', 'side', there);
    project.done('start feature --branch feature/here', { cwd: there });
    expect(project.state().active_workflow).toMatchObject({ git_branch: { name: 'feature/here' } });
    expect(project.rig.git('-C', there, 'branch', '--show-current')).toBe('feature/here');
    expect(project.rig.git('branch', '--show-current')).toBe('main');
  });

  it('a work tree on another branch gives no evidence and moves nothing', () => {
    project = flowProject();
    const { rig, events } = project;
    rig.write(
      '.holdpoint/config.yaml',
      'workflow: {overrides: {test-run: {11-local-testing: {tests: true}}}}\n',
    );
    rig.git('commit', '--quiet', '-am', 'config');
    project.done('start test-run --branch work/here');
    project.done('begin');
    const there = join(rig.dir, 'linked');
    rig.git('worktree', 'add', '--quiet', '-b', 'side', there);
    const run = events.post('Bash', { command: 'npm test' }, { tool_response: { stdout: '5 passing' } });
    const phases = project.state().phases;
    expect(at(rig.hook({ ...run, cwd: there }, { cwd: there }).json, 'hookSpecificOutput')).toMatchObject({
      additionalContext:
        'TESTS NOT RECORDED: You are on branch side, but the workflow is on work/here. Run `git switch work/here` first, or `git branch -m work/here` if it was renamed to side.',
    });
    expect(project.state().phases).toEqual(phases);
    const where = 'You are on branch side, but the workflow is on work/here.';
    const advance = events.pre('Bash', { command: 'holdpoint flow advance' });
    expect(deniedBecause(rig.hook({ ...advance, cwd: there }, { cwd: there }))).toContain(where);
    const { exitCode, stderr } = project.flow('advance', { cwd: there });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(where);
    rig.hook(run);
    expect(project.state().phases).not.toEqual(phases);
  });

  it('without git there is no branch, and the state lies in our directory', () => {
    project = flowProject();
    rmSync(join(project.rig.repo, '.git'), { recursive: true });
    expect(project.flow('start feature --branch x').exitCode).toBe(1);
    const { stderr } = project.done('start feature --artifact REQ-0001-x');
    expect(stderr).toContain('without a branch');
    expect(project.state('.holdpoint/state/workflow.json').active_workflow).not.toHaveProperty('git_branch');
    project.done('begin');
    project.done('advance');
  });

  it('a file with the name of the older directory changes nothing', () => {
    project = flowProject();
    project.rig.write('.isdlc', '');
    project.done('start feature --artifact REQ-0001-x');
    expect(project.state(OWN_STATE).active_workflow).toMatchObject({ type: 'feature' });
  });

  it('where no config speaks of workflows, one that was started by hand is held to all the same', () => {
    project = flowProject();
    const { rig, events } = project;
    rmSync(join(rig.repo, '.holdpoint'), { recursive: true });
    const task = { subagent_type: 'software-developer', prompt: 'build it', description: '' };
    expect(rig.hook(events.pre('Task', task))).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect(existsSync(join(rig.repo, '.git', 'holdpoint'))).toBe(false);
    project.done('start feature --artifact REQ-0001-x');
    project.done('begin');
    expect(deniedBecause(rig.hook(events.pre('Task', task)))).toContain(
      'Held by phase-sequence-guard: software',
    );
    const push = { command: 'git push origin HEAD:main' };
    expect(deniedBecause(rig.hook(events.pre('Bash', push)))).toContain('feature/REQ-0001-x');
    expect(rig.holdpoint(['why']).stdout).toMatch(/^what to do +stay on 'feature\/REQ-0001-x'/m);
    expect(rig.holdpoint(['status']).stdout).toMatch(/Rules +workflow \(off\)\n/);
    project.done('cancel --reason enough');
    expect(rig.hook(events.pre('Task', task))).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('without git, the directory of the older program is place enough', () => {
    project = flowProject('seed');
    const { rig, events } = project;
    for (const name of ['.git', '.holdpoint']) rmSync(join(rig.repo, name), { recursive: true });
    project.done('start fix --artifact BUG-0001-x');
    expect(project.state().active_workflow).toMatchObject({ type: 'fix' });
    const task = { subagent_type: 'software-developer', prompt: 'build it', description: '' };
    expect(deniedBecause(rig.hook(events.pre('Task', task)))).toContain('OUT-OF-ORDER');
    expect(readdirSync(rig.repo).sort()).toEqual(['.isdlc', 'a.txt']);
  });

  it('knows workflows of the project itself, and what is wrong with their config', () => {
    project = flowProject();
    project.rig.write(
      '.holdpoint/config.yaml',
      [
        'workflow:',
        '  workflows: {docs: {label: Documents, phases: [write, check]}}',
        '  phases: {write: {}, check: {}}',
        '  agents: {writer: {kind: phase, phases: [write, check]}}',
        '  requirements: {write: {approval: true}}',
        '',
      ].join('\n'),
    );
    project.done('start docs');
    project.done('begin');
    expect(project.status().missing).toMatchObject([{ what: 'gate_approval' }]);
    expect(project.flow('advance').exitCode).toBe(1);
    expect(project.done('approve GATE-write').stdout).not.toContain('Waived');
    project.done('advance');
    expect(project.status().phase).toBe('check');
  });
});

describe('the rules for all workflows', () => {
  const allow = (key: string): void =>
    project.rig.write('.holdpoint/config.yaml', `workflow: {discipline: {${key}: false}}\n`);

  it.each([
    ['no_halfway_entry', 'start fix --from 05-test-strategy', '05-test-strategy', 6],
    ['no_phase_skipping', 'start fix --skip 01-requirements --skip 10-cicd', '02-tracing', 6],
  ])('%s: a start that it forbids is refused, until the config allows it', (key, args, first, count) => {
    project = flowProject();
    const { exitCode, stderr } = project.flow(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(key);
    allow(key);
    project.done(args);
    expect(project.status()).toMatchObject({ phase: first, index: 0 });
    expect(project.status().phases).toHaveLength(count);
  });

  it('single_active_workflow: where the config allows it, the active one is put away for another', () => {
    project = flowProject();
    project.done('start test-generate');
    allow('single_active_workflow');
    project.done('start test-run');
    expect(project.status().workflow).toBe('test-run');
    project.done('cancel --reason done');
    expect(project.status()).toMatchObject({ active: false, workflow: 'test-generate' });
  });

  it('require_cancellation_reason: where the config allows it, none is needed', () => {
    project = flowProject();
    project.done('start test-run');
    allow('require_cancellation_reason');
    project.done('cancel');
  });
});

describe('several at once', () => {
  it('lets one of several starts win, on its branch', async () => {
    project = flowProject();
    const options = { cwd: project.rig.repo, env: project.rig.environment() };
    const start = (id: string) =>
      runLater('holdpoint', ['flow', 'start', 'fix', '--artifact', id], '', options);
    const ended = await Promise.all(['BUG-0001', 'BUG-0002', 'BUG-0003'].map(start));
    expect(ended.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1, 1]);
    const { branch } = project.status();
    expect(project.rig.git('branch', '--format=%(refname:short)%(HEAD)')).toBe(`${branch}*\nmain`);
  });

  it('loses nothing that hooks and commands write at the same time', async () => {
    project = flowProject();
    project.done('start fix --artifact BUG-0001-x');
    project.done('begin');
    const { rig, events } = project;
    const options = { cwd: rig.repo, env: rig.environment() };
    const record = (article: string) =>
      runLater('holdpoint', ['flow', 'record', 'constitution', '--articles', article], '', options);
    const delegate = (id: number) =>
      rig.startHook(
        events.post(
          'Task',
          { subagent_type: 'requirements-analyst', prompt: 'x' },
          { tool_use_id: `t${id}`, tool_response: 'ok' },
        ),
      );
    await Promise.all([...['I', 'IV', 'VII', 'IX'].map(record), ...[1, 2, 3, 4].map(delegate)]);
    const { phases, skill_usage_log: log } = project.state();
    expect(log).toHaveLength(4);
    expect(phases['01-requirements']).toHaveProperty('constitutional_validation.articles_checked.length', 4);
  });
});

describe.skipIf(!hasTerminals)('at a terminal (where script can make one)', () => {
  it.each([
    ['y', 0, ['agent_delegation']],
    ['n', 1, undefined],
  ])('a person sees what they let pass, and answers %s', async (key, exitCode, waived) => {
    project = flowProject();
    project.done('start test-run');
    project.done('begin');
    project.done('record constitution --articles VIII,IX');
    const { rig } = project;
    const ended = await runAtTerminal(rig, 'holdpoint', 'flow approve GATE-11', [['anyway', key]]);
    expect(ended.shown).toContain('delegate the work to environment-builder');
    expect(ended.exitCode).toBe(exitCode);
    const approval = project.state().phases['11-local-testing']?.['gate_approval'] as
      | { waived: unknown }
      | undefined;
    expect(approval?.waived).toEqual(waived);
  });
});

describe('the hook and the command', () => {
  it('agree on what a phase lacks', () => {
    project = flowProject();
    project.done('start test-run');
    project.done('begin');
    const advance = project.events.pre('Bash', { command: `node ${commandFile('holdpoint')} flow advance` });
    const reason = deniedBecause(project.rig.hook(advance));
    for (const { what } of project.status().missing) expect(reason).toContain(what);
    expect(project.flow('advance', AS_AGENT).exitCode).toBe(1);
    project.delegate('environment-builder');
    project.done('record constitution --articles VIII,IX');
    expect(project.rig.hook(advance)).toMatchObject({ exitCode: 0, stdout: '' });
    project.done('advance', AS_AGENT);
  });
});
