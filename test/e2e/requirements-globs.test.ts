import { afterEach, describe, expect, it } from 'vitest';
import { KEY } from './events';
import { configWith, type Project, projectWith, SILENT } from './requirements-project';
import { deniedBecause } from './rig';

let project: Project;

afterEach(() => project.rig.remove());

const edit = (file_path: string) => project.rig.hook(project.on.pre('Edit', { file_path }));

describe('classes and alternatives', () => {
  it('name paths', () => {
    project = projectWith(
      configWith('plan: {enabled: true, paths: ["src/{a,b}/[!x]*.[jt]s"], exclude_paths: ["**/*.[!j]s"]}'),
    );
    deniedBecause(edit('src/a/one.js'));
    expect(edit('src/b/two.ts')).toMatchObject(SILENT);
    expect(edit('src/a/xone.js')).toMatchObject(SILENT);
    expect(edit('src/c/one.js')).toMatchObject(SILENT);
  });

  it('name protected branches', () => {
    project = projectWith(
      configWith(
        'main: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: ["{hot,bug}fix/*", "v[0-9]*"]}',
      ),
    );
    expect(edit('a')).toMatchObject(SILENT);
    for (const branch of ['hotfix/1', 'bugfix/a/b', 'v2.x']) {
      project.rig.git('checkout', '-qb', branch);
      deniedBecause(edit('a'));
      expect(project.rig.req(['status', '--summary', '-s', KEY]).stdout).toContain('(main needed)');
    }
    project.rig.git('checkout', '-qb', 'vx');
    expect(edit('a')).toMatchObject(SILENT);
  });

  it('name tools', () => {
    project = projectWith(configWith('plan: {enabled: true, trigger_tools: ["mcp__{db,fs}__*"]}'));
    const call = (tool: string) => project.rig.hook(project.on.pre(tool, {}));
    deniedBecause(call('mcp__db__write'));
    deniedBecause(call('mcp__fs__read'));
    expect(call('mcp__web__read')).toMatchObject(SILENT);
  });
});

it('a glob that nobody could match is told at its place, and the others stay in force', () => {
  project = projectWith(configWith('plan: {enabled: true, paths: ["!src/**"]}, other: {enabled: true}'));
  expect(deniedBecause(edit('a'))).toContain('other');
  const status = project.rig.req(['status', '-s', KEY]);
  expect(status.exitCode).toBe(1);
  expect(status.stdout).toContain('.claude/requirements.yaml:1:');
  expect(status.stdout).toContain('`paths[0]` begins with `!`');
});
