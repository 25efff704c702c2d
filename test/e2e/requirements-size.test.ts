import { afterEach, describe, expect, it } from 'vitest';
import { KEY } from './events';
import { configWith, type Project, projectWith, SILENT, STATE, secondsNow } from './requirements-project';
import { deniedBecause } from './rig';

let project: Project;

const open = (config?: string): Project => {
  project = projectWith(config);
  return project;
};

afterEach(() => project.rig.remove());

describe('the size of a branch, with real git', () => {
  const SIZE = configWith(
    'size: {enabled: true, type: dynamic, calculator: branch_size_calculator, thresholds: {warn: 5, block: 10}, cache_ttl: 0, approval_ttl: 60}',
  );
  const lines = (count: number) => 'x\n'.repeat(count);

  const branch = (): Project => {
    const opened = open(SIZE);
    opened.rig.git('branch', 'main');
    return opened;
  };

  it('denies above its limit with the value and the limit, until somebody approves, for as long as that lasts', () => {
    const { rig, on, edit, own } = branch();
    rig.write('new.txt', lines(30));
    const reason = deniedBecause(edit());
    expect(reason).toMatch(/`size` is 3\d against main, and the limit is 10/);
    expect(rig.req(['approve', 'size', '--session', KEY]).exitCode).toBe(0);
    expect(edit()).toMatchObject(SILENT);
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
    const { satisfied_at = 0, expires_at } = own('size') as Record<string, number>;
    expect(expires_at).toBe(satisfied_at + 60);
    const state = JSON.stringify(rig.readJson(STATE));
    rig.write(STATE, state.replace(`"expires_at":${expires_at}`, `"expires_at":${secondsNow() - 1}`));
    deniedBecause(edit());
  });

  it('is approved for a whole branch no longer than `approval_ttl` says', () => {
    const { rig, edit, entry } = branch();
    rig.write('new.txt', lines(30));
    deniedBecause(edit());
    const { stdout } = rig.req(['approve', 'size', '--branch']);
    expect(stdout).toContain(
      "Approved 'size' at branch level for feature/auth\nDuration: 1m 0s (branch scope)",
    );
    expect(edit()).toMatchObject(SILENT);
    const { satisfied_at = 0, expires_at } = entry('size') as Record<string, number>;
    expect(expires_at).toBe(satisfied_at + 60);
  });

  it('lets pass below its limit, at an edit and at the end', () => {
    const { rig, on, edit } = branch();
    rig.write('new.txt', lines(3));
    expect(edit()).toMatchObject(SILENT);
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
  });

  it('counts what is committed, staged, changed and new, and nothing that git ignores', () => {
    const { rig, edit } = branch();
    rig.write('.gitignore', 'ignored.txt\n');
    rig.write('ignored.txt', lines(500));
    rig.write('committed.txt', lines(2));
    rig.write('.gitattributes', '*.txt -diff\n');
    rig.git('add', '.');
    rig.git('commit', '--quiet', '-m', 'work');
    rig.write('staged.txt', lines(2));
    rig.git('add', 'staged.txt');
    rig.write('committed.txt', lines(3));
    rig.write('new.txt', lines(4));
    const reason = deniedBecause(edit());
    expect(reason).toContain('5 committed, 2 staged, 1 unstaged, 4 in new files');
    expect(reason).toContain('is 12 against main');
  });

  it('is measured against the nearest other feature or fix branch, where there is one', () => {
    const { rig, edit } = branch();
    rig.write('before.txt', lines(300));
    rig.git('add', '.');
    rig.git('commit', '--quiet', '-m', 'before');
    rig.git('branch', 'fix/base');
    rig.git('checkout', '--quiet', '-b', 'feature/top');
    rig.write('new.txt', lines(4));
    expect(edit()).toMatchObject(SILENT);
    rig.write('new.txt', lines(40));
    expect(deniedBecause(edit())).toMatch(/is 40 against (?:fix\/base|feature\/auth)/);
  });

  it('has none on main, nor where there is nothing to compare with', () => {
    const { rig, edit } = open(SIZE);
    rig.write('new.txt', lines(30));
    expect(edit()).toMatchObject(SILENT);
    rig.git('checkout', '--quiet', '-b', 'main');
    expect(edit()).toMatchObject(SILENT);
  });

  it('may be computed by a command; one that fails holds nobody and is told', () => {
    const by = (calculator: string) =>
      configWith(
        `cost: {enabled: true, type: dynamic, cache_ttl: 0, calculator: "${calculator}", thresholds: {block: 10}}`,
      );
    const { rig, edit } = open(by('echo about 12.5 dollars'));
    expect(deniedBecause(edit())).toContain('`cost` is 12.5, and the limit is 10');
    rig.write('.claude/requirements.yaml', by('echo 1e3'));
    expect(deniedBecause(edit())).toContain('`cost` is 1000, and the limit is 10');
    for (const calculator of ['exit 3', 'echo none', 'echo 1,200', 'echo 1e999']) {
      rig.write('.claude/requirements.yaml', by(calculator));
      const ended = edit();
      expect(ended).toMatchObject({ stdout: '', exitCode: 0 });
      expect(ended.stderr).toMatch(
        /^holdpoint: the rule cost failed \(.*not measured: .*it was not checked, the others were/,
      );
    }
    const { stdout } = rig.hook(project.on.start('resume'));
    expect(stdout).toContain('A rule failed in an earlier session');
    expect(stdout).not.toMatch(/events? (?:was|were) not checked/);
  });
});
