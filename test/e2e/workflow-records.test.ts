import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OTHER_SESSION, SESSION } from './events';
import { at, type HostDocument, heldBecause, runNow } from './rig';
import {
  bash,
  bashed,
  expectAllowed,
  expectDenied,
  inPhase,
  skilled,
  stop,
  task,
  tasked,
  told,
  type WorkflowProject,
  workflowProject,
} from './workflow-project';

const PHASE = '06-implementation';
let project: WorkflowProject;

beforeEach(() => {
  project = workflowProject();
});

afterEach(() => project.rig.remove());

describe('the log of delegations', () => {
  it.each([
    ['qa', 'qa-engineer', '08-code-review', 'observed', 'cross-phase-usage'],
    ['software-developer', 'software-developer', PHASE, 'executed', 'authorized-phase-match'],
    ['orchestrator', 'sdlc-orchestrator', 'all', 'executed', 'authorized-orchestrator'],
    ['Explore', 'explore', '', 'executed', 'allowed'],
    ['d0', 'discover-orchestrator', 'setup', 'executed', 'allowed'],
  ])('has %s as %s', (given, agent, agent_phase, status, reason) => {
    project.state(inPhase(PHASE));
    expectAllowed(project.hook(tasked(given, 'p', 'done', { tool_use_id: 'toolu_1' })));
    project.hook(tasked(given, 'p', 'done', { tool_use_id: 'toolu_1' }));
    expect(at(project.stored(), 'skill_usage_log')).toEqual([
      expect.objectContaining({
        agent,
        agent_phase,
        current_phase: PHASE,
        status,
        reason,
        enforcement_mode: 'strict',
      }),
    ]);
  });

  it('has no delegation that failed, and none where it is switched off', () => {
    const state = inPhase(PHASE);
    project.state(state);
    project.hook({ ...tasked('qa', 'p', 'x'), hook_event_name: 'PostToolUseFailure', error: 'x' });
    expect(project.stored()).toEqual(state);
    const off = { ...state, skill_enforcement: { enabled: false } };
    project.state(off);
    project.hook(tasked('qa', 'p', 'x'));
    expect(project.stored()).toEqual(off);
  });
});

describe('a person who is asked', () => {
  const elicitation = (): unknown =>
    at(project.stored(), 'phases', '01-requirements', 'iteration_requirements', 'interactive_elicitation');
  const asked = (answer: unknown, id: string): HostDocument => ({
    session_id: SESSION,
    hook_event_name: 'PostToolUse',
    tool_name: 'AskUserQuestion',
    tool_input: {},
    tool_response: answer,
    tool_use_id: id,
  });

  const prompt = (text: string): HostDocument => ({
    session_id: SESSION,
    hook_event_name: 'UserPromptSubmit',
    prompt: text,
  });
  const advance = task('sdlc-orchestrator', 'Advance to the next phase.');
  let calls = 0;
  const id = () => `call-${calls++}`;
  const reported = (text: string) =>
    void project.hook(tasked('requirements-analyst', 'p', text, { tool_use_id: id() }));

  beforeEach(() => project.state(inPhase('01-requirements')));

  it('is counted, and the last choice is kept', () => {
    project.hook(asked({ answers: { 'Which login?': 'OAuth' } }, 'a'));
    project.hook(asked({ answers: { 'Which login?': 'OAuth' } }, 'a'));
    project.hook(
      tasked('requirements-analyst', 'p', '[A] Adjust\n[R] Refine\n[C] Continue\nYour choice:', {
        tool_use_id: 'b',
      }),
    );
    expect(elicitation()).toMatchObject({ menu_interactions: 2, questions_answered: 1, completed: false });
    project.hook(prompt('c'));
    project.hook(asked({ answers: { 'What now?': 'Save' } }, 'c'));
    expect(elicitation()).toMatchObject({ questions_answered: 3, completed: true, final_selection: 'save' });
  });

  it.each(['continue', 'save', 's', '[X] Exit'])('gives no answer where nothing was asked: %s', (text) => {
    for (let turn = 0; turn < 3; turn++) project.hook(prompt(text));
    expect(elicitation()).toBeUndefined();
    expectDenied(project.hook(advance), '0 of 3 times');
  });

  it.each<[string, () => void]>([
    ['agents only say what was chosen', () => reported('User selected: [S] Save')],
    ['menus are shown and nobody answers', () => reported('[A] Adjust\n[S] Save\nYour choice:')],
    [
      'questions are dismissed',
      () => project.hook(asked({ questions: [{ question: 'Which?' }], answers: {} }, id())),
    ],
    [
      'questions come back without answers',
      () => project.hook(asked({ questions: [{ question: 'Save' }] }, id())),
    ],
    ['questions are declined', () => project.hook(asked('User declined to answer questions', id()))],
  ])('has answered nothing where %s', (_, act) => {
    for (let turn = 0; turn < 3; turn++) act();
    expect(elicitation()).not.toMatchObject({ completed: true });
    expectDenied(project.hook(advance), '0 of 3 times');
  });

  it('answers an open menu once, however often it was shown and answered', () => {
    for (let turn = 0; turn < 3; turn++) reported('[A] Adjust\n[C] Continue\nYour choice:');
    for (let turn = 0; turn < 3; turn++) project.hook(prompt('continue'));
    expectDenied(project.hook(advance), '1 of 3 times');
  });

  it('may answer a menu of the last message by a letter; an early save completes nothing', () => {
    const menu = stop(false, { last_assistant_message: 'Draft.\n[A] Adjust\n[C] Continue\n[S] Save' });
    project.hook(menu);
    project.hook(prompt('s'));
    expect(elicitation()).toMatchObject({ questions_answered: 1, last_selection: 'save', completed: false });
    for (const answer of ['r', 'save']) {
      project.hook(menu);
      project.hook(prompt(answer));
    }
    expect(elicitation()).toMatchObject({ questions_answered: 3, completed: true, final_selection: 'save' });
  });

  it('is asked again after the choice to exit, before another result counts', () => {
    for (const answer of ['OAuth', 'No', 'Exit']) project.hook(asked({ answers: { 'What?': answer } }, id()));
    expect(elicitation()).toMatchObject({ completed: true, final_selection: 'exit' });
    const record = () => project.rig.holdpoint(['flow', 'record', 'elicitation', '--final', 'save']);
    expect(record()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('The user chose exit') });
    expectDenied(project.hook(advance), 'the user chose exit; ask them');
    reported('User selected: [S] Save\n[A] Adjust\nYour choice:');
    expect(record().exitCode).toBe(1);
    project.hook(asked({ answers: { 'Go on?': 'Yes, as it is' } }, id()));
    expect(record().exitCode).toBe(0);
    expect(elicitation()).toMatchObject({ final_selection: 'save' });
  });

  it.each<[string, string[], string, string | undefined]>([
    ['a letter of the menu itself', ['[C] Continue', '[S] Save'], 'S', 'save'],
    ['a word', ['Save', 'Not yet'], 'Save', 'save'],
    ['not a letter that means something else', ['S', 'M', 'L', 'XL'], 'S', undefined],
  ])('chooses by %s', (_, labels, answer, chosen) => {
    const questions = [{ question: 'Which?', options: labels.map((label) => ({ label })) }];
    project.hook({ ...asked({ answers: { 'Which?': answer } }, id()), tool_input: { questions } });
    expect(at(elicitation(), 'questions_answered')).toBe(1);
    expect(at(elicitation(), 'last_selection')).toBe(chosen);
  });

  it.each(['The user selects OAuth', 'selected scope is small', 'our selection criteria'])(
    'is not read into prose: %s',
    (text) => {
      project.hook(tasked('requirements-analyst', 'show [A] Adjust and [R] Refine', text));
      expect(elicitation()).toBeUndefined();
    },
  );
});

describe('a skill that has to delegate', () => {
  beforeEach(() => project.state({ active_workflow: null }));

  it('is remembered, asked for once, and then let go', () => {
    expect(told(project.hook(skilled('sdlc', 'feature "x"')))).toContain('MANDATORY DELEGATION REQUIRED:');
    expect(at(project.stored(), 'pending_delegation')).toMatchObject({
      skill: 'sdlc',
      required_agent: 'sdlc-orchestrator',
      args: 'feature "x"',
    });
    expectAllowed(project.hook(stop(false, { session_id: OTHER_SESSION })));
    expect(heldBecause(project.hook(stop()))).toContain(
      'You loaded /sdlc but did not delegate to the "sdlc-orchestrator" agent',
    );
    const ended = project.hook(stop(true));
    expect(at(ended.json, 'decision')).toBeUndefined();
    expect(at(ended.json, 'systemMessage')).toContain('sdlc-orchestrator');
    expect(at(project.stored(), 'pending_delegation')).toBeNull();
    expectAllowed(project.hook(stop(true)));
  });

  it('is done with by the delegation', () => {
    project.hook(skilled('/isdlc', 'build x'));
    project.hook(tasked('orchestrator', 'go', 'done'));
    expectAllowed(project.hook(stop()));
    expect(at(project.stored(), 'pending_delegation')).toBeNull();
  });

  it('is the same when a person types it', () => {
    const typed = { session_id: SESSION, hook_event_name: 'UserPromptSubmit', prompt: '/discover' };
    expect(told(project.hook(typed))).toContain('discover-orchestrator');
    heldBecause(project.hook(stop()));
  });

  it('is not owed for ever, nor by what delegates nothing', () => {
    const pending = {
      skill: 'sdlc',
      required_agent: 'sdlc-orchestrator',
      invoked_at: '2026-01-01T00:00:00Z',
    };
    project.state({ active_workflow: null, pending_delegation: pending });
    expectAllowed(project.hook(stop()));
    project.hook(skilled('sdlc', 'status'));
    expect(at(project.stored(), 'pending_delegation')).toBeNull();
    project.hook(skilled('isdlc', 'analyze "x"'));
    expect(at(project.stored(), 'pending_delegation')).toBeNull();
  });

  it('is not done with by an older delegation where nobody knows since when it is owed', () => {
    const skill_usage_log = [{ agent: 'sdlc-orchestrator', timestamp: '2020-01-01T00:00:00Z' }];
    const pending = { skill: 'sdlc', required_agent: 'sdlc-orchestrator', invoked_at: 'soon' };
    project.state({ active_workflow: null, pending_delegation: pending, skill_usage_log });
    heldBecause(project.hook(stop()));
  });
});

describe('advice', () => {
  it('reminds a team of reviews', () => {
    const commit = bashed('git commit -m x', '');
    project.state({ code_review: { enabled: false, team_size: 2 } });
    expect(told(project.hook(commit))).toContain('review');
    expectAllowed(project.hook(bashed('git push', '')));
    for (const code_review of [
      { enabled: true, team_size: 2 },
      { enabled: false, team_size: 1 },
    ]) {
      project.state({ code_review });
      expectAllowed(project.hook(commit));
    }
  });

  it.each([[{}], [{ walkthrough_completed: false }]])('asks for the walkthrough: %j', (discovery_context) => {
    project.state({ discovery_context });
    expect(told(project.hook(tasked('d0', 'x', 'All done.')))).toContain(
      '[walkthrough-tracker] WARNING: Discovery completed without constitution walkthrough.',
    );
  });

  it.each([
    ['it was done', { discovery_context: { walkthrough_completed: true } }, 'd0', 'All done.'],
    ['there was no discovery', {}, 'd0', 'All done.'],
    ['it was another agent', { discovery_context: {} }, 'Explore', 'All done.'],
    ['nothing has ended', { discovery_context: {} }, 'd0', ''],
  ])('does not ask for the walkthrough where %s', (_, state, agent, result) => {
    project.state(state);
    expectAllowed(project.hook(tasked(agent, 'x', result)));
  });

  const WELCOME = 'Welcome! What would you like to do with this project?\n';

  it.each([
    [
      '[1] New Project [2] Existing Project [3] Scoped Analysis [4] Chat / Explore',
      'Found removed options: Scoped Analysis',
    ],
    ['1. New Project\n2. Existing Project\n3. Auto-detect', 'Missing options: Chat / Explore'],
    ['[1] New Project\n[2] Existing Project', 'Missing options: Chat / Explore'],
  ])('tells of a wrong menu: %s', (menu, text) => {
    project.state({});
    const ended = project.hook(tasked('discover-orchestrator', 'x', WELCOME + menu));
    expect(told(ended)).toContain('[discover-menu-guard] WARNING: Incorrect discover menu detected.');
    expect(told(ended)).toContain(text);
  });

  it('finds the menu wherever it was shown', () => {
    const menu = `${WELCOME}[1] New Project\n[2] Existing Project\n[4] Auto-detect`;
    const { tool_response: _, ...bare } = tasked('discover-orchestrator', 'x', '');
    for (const event of [
      { ...bare, tool_result: menu },
      tasked('discover-orchestrator', menu, 'The person chose one.'),
      tasked('discover-orchestrator', 'x', menu, { tool_name: 'Agent' }),
    ]) {
      project.state({});
      expect(told(project.hook(event))).toContain('Incorrect discover menu detected');
    }
    expectAllowed(project.hook(tasked('Explore', 'x', menu)));
  });

  it.each([
    ['the right menu', `${WELCOME}[1] New Project [2] Existing Project [3] Chat / Explore`],
    [
      'the menu of a second discovery',
      `${WELCOME}1. **Re-discover (full)**\n2. **Re-discover (incremental)**\n3. **Chat / Explore**`,
    ],
    [
      'a numbered report',
      `${WELCOME}1. We auto-detect your stack from package.json.\n2. This existing project uses Express.\n3. New project files were not found.`,
    ],
    ['too short a text', '[1] New Project [2] Scoped Analysis'],
    ['no numbers', `${WELCOME}New Project, Existing Project or Scoped Analysis`],
  ])('has nothing against %s', (_, text) => {
    project.state({});
    expectAllowed(project.hook(tasked('discover-orchestrator', 'x', text)));
  });
});

describe('the way to the rules', () => {
  it('--only lets one of them speak', () => {
    project.state({ active_workflow: { type: 'feature', current_phase: '03-architecture' }, phases: {} });
    const go = task('software-developer', 'go');
    expectDenied(project.hook(go, { only: 'phase-loop-controller' }), 'PROGRESS TRACKING');
    expectDenied(project.hook(go, { only: 'phase-sequence-guard' }), 'OUT-OF-ORDER');
    expectAllowed(project.hook(go, { only: 'branch-guard' }));
    expectDenied(project.hook(go), 'PROGRESS TRACKING', 'Also: OUT-OF-ORDER');
  });

  it.each<[string, unknown, HostDocument, string]>([
    ['phase-sequence-guard', inPhase('03-architecture'), task('software-developer', 'go'), 'OUT-OF-ORDER'],
    [
      'phase-loop-controller',
      { ...inPhase(PHASE), phases: {} },
      task('software-developer', 'go'),
      'PROGRESS TRACKING',
    ],
    ['gate-blocker', inPhase(PHASE), task('sdlc-orchestrator', 'advance the gate'), 'GATE BLOCKED'],
    [
      'branch-guard',
      inPhase(PHASE, { git_branch: { name: 'feature/x', status: 'active' } }),
      bash('git commit -m x'),
      'COMMIT TO MAIN',
    ],
    ['state-write-validator', inPhase(PHASE), bash('rm .isdlc/state.json'), 'STATE WRITE'],
  ])('a mode makes a rule milder: %s', (rule, state, event, text) => {
    project.rig.git('switch', '-q', '-c', 'main');
    const heard = (mode: string) => {
      project.rig.write('.holdpoint/config.yaml', `workflow: {rules: {${rule}: {mode: ${mode}}}}\n`);
      project.state(state);
      return project.hook(event, { only: rule });
    };
    const decision = (mode: string) => at(heard(mode).json, 'hookSpecificOutput', 'permissionDecision');
    expectDenied(heard('deny'), text);
    expect(decision('ask')).toBe('ask');
    expect(decision('warn')).toBeUndefined();
    expect(told(heard('warn'))).toContain(text);
    expectAllowed(heard('observe'));
    expect(journal()).toContain(`"rule":"${rule}"`);
    expectAllowed(heard('disabled'));
    expect(project.stored()).toEqual(state);
  });

  function journal(): string {
    return (
      readFileSync(join(project.rig.repo, '.git/holdpoint/journal.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .at(-1) ?? ''
    );
  }

  it('whoever asks sees how they think', () => {
    project.state(inPhase('03-architecture'));
    const go = task('solution-architect', 'go');
    expect(project.hook(go).stderr).toBe('');
    const { stderr } = project.hook(go, { env: { SKILL_VALIDATOR_DEBUG: 'true' } });
    expect(stderr).toContain('[skill-validator] phase-sequence-guard: nothing to say');
    expect(stderr).toContain('phase 03-architecture');
  });

  it('a document as the older hooks were tested with is enough', () => {
    const { rig } = project;
    const send = (document: object) =>
      runNow('hook', [], JSON.stringify(document), {
        cwd: rig.repo,
        env: rig.environment({ CLAUDE_PROJECT_DIR: rig.repo }),
      });
    project.state(inPhase('03-architecture'));
    const tool_input = { subagent_type: 'software-developer', prompt: 'build it' };
    expectDenied(send({ tool_name: 'Task', tool_input }), 'OUT-OF-ORDER');
    expectAllowed(send({ tool_name: 'Task', tool_input: null }));
    send({ tool_name: 'Task', tool_input, tool_result: 'done' });
    expect(at(project.stored(), 'skill_usage_log')).toHaveLength(1);
  });

  it('a suspended workflow rests, but its state stays protected', () => {
    project.state(inPhase('03-architecture', { suspended_at: '2026-01-01T00:00:00Z' }));
    expectAllowed(project.hook(task('software-developer', 'go')));
    expectDenied(project.hook(bash('echo {} > .isdlc/state.json')), 'STATE WRITE BLOCKED');
  });

  it('a project without git is guarded too, and nothing but its state is written', () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-seed-')));
    mkdirSync(join(dir, '.isdlc'));
    writeFileSync(join(dir, '.isdlc/state.json'), JSON.stringify(inPhase('03-architecture')));
    const run = (event: HostDocument) =>
      runNow('hook', [], JSON.stringify({ ...event, cwd: dir }), {
        cwd: dir,
        env: project.rig.environment(),
      });
    expectDenied(run(task('software-developer', 'go')), 'OUT-OF-ORDER');
    expectAllowed(run(bash('git commit -m x')));
    run(tasked('solution-architect', 'p', 'done'));
    expect(JSON.parse(readFileSync(join(dir, '.isdlc/state.json'), 'utf8'))).toHaveProperty(
      'skill_usage_log',
    );
    expect(readdirSync(dir)).toEqual(['.isdlc']);
    rmSync(dir, { recursive: true });
  });

  it('a project without the older directory has its state with git', () => {
    project.rig.remove();
    project = workflowProject();
    rmSync(join(project.rig.repo, '.isdlc'), { recursive: true });
    project.rig.write('.holdpoint/config.yaml', 'workflow: {extends: preset:isdlc}\n');
    project.rig.write('.git/holdpoint/workflow.json', JSON.stringify(inPhase('03-architecture')));
    expectDenied(
      project.hook(task('software-developer', 'go')),
      'Held by phase-sequence-guard: software-developer',
    );
  });
});
