import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AS_AGENT, type FlowProject, flowProject, OWN_STATE } from './flow-project';
import { deniedBecause } from './rig';

let project: FlowProject;

beforeEach(() => {
  project = flowProject();
});
afterEach(() => project.rig.remove());

/** Goes through the gates up to a phase, a person approving each. */
function reach(phase: string): void {
  while (project.status().phase !== phase) {
    project.done('begin');
    project.done(`approve ${project.status().phase ?? ''}`);
    project.done('advance');
  }
  project.done('begin');
}

const missing = (): string[] => project.status().missing.map(({ what }) => what);

describe('flow start', () => {
  it('creates the branch, switches to it, and stands in the first phase, which is not begun', () => {
    const { stdout } = project.done('start feature --artifact REQ-0007-login');
    expect(stdout).toContain('holdpoint flow begin');
    expect(project.rig.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('feature/REQ-0007-login');
    const { active_workflow: workflow, current_phase, phases, counters } = project.state();
    expect(workflow).toMatchObject({
      type: 'feature',
      current_phase: '00-quick-scan',
      current_phase_index: 0,
      gate_mode: 'strict',
      artifact_prefix: 'REQ',
      artifact_folder: 'REQ-0007-login',
      counter_used: 7,
      git_branch: { name: 'feature/REQ-0007-login', status: 'active', created_from: 'main' },
    });
    expect(current_phase).toBe('00-quick-scan');
    expect(phases['00-quick-scan']).toMatchObject({ status: 'pending', gate_passed: null, artifacts: [] });
    expect(counters).toEqual({ next_req_id: 8 });
  });

  it('numbers what has no name, and takes its words from the description', () => {
    project.done('start fix --description "Login fällt aus, always"');
    expect(project.state().active_workflow).toMatchObject({
      artifact_folder: 'BUG-0001-login-fallt-aus-always',
    });
    expect(project.rig.git('branch', '--show-current')).toBe('bugfix/BUG-0001-login-fallt-aus-always');
  });

  it('uses a branch that is there already', () => {
    project.rig.git('branch', 'work/here');
    expect(project.done('start feature --branch work/here').stdout).toContain('On branch work/here');
    expect(project.rig.git('branch', '--show-current')).toBe('work/here');
  });

  it('leaves out a phase whose flag is given, and knows no flag of another workflow', () => {
    expect(project.flow('start feature --no-tracing')).toMatchObject({ exitCode: 2, stdout: '' });
    project.done('start feature --no-scan');
    expect(project.status().phases.map(({ name }) => name)).not.toContain('00-quick-scan');
    expect(project.status().phase).toBe('01-requirements');
  });

  it('needs no branch for a workflow that works on none', () => {
    project.done('start test-run');
    expect(project.rig.git('branch', '--show-current')).toBe('main');
    expect(project.state().active_workflow).not.toHaveProperty('git_branch');
  });

  it('refuses where git would lose changes: says which files, and touches nothing', () => {
    const { rig } = project;
    rig.git('switch', '--quiet', '-c', 'other');
    rig.write('a.txt', 'another\n');
    rig.git('commit', '--quiet', '-am', 'other');
    rig.git('switch', '--quiet', 'main');
    rig.write('a.txt', 'unsaved\n');
    const { exitCode, stderr } = project.flow('start feature --branch other');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('a.txt');
    expect(stderr).toContain('stash');
    expect(rig.git('branch', '--show-current')).toBe('main');
    expect(readFileSync(join(rig.repo, 'a.txt'), 'utf8')).toBe('unsaved\n');
    expect(existsSync(join(rig.repo, OWN_STATE))).toBe(false);
  });

  it('says so where there is no git to ask, and blames no name for it', () => {
    const ended = project.flow('start feature', { env: { PATH: project.rig.tmp } });
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('git was not found on the PATH');
    expect(ended.stderr).not.toContain('valid branch name');
    expect(existsSync(join(project.rig.repo, OWN_STATE))).toBe(false);
  });

  it('passes on what git says where nothing is in the way of the branch', () => {
    project.rig.write('.git/HEAD.lock', '');
    const ended = project.flow('start feature');
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain("HEAD.lock': File exists");
    expect(ended.stderr).toContain('Nothing was started.');
    expect(ended.stderr).not.toContain('stash');
    expect(existsSync(join(project.rig.repo, OWN_STATE))).toBe(false);
  });

  it('passes on git’s own advice, whole', () => {
    const { rig } = project;
    const said = 'fatal: detected dubious ownership\nTo add an exception, call:\n\n\tgit config --add it';
    const script = `#!/bin/sh\ncase "$*" in *" switch "*) printf '${said}' >&2; exit 128;; esac\nexec "$REAL_GIT" "$@"\n`;
    rig.writeHome('bin/git', script);
    chmodSync(join(rig.home, 'bin/git'), 0o755);
    const path = process.env['PATH'] ?? '';
    const git =
      path
        .split(':')
        .map((dir) => join(dir, 'git'))
        .find((file) => existsSync(file)) ?? '';
    const ended = project.flow('start feature', {
      env: { PATH: `${join(rig.home, 'bin')}:${path}`, REAL_GIT: git },
    });
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('detected dubious ownership');
    expect(ended.stderr).toContain('git config --add it');
    expect(ended.stderr).not.toContain('stash');
  });

  it('takes uncommitted changes along that are not in the way', () => {
    project.rig.write('a.txt', 'unsaved\n');
    project.done('start feature --branch feature/x');
    expect(project.rig.git('status', '--porcelain', 'a.txt')).toBe(' M a.txt');
  });

  it.each([
    ['an unknown workflow', 'start fetaure', 2, "Did you mean 'feature'?"],
    ['no workflow at all', 'start', 2, 'full-lifecycle'],
    ['a protected branch', 'start feature --branch main', 1, 'protected'],
    ['no name for a branch', 'start feature --branch a..b', 1, 'valid branch name'],
    ['an option in place of a branch', 'start feature --branch=-D', 1, 'valid branch name'],
    ['a path for an artifact', 'start feature --artifact ../x', 2, 'artifact'],
    ['an unknown flag', 'start feature --fast', 2, '--fast'],
  ])('refuses %s', (_, args, exitCode, words) => {
    const ended = project.flow(args);
    expect(ended).toMatchObject({ exitCode, stdout: '' });
    expect(ended.stderr).toContain(words);
    expect(existsSync(join(project.rig.repo, OWN_STATE))).toBe(false);
    expect(project.rig.git('branch', '--show-current')).toBe('main');
  });

  it('refuses a second workflow while one is active, and leaves the branch alone', () => {
    project.done('start feature --artifact REQ-0001-a');
    const { exitCode, stderr } = project.flow('start fix --artifact BUG-0001-b');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('feature REQ-0001-a is still active');
    expect(project.rig.git('branch', '--show-current')).toBe('feature/REQ-0001-a');
  });

  it('works on a branch that has no commit yet', () => {
    const { rig } = project;
    rig.git('switch', '--quiet', '--orphan', 'fresh');
    rig.write('.holdpoint/config.yaml', 'workflow: {}\n');
    project.done('start feature --branch feature/x');
    expect(rig.git('symbolic-ref', '--short', 'HEAD')).toBe('feature/x');
  });
});

describe('the way through a workflow', () => {
  it('goes by begin, evidence and advance; each gate says what it lacks and how to get it', () => {
    project.done('start fix --artifact BUG-0001-x');
    const early = project.flow('advance');
    expect(early.exitCode).toBe(1);
    expect(early.stderr).toContain('holdpoint flow begin');
    project.done('begin');
    expect(project.state().phases['01-requirements']).toMatchObject({ status: 'in_progress' });
    const { exitCode, stderr } = project.flow('advance');
    expect(exitCode).toBe(1);
    for (const words of [
      'interactive_elicitation: the user has answered 0 of 1 time',
      'holdpoint flow record constitution --articles I,IV,VII,IX,XII',
      'delegate the work to requirements-analyst',
    ]) {
      expect(stderr).toContain(words);
    }
    expect(project.state().phases['01-requirements']).toMatchObject({
      gate_validation: { status: 'blocked' },
    });
    project.delegate('requirements-analyst');
    project.ask();
    project.done('record elicitation --final save');
    project.done('record constitution --articles I,IV,VII,IX,XII');
    expect(project.status().missing).toEqual([]);
    expect(project.done('advance').stdout).toContain('Now in 02-tracing (agent: tracing-orchestrator)');
    expect(project.state().phases['01-requirements']).toMatchObject({
      status: 'completed',
      gate_passed: expect.stringMatching(/^\d{4}-/),
      gate_validation: { status: 'passed' },
    });
    expect(project.state().active_workflow).toMatchObject({
      current_phase: '02-tracing',
      current_phase_index: 1,
      phase_status: { '01-requirements': 'completed', '02-tracing': 'pending' },
    });
  });

  it('binds tests to the tree: an edit that no tool told of closes the gate again', () => {
    project.done('start test-generate');
    reach('06-implementation');
    project.delegate('software-developer');
    project.done('record constitution --articles I,II,III,V,VI,VII,VIII,IX,X');
    expect(missing()).toEqual(['test_iteration']);
    project.test('pass');
    expect(missing()).toEqual([]);
    project.rig.write('b.txt', 'not tested\n');
    const { exitCode, stderr } = project.flow('advance');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('files have changed since the tests passed');
    project.test('pass');
    project.test('fail');
    expect(missing()).toEqual(['test_iteration']);
    project.test('pass');
    project.done('advance');
    expect(project.status().phase).toBe('11-local-testing');
  });

  it('ends with the last gate: the workflow is history, and its branch may be merged', () => {
    project.done('start upgrade --artifact UPG-0001-node');
    reach('08-code-review');
    const commit = project.events.pre('Bash', { command: 'git push origin HEAD:main' });
    expect(deniedBecause(project.rig.hook(commit))).toContain('upgrade/UPG-0001-node');
    project.done('approve GATE-08');
    expect(project.done('advance').stdout).toContain('upgrade/UPG-0001-node may be merged');
    expect(project.state()).toMatchObject({ active_workflow: null, current_phase: null });
    expect(project.state().workflow_history).toMatchObject([
      { type: 'upgrade', status: 'completed', git_branch: { status: 'completed' } },
    ]);
    expect(project.rig.hook(commit)).toMatchObject({ exitCode: 0, stdout: '' });
    expect(project.status()).toMatchObject({ active: false, workflow: null, phases: [], missing: [] });
    expect(project.done('status').stdout).toContain('upgrade UPG-0001-node, completed');
  });

  it('lets a mild workflow pass, and says what it missed', () => {
    project.done('start reverse-engineer');
    project.done('begin');
    const { stdout } = project.done('advance');
    expect(stdout).toContain('R2-characterization-tests');
  });

  it('refuses to leave a phase where state and workflow disagree, and a rollback sets that right', () => {
    project.done('start feature --artifact REQ-0001-x');
    reach('02-impact-analysis');
    const state = project.state();
    const odd = { ...state, active_workflow: { ...state.active_workflow, current_phase_index: 7 } };
    writeFileSync(join(project.rig.repo, OWN_STATE), JSON.stringify(odd));
    const { exitCode, stderr } = project.flow('advance');
    expect(exitCode).toBe(1);
    expect(stderr).toContain("Expected phase '11-local-testing' at index 7");
    expect(project.flow('rollback 07-testing', AS_AGENT).exitCode).toBe(1);
    project.done('rollback 02-impact-analysis', AS_AGENT);
    expect(project.status()).toMatchObject({ phase: '02-impact-analysis', index: 2 });
  });

  it('is brought back into a phase by a rollback where the state names none', () => {
    project.done('start feature --artifact REQ-0001-x');
    const { current_phase: _, active_workflow: workflow, ...state } = project.state();
    const { current_phase: __, current_phase_index: ___, ...lost } = workflow as Record<string, unknown>;
    writeFileSync(join(project.rig.repo, OWN_STATE), JSON.stringify({ ...state, active_workflow: lost }));
    expect(project.flow('advance').stderr).toContain('holdpoint flow rollback PHASE');
    expect(project.flow('rollback 07-testing', AS_AGENT).stderr).toContain('is in no phase');
    project.done('rollback 00-quick-scan', AS_AGENT);
    expect(project.status()).toMatchObject({ phase: '00-quick-scan', index: 0 });
  });
});

describe('flow record', () => {
  beforeEach(() => {
    project.done('start fix --artifact BUG-0001-x');
    project.done('begin');
  });

  it('adds up articles; it is one round as long as some are new', () => {
    expect(project.done('record constitution --articles I,iv').stdout).toContain('VII, IX, XII');
    expect(project.state().phases['01-requirements']).toMatchObject({
      constitutional_validation: { completed: false, status: 'iterating', iterations_used: 1 },
    });
    for (const one of ['VII', 'IX']) project.done(`record constitution --articles ${one}`);
    project.done('record constitution --articles VII');
    expect(project.done('record constitution --articles XII').stdout).toContain(
      'is checked against I, IV, VII, IX, XII',
    );
    expect(project.state().phases['01-requirements']).toMatchObject({
      constitutional_validation: {
        completed: true,
        status: 'compliant',
        iterations_used: 2,
        articles_checked: ['I', 'IV', 'VII', 'IX', 'XII'],
      },
    });
  });

  it('leaves it to a person when all rounds are used up', () => {
    for (let round = 0; round < 5; round++) project.done('record constitution --articles I');
    expect(project.state().phases['01-requirements']).toMatchObject({
      constitutional_validation: { status: 'escalated', completed: false },
    });
    for (const args of ['record constitution --articles IV,VII,IX,XII', 'redo']) {
      const { exitCode, stderr } = project.flow(args, AS_AGENT);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('holdpoint flow approve GATE-01');
    }
    project.done('redo');
    expect(project.state().phases['01-requirements']).not.toHaveProperty('constitutional_validation');
  });

  it.each([
    ['no articles', 'record constitution', 2, '--articles'],
    ['what is no article', 'record constitution --articles I,4', 2, "'4'"],
    ['an end of questions that nobody was asked', 'record elicitation --final save', 1, '0 of 1'],
    ['no choice', 'record elicitation', 2, '--final'],
    ['an unknown choice', 'record elicitation --final perhaps', 2, "unknown choice 'perhaps'. Known: "],
    ['something else', 'record tests', 2, 'constitution'],
  ])('refuses %s', (_, args, exitCode, words) => {
    const ended = project.flow(args);
    expect(ended.exitCode).toBe(exitCode);
    expect(ended.stderr).toContain(words);
    expect(project.state().phases['01-requirements']).not.toHaveProperty('iteration_requirements');
  });

  it('stands in the journal, with who did it', () => {
    project.done('record constitution --articles I', AS_AGENT);
    const { stdout } = project.rig.holdpoint(['log', '--json']);
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as unknown;
    expect(last).toMatchObject({ event: 'flow record', tool: 'constitution I', actor: 'agent' });
  });

  it('takes nothing for a phase that does not ask for it', () => {
    project.rig.write(
      '.holdpoint/config.yaml',
      'workflow: {overrides: {fix: {01-requirements: {constitution: false}}}}\n',
    );
    const { exitCode, stderr } = project.flow('record constitution --articles I');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('needs no check against the constitution');
  });
});

describe('flow approve', () => {
  beforeEach(() => {
    project.done('start fix --artifact BUG-0001-x');
    project.done('begin');
  });

  it('opens a gate as it stands, and names what was waived', () => {
    const { stdout } = project.done('approve GATE-01');
    expect(stdout).toContain('Waived: constitutional_validation, interactive_elicitation, agent_delegation');
    expect(project.state().phases['01-requirements']).toMatchObject({
      gate_approval: {
        approved_by: 'person',
        waived: ['constitutional_validation', 'interactive_elicitation', 'agent_delegation'],
      },
      constitutional_validation: { escalation_approved: true },
    });
    expect(missing()).toEqual([]);
    project.done('advance');
  });

  it.each(['gate-01', '01', '01-requirements'])('knows the gate by the name %s', (name) => {
    project.done(`approve ${name}`);
  });

  it.each([
    ['a gate of another phase', 'approve GATE-06', 1, 'GATE-01 of 01-requirements'],
    ['no gate', 'approve', 2, 'GATE'],
  ])('refuses %s', (_, args, exitCode, words) => {
    const ended = project.flow(args);
    expect(ended.exitCode).toBe(exitCode);
    expect(ended.stderr).toContain(words);
  });

  it('ends what was escalated, and with it the corridor of failing tests', () => {
    reach('06-implementation');
    for (let run = 0; run < 3; run++) project.test('fail');
    expect(project.state().phases['06-implementation']).toMatchObject({
      iteration_requirements: {
        test_iteration: { status: 'escalated', escalation_reason: 'circuit_breaker' },
      },
    });
    expect(project.flow('redo', AS_AGENT).exitCode).toBe(1);
    project.done('approve GATE-06');
    const order = {
      subagent_type: 'sdlc-orchestrator',
      prompt: 'Advance to the next phase.',
      description: '',
    };
    expect(project.rig.hook(project.events.pre('Task', order))).toMatchObject({ stdout: '' });
    project.test('fail');
    expect(project.rig.hook(project.events.pre('Task', order))).toMatchObject({ stdout: '' });
    project.done('advance');
  });
});

describe("in an agent's shell", () => {
  it.each(['redo', 'rollback 05-test-strategy'])('%s keeps counting equal failures', (args) => {
    project.done('start feature --artifact REQ-0001-x');
    reach('06-implementation');
    for (let run = 0; run < 2; run++) project.test('fail');
    project.done(args, AS_AGENT);
    if (args !== 'redo') reach('06-implementation');
    project.test('fail');
    expect(project.state().phases['06-implementation']).toMatchObject({
      iteration_requirements: { test_iteration: { escalation_reason: 'circuit_breaker' } },
    });
  });

  it('redo starts counting anew after tests have passed, or when a person runs it', () => {
    project.done('start feature --artifact REQ-0001-x');
    reach('06-implementation');
    project.test('pass');
    project.done('redo', AS_AGENT);
    expect(project.state().phases['06-implementation']).not.toHaveProperty('iteration_requirements');
    for (let run = 0; run < 2; run++) project.test('fail');
    project.done('redo');
    expect(project.state().phases['06-implementation']).not.toHaveProperty('iteration_requirements');
  });

  it.each([
    ['approve', 'approve GATE-01'],
    ['suspend', 'suspend'],
    ['cancel', 'cancel --reason "it is hard"'],
  ])('%s is refused', (command, args) => {
    project.done('start fix --artifact BUG-0001-x', AS_AGENT);
    const before = project.state();
    for (const env of [{ CLAUDECODE: '1' }, { AI_AGENT: 'x' }]) {
      const { exitCode, stderr, stdout } = project.flow(args, { env });
      expect(exitCode).toBe(1);
      expect(stderr).toContain('Only a person');
      expect(stderr).toContain(`holdpoint flow ${command}`);
      expect(stdout).toBe('');
    }
    expect(project.state()).toEqual(before);
  });
});

describe('going back', () => {
  beforeEach(() => {
    project.done('start feature --artifact REQ-0001-x');
    reach('03-architecture');
  });

  it('redoes the current phase: what it has shown counts no more, and it is begun', () => {
    project.delegate('solution-architect');
    project.done('record constitution --articles III,IV,V,VII,IX,X');
    expect(missing()).toEqual([]);
    project.done('redo');
    expect(missing()).toEqual(['constitutional_validation', 'agent_delegation']);
    expect(project.state().phases['03-architecture']).toMatchObject({ status: 'in_progress' });
  });

  it('redoes an earlier phase, and keeps what later ones have shown', () => {
    project.done('redo 01-requirements');
    expect(project.status()).toMatchObject({ phase: '01-requirements', index: 1 });
    expect(missing()).toContain('agent_delegation');
    project.done('approve GATE-01');
    project.done('advance');
    expect(project.status()).toMatchObject({ phase: '02-impact-analysis', missing: [] });
    project.done('advance');
    expect(project.status().phase).toBe('03-architecture');
  });

  it('rolls back: that phase and all after it are to be done again', () => {
    project.done('rollback 01-requirements');
    expect(
      project
        .status()
        .phases.slice(0, 4)
        .map(({ status }) => status),
    ).toEqual(['completed', 'in_progress', 'pending', 'pending']);
    project.done('approve GATE-01');
    project.done('advance');
    expect(missing()).toContain('phase_started');
    expect(missing()).toContain('constitutional_validation');
  });

  it.each([
    ['a phase that has not been reached', 'rollback 06-implementation', 1, 'has not reached'],
    ['a phase that there is not', 'redo 03-architecure', 1, "Did you mean '03-architecture'?"],
    ['a rollback to nowhere', 'rollback', 2, 'PHASE'],
  ])('refuses %s', (_, args, exitCode, words) => {
    const before = project.state();
    const ended = project.flow(args);
    expect(ended.exitCode).toBe(exitCode);
    expect(ended.stderr).toContain(words);
    expect(project.state()).toEqual(before);
  });
});

describe('suspend, resume and cancel', () => {
  const commit = (): ReturnType<FlowProject['rig']['hook']> => {
    return project.rig.hook(project.events.pre('Bash', { command: 'git commit -m x' }));
  };

  beforeEach(() => {
    project.done('start fix --artifact BUG-0001-x');
    project.done('begin');
    project.rig.git('switch', '--quiet', 'main');
  });

  it('lets the rules rest while the state stays protected', () => {
    expect(deniedBecause(commit())).toContain('bugfix/BUG-0001-x');
    project.done('suspend');
    expect(project.status()).toMatchObject({ active: false, suspended: true, phase: '01-requirements' });
    expect(commit()).toMatchObject({ exitCode: 0, stdout: '' });
    const write = { command: `echo '{}' > ${OWN_STATE}` };
    expect(deniedBecause(project.rig.hook(project.events.pre('Bash', write)))).toContain('workflow.json');
    for (const args of ['advance', 'begin', 'redo', 'approve GATE-01', 'suspend']) {
      expect(project.flow(args).exitCode).toBe(1);
    }
    expect(project.done('resume').stdout).toContain('git switch bugfix/BUG-0001-x');
    expect(deniedBecause(commit())).toContain('bugfix/BUG-0001-x');
    expect(project.flow('resume').exitCode).toBe(1);
  });

  it('makes room for another workflow, and comes back with what it had shown', () => {
    project.done('record constitution --articles I');
    project.done('suspend');
    project.done('start fix --artifact BUG-0002-urgent');
    expect(missing()).toContain('constitutional_validation');
    expect(project.state().phases['01-requirements']).not.toHaveProperty('constitutional_validation');
    project.done('cancel --reason "was none"');
    expect(project.status()).toMatchObject({ active: false, suspended: true, phase: '01-requirements' });
    project.done('resume');
    expect(project.state().active_workflow).toMatchObject({ artifact_folder: 'BUG-0001-x' });
    expect(project.state().phases['01-requirements']).toMatchObject({
      constitutional_validation: { articles_checked: ['I'] },
    });
  });

  it('counts no delegation that was done while it was suspended, or for another workflow', () => {
    project.done('suspend');
    project.delegate('requirements-analyst');
    project.done('resume');
    expect(missing()).toContain('agent_delegation');
    project.done('suspend');
    project.done('start fix --artifact BUG-0002-urgent');
    project.done('begin');
    project.delegate('requirements-analyst');
    expect(missing()).not.toContain('agent_delegation');
    project.done('cancel --reason "was none"');
    project.done('resume');
    expect(missing()).toContain('agent_delegation');
    project.delegate('requirements-analyst');
    expect(missing()).not.toContain('agent_delegation');
  });

  it('cancels with a reason, which is kept', () => {
    expect(project.flow('cancel')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(project.flow('cancel --reason " "').exitCode).toBe(2);
    project.done('cancel --reason "no longer wanted"');
    expect(project.state()).toMatchObject({
      active_workflow: null,
      workflow_history: [
        {
          status: 'cancelled',
          cancellation_reason: 'no longer wanted',
          cancelled_at_phase: '01-requirements',
          git_branch: { name: 'bugfix/BUG-0001-x', status: 'abandoned' },
        },
      ],
    });
    expect(project.rig.git('branch', '--list', 'bugfix/*')).toContain('bugfix/BUG-0001-x');
    expect(commit()).toMatchObject({ exitCode: 0, stdout: '' });
    expect(project.flow('cancel --reason again').exitCode).toBe(1);
  });
});

describe('flow status', () => {
  it('has the same keys whether a workflow is active or not', () => {
    const none = project.flow('status --json');
    expect(none).toMatchObject({ exitCode: 0, stderr: '' });
    project.done('start feature --artifact REQ-0001-x');
    expect(Object.keys(project.status())).toEqual(Object.keys(none.json as object));
    expect(project.status()).toMatchObject({
      active: true,
      workflow: 'feature',
      phase: '00-quick-scan',
      index: 0,
      branch: 'feature/REQ-0001-x',
      missing: [{ what: 'phase_started', how: 'run `holdpoint flow begin`' }],
    });
    expect(project.status().phases).toHaveLength(11);
  });

  it('is part of the status of everything', () => {
    project.done('start feature --artifact REQ-0001-x');
    expect(project.rig.holdpoint(['status']).stdout).toMatch(/Workflow\n.*feature REQ-0001-x.*1\/11/);
    expect(project.rig.holdpoint(['status', '--json']).json).toMatchObject({
      workflow: { active: true, phase: '00-quick-scan' },
    });
  });

  it.each([
    'begin',
    'advance',
    'redo',
    'suspend',
    'resume',
    'cancel --reason x',
    'approve GATE-01',
    'record constitution --articles I',
  ])('without a workflow `%s` says so', (args) => {
    const { exitCode, stderr } = project.flow(args);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('No workflow is active');
    expect(existsSync(join(project.rig.repo, OWN_STATE))).toBe(false);
  });

  it.each(['start feature', 'begin', 'advance', 'redo', 'status', 'approve GATE-01'])(
    'a state that nobody can read is left alone: `%s` names the file',
    (args) => {
      project.rig.write(OWN_STATE, '{"active_wor');
      const { exitCode, stderr } = project.flow(args);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('workflow.json');
      expect(readFileSync(join(project.rig.repo, OWN_STATE), 'utf8')).toBe('{"active_wor');
      expect(project.rig.git('branch', '--show-current')).toBe('main');
    },
  );

  it('outside of a project is a clear error', () => {
    const { exitCode, stderr } = project.flow('status', { cwd: project.rig.home });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('git');
  });
});
