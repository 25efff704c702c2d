import { afterEach, describe, expect, it } from 'vitest';
import { KEY } from './events';
import { configWith, contextOf, type Project, projectWith, SILENT } from './requirements-project';

const GATE = 'design_approved: {enabled: true, auto_resolve_skill: team:brainstorming}';
const WORK = 'please think about the login page';
let project: Project;

const open = (hooks = '{}', gate = GATE): void => {
  project = projectWith(configWith(gate, `hooks: ${hooks}`));
};

afterEach(() => project.rig.remove());

const prompt = (text: string, more = {}) => project.send('UserPromptSubmit', { prompt: text, ...more });
const planMode = () => project.rig.hook(project.on.post('EnterPlanMode', {}));

describe('a session in which no design is agreed on', () => {
  it.each([
    ['a prompt that asks for work', () => prompt(WORK)],
    ['plan mode', planMode],
  ])('is told to think first at %s, and only once', (_sentence, act) => {
    open();
    const told = act();
    expect(told).toMatchObject({ exitCode: 0, stderr: '' });
    expect(contextOf(told)).toContain('`design_approved`');
    expect(contextOf(told)).toContain('/team:brainstorming');
    expect(prompt(WORK)).toMatchObject(SILENT);
    expect(planMode()).toMatchObject(SILENT);
  });

  it.each(['yes', 'go on then', '/clear the whole thing now', '!ls -la some dir'])(
    'hears nothing at a prompt such as %j',
    (text) => {
      open();
      expect(prompt(text)).toMatchObject(SILENT);
      expect(contextOf(prompt(WORK))).not.toBe('');
    },
  );

  it('hears nothing once one is agreed on, or while it is paused', () => {
    open();
    project.rig.req(['pause', '--session', KEY]);
    expect(prompt(WORK)).toMatchObject(SILENT);
    project.rig.req(['resume', '--session', KEY]);
    project.satisfy('design_approved', '--session', KEY);
    expect(prompt(WORK)).toMatchObject(SILENT);
  });

  it.each([
    ['{prompt_submit: {brainstorm_nudge: false}}', () => prompt(WORK)],
    ['{plan_enter: {brainstorm_on_enter: false}}', planMode],
  ])('hears nothing where the config says so: %s', (hooks, act) => {
    open(hooks);
    expect(act()).toMatchObject(SILENT);
  });
});

describe('a prompt that asks for a change', () => {
  const CHANGE = 'Fix the login page.';
  const remindedOf = (text: string): string => contextOf(prompt(text));

  it('is followed by a reminder of what is open, after what precedes a design', () => {
    open(
      '{}',
      `${GATE}, commit_plan: {enabled: true}, on_main: {enabled: true, type: guard, guard_type: protected_branch}`,
    );
    expect(remindedOf(CHANGE)).toContain('/team:brainstorming');
    expect(remindedOf(CHANGE)).toBe('**Requirements reminder**: 2 unsatisfied: design_approved, commit_plan');
    project.satisfy('design_approved', 'commit_plan', '--session', KEY);
    expect(prompt(CHANGE)).toMatchObject(SILENT);
  });

  it.each(['and commit it', 'open a pull request', 'Refactor', 'now UPDATE the docs'])(
    '%j is one',
    (text) => {
      open('{}', 'commit_plan: {enabled: true}');
      expect(remindedOf(text)).toBe('**Requirements reminder**: 1 unsatisfied: commit_plan');
    },
  );

  it.each([
    'what is an additive prefix here?',
    '/fix it now please',
    '<task-notification>fix</task-notification>',
  ])('%j is none', (text) => {
    open('{}', 'commit_plan: {enabled: true}');
    expect(prompt(text)).toMatchObject(SILENT);
  });
});

it('a project without such a requirement never hears of it', () => {
  open('{}', 'commit_plan: {enabled: true}, design_approved: {enabled: false}');
  expect(prompt(WORK)).toMatchObject(SILENT);
  expect(planMode()).toMatchObject(SILENT);
});
