import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EDIT, KEY, OTHER_SESSION } from './events';
import { configWith, contextOf, type Project, projectWith, SILENT, STATE } from './requirements-project';
import { at, deniedBecause } from './rig';

const GLOBAL = '.claude/requirements.yaml';
const LOCAL = '.claude/requirements.local.yaml';
let project: Project;

const open = (config?: string): Project => {
  project = projectWith(config);
  return project;
};

afterEach(() => project.rig.remove());

describe('the layers of the config', () => {
  it('the local one wins over the project, the project over the global one', () => {
    const scoped = (scope: string): string => `requirements: {plan: {scope: ${scope}}}`;
    const { rig, edit, satisfy } = open('requirements: {plan: {enabled: true, scope: branch}}');
    rig.writeHome(GLOBAL, scoped('session'));
    satisfy('plan', '--session', OTHER_SESSION);
    expect(edit()).toMatchObject(SILENT);
    rig.write(STATE, '{}');
    rig.write(LOCAL, scoped('session'));
    satisfy('plan', '--session', OTHER_SESSION);
    expect(edit({ session_id: OTHER_SESSION })).toMatchObject(SILENT);
    deniedBecause(edit());
  });

  it('the global one alone enforces only with enforce_everywhere, else a session hears of it', () => {
    const { rig, on, edit } = open('');
    rig.writeHome(GLOBAL, 'requirements: {plan: {enabled: true}}');
    expect(edit()).toMatchObject(SILENT);
    const told = rig.hook(on.start('startup'));
    expect(contextOf(told)).toContain('enforce_everywhere');
    expect(at(told.json, 'systemMessage')).toContain('enforce_everywhere');
    rig.writeHome(GLOBAL, '{enforce_everywhere: true, requirements: {plan: {enabled: true}}}');
    deniedBecause(edit());
  });

  it('enforce_everywhere counts in the global one alone, which is told elsewhere', () => {
    const { rig } = open('requirements: {plan: {enabled: true}}\nenforce_everywhere: true\n');
    rig.writeHome(GLOBAL, '{enforce_everywhere: true, requirements: {plan: {enabled: true}}}');
    const told = (): string => rig.holdpoint(['config']).stderr;
    expect(told()).toMatch(/requirements\.yaml:2:\d+: warning: `enforce_everywhere` has no effect here/);
    rig.write('.claude/requirements.yaml', 'requirements: {plan: {enabled: true}}\n');
    expect(told()).toBe('');
  });

  it('all requirements rest while the local one says enabled: false', () => {
    const { rig, edit } = open('requirements: {plan: {enabled: true}}');
    deniedBecause(edit());
    rig.write(LOCAL, 'enabled: false');
    expect(edit()).toMatchObject(SILENT);
  });
});

describe('a mistake in one requirement leaves the others in force, and status names it', () => {
  it.each([
    ['is no mapping', 'commit_plan: true'],
    ['has an unknown scope', 'commit_plan: {enabled: true, scope: weekly}'],
    ['has a flag that is text', 'commit_plan: {enabled: "yes"}'],
    ['has a dynamic type without a calculator', 'commit_plan: {enabled: true, type: dynamic}'],
    [
      'has a pattern that is no regular expression',
      'commit_plan: {enabled: true, trigger_tools: [{tool: Bash, command_pattern: "("}]}',
    ],
    [
      'has a guard type that nobody knows',
      'commit_plan: {enabled: true, type: guard, guard_type: moon_phase}',
    ],
  ])('one that %s', (_what, broken) => {
    const { rig, on, edit } = open(configWith(`other: {enabled: true}, ${broken}`));
    expect(deniedBecause(edit())).toContain('other');
    expect(deniedBecause(edit())).not.toContain('commit_plan');
    const status = rig.req(['status', '-v', '--session', KEY]);
    expect(`${status.stdout}${status.stderr}`).toContain('commit_plan');
    expect(contextOf(rig.hook(on.start('startup')))).toContain('commit_plan');
  });
});

describe('what is no event of ours is let through', () => {
  it('a tool that no requirement names', () => {
    const { rig, on } = open();
    expect(rig.hook(on.pre('Read', EDIT))).toMatchObject(SILENT);
    expect(existsSync(join(rig.home, '.claude'))).toBe(false);
  });
});

describe('writing a plan is never held', () => {
  const writing = (file_path: string) => project.rig.hook(project.on.pre('Write', { file_path }));

  it.each(['.claude/plans/a.md', 'docs/plans/deep/a.md'])('%s', (path) => {
    const { rig } = open();
    for (const file of [path, join(rig.repo, path)]) expect(writing(file)).toMatchObject(SILENT);
  });

  it.each([
    'src/docs/plans/evil.ts',
    'src/docs/plans/evil.md',
    '.claude/plans/../../src/a.md',
    'docs/plans/evil.ts',
    'docs/plans',
  ])('but what only looks like one is: %s', (path) => {
    const { rig } = open();
    for (const file of [path, `${rig.repo}/${path}`]) deniedBecause(writing(file));
  });
});

describe('whole ids in an older state', () => {
  it('move to their short keys at the next write, the newer one wins, and it happens once', () => {
    const { rig, edit, own, sessionKeys, writeState } = open();
    const session = `${KEY}-3933-45ad-9a1c-14aec05bb940`;
    const satisfied = (satisfied_at: number) => ({ satisfied: true, satisfied_at });
    writeState(
      { commit_plan: { sessions: { [session]: satisfied(200), [KEY]: satisfied(100) } } },
      { version: '1.0' },
    );
    expect(edit()).toMatchObject(SILENT);
    expect(sessionKeys('commit_plan')).toEqual([KEY]);
    expect(own('commit_plan')).toMatchObject({ satisfied: true, satisfied_at: 200 });
    const before = rig.readJson(STATE);
    expect(edit()).toMatchObject(SILENT);
    expect(rig.readJson(STATE)).toEqual(before);
  });
});

describe('a state file that cannot be used', () => {
  const files = (): string[] => readdirSync(join(project.rig.repo, '.git/requirements'));

  it('that is broken satisfies nothing, is named, and is kept aside at the next write', () => {
    const { rig, edit, satisfy } = open();
    rig.write(STATE, '{bad');
    expect(deniedBecause(edit())).toContain('feature-auth.json');
    satisfy('commit_plan', '--session', KEY);
    expect(edit()).toMatchObject(SILENT);
    expect(files().filter((name) => name.startsWith('feature-auth.json.corrupt-'))).toHaveLength(1);
  });

  it.each(['[]', '""', 'null', '17', '{"requirements": []}', '{"requirements": {"commit_plan": true}}'])(
    'that holds %s satisfies nothing, and can be written again',
    (text) => {
      const { rig, edit, satisfy } = open();
      rig.write(STATE, text);
      deniedBecause(edit());
      satisfy('commit_plan', '--session', KEY);
      expect(edit()).toMatchObject(SILENT);
    },
  );

  it('that has no version counts all the same', () => {
    const { edit, writeState } = open();
    writeState({ commit_plan: { sessions: { [KEY]: { satisfied: true, satisfied_at: 1 } } } });
    expect(edit()).toMatchObject(SILENT);
  });
});
