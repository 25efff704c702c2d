import { afterEach, describe, expect, it } from 'vitest';
import { EDIT, KEY, OTHER_SESSION } from './events';
import {
  configWith,
  contextOf,
  type Project,
  projectWith,
  SILENT,
  STATE,
  secondsNow,
} from './requirements-project';
import { at, deniedBecause, type Ended } from './rig';

const PLAN = configWith('commit_plan: {enabled: true, satisfied_by_skill: "team:plan", replan_ttl: 60}');
let project: Project;

const open = (config?: string): Project => {
  project = projectWith(config);
  return project;
};

afterEach(() => project.rig.remove());

it.each([
  ['requirements-framework:arch-review', ['commit_plan', 'own']],
  ['team:arch-review', ['own', 'team']],
])('%s satisfies what names it with its plugin and what names it without', (skill, satisfied) => {
  open(
    configWith(
      'commit_plan: {enabled: true}, own: {enabled: true, satisfied_by_skill: arch-review}, team: {enabled: true, satisfied_by_skill: "team:arch-review"}',
    ),
  );
  project.skill(skill);
  const names = Object.keys(at(project.rig.readJson(STATE), 'requirements') as object).sort();
  expect(names).toEqual(satisfied);
});

describe('a skill', () => {
  const ways: [sentence: string, use: () => Ended, name: string][] = [
    ['called with its plugin', () => project.skill('team:plan'), 'team:plan'],
    ['called without it', () => project.skill('plan'), 'plan'],
    ['called with a slash', () => project.skill('/team:plan'), 'team:plan'],
    [
      'of old, with its plugin',
      () => project.skill('requirements-framework:arch-review'),
      'requirements-framework:arch-review',
    ],
    ['of old, without it', () => project.skill('arch-review'), 'arch-review'],
    ['typed', () => project.send('UserPromptSubmit', { prompt: '/team:plan the login' }), 'team:plan'],
    ['typed without its plugin', () => project.send('UserPromptSubmit', { prompt: '/plan' }), 'plan'],
    [
      'expanded',
      () => project.send('UserPromptExpansion', { command_name: 'team:plan', command_args: '' }),
      'team:plan',
    ],
  ];

  it.each(ways)('%s satisfies, for as long as the config says', (_way, use, name) => {
    const { rig, edit, own, metrics } = open(PLAN);
    deniedBecause(edit());
    expect(use()).toMatchObject(SILENT);
    expect(edit()).toMatchObject(SILENT);
    deniedBecause(edit({ session_id: OTHER_SESSION }));
    const entry = own('commit_plan') as { satisfied_at: number; expires_at: number };
    expect(entry).toMatchObject({
      satisfied_by: 'skill',
      metadata: { skill: name },
      expires_at: entry.satisfied_at + 60,
    });
    expect(metrics()).toMatchObject({
      skills: [{ name }],
      requirements: { commit_plan: { blocked_count: 1, satisfied_by: `skill:${name}` } },
    });
    const state = JSON.stringify(rig.readJson(STATE));
    rig.write(STATE, state.replace(`"expires_at":${entry.expires_at}`, `"expires_at":${secondsNow() - 1}`));
    deniedBecause(edit());
  });

  it.each<[string, () => Ended]>([
    ['another one', () => project.skill('team:other')],
    [
      'a failed call',
      () => project.rig.hook(project.on.postFailure('Skill', { skill: 'team:plan' }, { error: 'x' })),
    ],
    [
      'one that is only mentioned',
      () => project.send('UserPromptSubmit', { prompt: 'do not run /team:plan' }),
    ],
    ['a path', () => project.send('UserPromptSubmit', { prompt: '/plan/a is a path' })],
    ['one without a name', () => project.skill('')],
    ['one whose name is a number', () => project.rig.hook(project.on.post('Skill', { skill: 7 }))],
  ])('is not satisfied by %s', (_what, use) => {
    const { edit } = open(PLAN);
    expect(use()).toMatchObject({ stdout: '', exitCode: 0 });
    deniedBecause(edit());
  });
});

describe('leaving plan mode', () => {
  it('tells what is open, in ten lines at most, and nothing where nothing is', () => {
    const many = Array.from({ length: 30 }, (_, index) => `need_${index}: {enabled: true}`).join(', ');
    const { rig, on } = open(configWith(many));
    const leaving = on.post('ExitPlanMode', { plan: 'x' });
    const told = contextOf(rig.hook(leaving));
    expect(told).toContain('## Plan Validation Required');
    expect(told.split('\n').length).toBeLessThanOrEqual(10);
    for (let index = 0; index < 30; index++) expect(told).toContain(`need_${index}`);
    const names = Array.from({ length: 30 }, (_, index) => `need_${index}`);
    expect(rig.req(['satisfy', ...names, '--session', KEY]).exitCode).toBe(0);
    expect(rig.hook(leaving)).toMatchObject(SILENT);
  });
});

describe('a request for permission', () => {
  const asking = (command: string) =>
    project.send('PermissionRequest', { tool_name: 'Bash', tool_input: { command } });

  it('is answered with no where nobody takes the command back, and else left to the person', () => {
    open();
    const { json, exitCode } = asking('cd / && rm -rf /*');
    expect(exitCode).toBe(0);
    expect(at(json, 'hookSpecificOutput', 'hookEventName')).toBe('PermissionRequest');
    expect(at(json, 'hookSpecificOutput', 'decision', 'behavior')).toBe('deny');
    expect(String(at(json, 'hookSpecificOutput', 'decision', 'message'))).toContain('auto_deny_dangerous');
    expect(asking('git push origin feature-f')).toMatchObject(SILENT);
  });

  it('is left to the person where the config says so', () => {
    open(configWith('plan: {enabled: true}', 'hooks: {permission_request: {auto_deny_dangerous: false}}'));
    expect(asking('rm -rf /')).toMatchObject(SILENT);
  });
});

describe('denials one after the other', () => {
  it('say it all once, and then what is needed in two lines', () => {
    const { rig, on, edit } = open(configWith('plan: {enabled: true, short_message: "Still {req_name}."}'));
    const first = deniedBecause(edit());
    expect(first).toContain('## Blocked: plan');
    const again = deniedBecause(edit());
    expect(again).toContain('Still plan.');
    expect(again).toContain(`req satisfy plan --session ${KEY}`);
    expect(again.split('\n').length).toBeLessThan(first.split('\n').length);
    expect(deniedBecause(rig.hook(on.pre('Edit', EDIT, { session_id: OTHER_SESSION })))).toContain(
      '## Blocked: plan',
    );
  });
});
