import { afterEach, describe, expect, it } from 'vitest';
import { EDIT, KEY, OTHER_SESSION, SESSION } from './events';
import { configWith, type Project, projectWith, SILENT, STATE, secondsNow } from './requirements-project';
import { at, CONFIG_FILE, deniedBecause, heldBecause } from './rig';

let project: Project;

const open = (config?: string): Project => {
  project = projectWith(config);
  return project;
};

afterEach(() => project.rig.remove());

describe('a requirement for each session', () => {
  it('denies an edit, names itself, the command and the session, and registers the session', () => {
    const { rig, edit, registry } = open();
    const denied = edit();
    expect(denied).toMatchObject({ exitCode: 0, stderr: '' });
    expect(denied.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(deniedBecause(denied)).toContain('commit_plan');
    expect(deniedBecause(denied)).toContain(`req satisfy commit_plan --session ${KEY}`);
    expect(JSON.stringify(rig.readJson(STATE) ?? {})).not.toContain('triggered');
    expect(registry()).toMatchObject({ [KEY]: { branch: 'feature/auth', project_dir: rig.repo } });
  });

  it('does not hold the end of a turn in which the edit was denied', () => {
    const { rig, on, edit } = open();
    deniedBecause(edit());
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
  });

  it('lets the edit pass once satisfied, and keeps when and that it was set off', () => {
    const { rig, edit, own, satisfy } = open();
    deniedBecause(edit());
    satisfy('commit_plan', '--session', KEY);
    expect(edit()).toMatchObject(SILENT);
    expect(rig.readJson(STATE)).toMatchObject({ version: '1.0', branch: 'feature/auth' });
    expect(own('commit_plan')).toMatchObject({
      satisfied: true,
      satisfied_by: 'cli_bypass',
      triggered: true,
      satisfied_at: expect.toSatisfy(Number.isInteger),
      triggered_at: expect.toSatisfy(Number.isInteger),
    });
  });

  it('ends a satisfied session silently, takes it out of the registry and leaves the state alone', () => {
    const { rig, on, edit, satisfy, registry } = open();
    deniedBecause(edit());
    satisfy('commit_plan', '--session', KEY);
    edit();
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
    const before = rig.readJson(STATE);
    expect(registry()).toHaveProperty(KEY);
    expect(rig.hook(on.end())).toMatchObject(SILENT);
    expect(registry()).not.toHaveProperty(KEY);
    expect(rig.readJson(STATE)).toEqual(before);
  });

  it('does not count what an older session had satisfied', () => {
    const { edit, writeState } = open();
    const satisfied_at = secondsNow() - 400;
    const entry = { scope: 'session', sessions: { aaaaaaaa: { satisfied: true, satisfied_at } } };
    writeState({ commit_plan: entry }, { version: '1.0', branch: 'feature/auth' });
    deniedBecause(edit());
    expect(edit({ session_id: OTHER_SESSION })).toMatchObject(SILENT);
  });
});

describe('skills', () => {
  it('a skill of old satisfies what is enabled of its requirements, and nothing else', () => {
    const { rig, skill, edit, own } = open(
      configWith(
        'commit_plan: {enabled: true}, adr_reviewed: {enabled: true}, tdd_planned: {enabled: false}',
      ),
    );
    expect(skill('requirements-framework:arch-review')).toMatchObject(SILENT);
    for (const name of ['commit_plan', 'adr_reviewed'])
      expect(own(name)).toMatchObject({
        satisfied: true,
        satisfied_by: 'skill',
        metadata: { skill: 'requirements-framework:arch-review' },
      });
    expect(Object.keys(at(rig.readJson(STATE), 'requirements') as object).sort()).toEqual([
      'adr_reviewed',
      'commit_plan',
    ]);
    expect(edit()).toMatchObject(SILENT);
  });

  it('a skill that the config names satisfies, and another one changes nothing', () => {
    const { rig, skill, own } = open(configWith('plan: {enabled: true, satisfied_by_skill: my-review}'));
    expect(skill('my-review')).toMatchObject(SILENT);
    expect(own('plan')).toMatchObject({ satisfied: true, satisfied_by: 'skill' });
    const before = rig.readJson(STATE);
    expect(skill('other')).toMatchObject(SILENT);
    expect(rig.readJson(STATE)).toEqual(before);
  });
});

describe('a requirement for each action', () => {
  const COMMIT = 'git commit -m x';
  const ONCE = configWith(
    'review: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: "git\\\\s+commit"}]}',
  );

  it('is used up by the action it was given for', () => {
    const { rig, on, bash, satisfy, sessionKeys } = open(ONCE);
    deniedBecause(bash(COMMIT));
    satisfy('review', '--session', KEY);
    expect(bash(COMMIT)).toMatchObject(SILENT);
    expect(rig.hook(on.post('Bash', { command: COMMIT }))).toMatchObject(SILENT);
    expect(sessionKeys('review')).toEqual([]);
    deniedBecause(bash(COMMIT));
  });

  it("is not used up by another command, nor by another session's action", () => {
    const { rig, on, own, satisfy, sessionKeys } = open(ONCE);
    satisfy('review', '--session', KEY);
    rig.hook(on.post('Bash', { command: 'ls' }));
    expect(own('review')).toMatchObject({ satisfied: true });
    satisfy('review', '--session', OTHER_SESSION);
    rig.hook(on.post('Bash', { command: COMMIT }));
    expect(sessionKeys('review')).toEqual(['aaaaaaaa']);
  });

  it('is set off by an edit, given by a skill, used up by the commit, and set off again', () => {
    const { rig, on, edit, skill, bash, own } = open(
      configWith(
        'pre_commit_review: {enabled: true, scope: single_use, stop_only: true, trigger_tools: [Edit, {tool: Bash, command_pattern: "git\\\\s+commit"}]}',
        'hooks: {stop: {verify_scopes: [single_use]}}',
      ),
    );
    expect(edit()).toMatchObject(SILENT);
    rig.hook(on.post('Edit', EDIT));
    expect(own('pre_commit_review')).toMatchObject({ triggered: true });
    expect(own('pre_commit_review')).not.toHaveProperty('satisfied');
    skill('pre-commit');
    expect(own('pre_commit_review')).toMatchObject({ triggered: true, satisfied: true });
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
    expect(bash(COMMIT)).toMatchObject(SILENT);
    rig.hook(on.post('Bash', { command: COMMIT }));
    expect(own('pre_commit_review')).toBeUndefined();
    expect(edit()).toMatchObject(SILENT);
    expect(own('pre_commit_review')).not.toHaveProperty('satisfied');
    heldBecause(rig.hook(on.stop(false)));
  });

  it('stays when the action failed', () => {
    const { rig, on, bash, satisfy } = open(ONCE);
    satisfy('review', '--session', KEY);
    expect(rig.hook(on.postFailure('Bash', { command: COMMIT }, { error: 'exit 1' }))).toMatchObject(SILENT);
    expect(bash(COMMIT)).toMatchObject(SILENT);
  });
});

describe('a requirement asked for at the end of a turn', () => {
  const stopOnly = (scope: string, stop: string): string =>
    configWith(`notes: {enabled: true, stop_only: true, scope: ${scope}}`, `hooks: {stop: ${stop}}`);

  it('never denies, holds the stop once it was set off, and holds it only once', () => {
    const { rig, on, edit, own, satisfy } = open(stopOnly('session', '{}'));
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
    expect(edit()).toMatchObject(SILENT);
    expect(own('notes')).toMatchObject({ triggered: true });
    const held = rig.hook(on.stop(false));
    expect(held.exitCode).toBe(0);
    expect(heldBecause(held)).toContain('notes');
    expect(heldBecause(held)).toContain(`--session ${KEY}`);
    expect(rig.hook(on.stop(true))).toMatchObject(SILENT);
    heldBecause(rig.hook(on.stop(false)));
    satisfy('notes', '--session', KEY);
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
  });

  it('is not asked for where the config says not to verify', () => {
    const { rig, on, edit } = open(stopOnly('session', '{verify_requirements: false}'));
    edit();
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
  });

  it('is asked for only in the scopes that are verified', () => {
    const { rig, on, edit } = open(stopOnly('single_use', '{}'));
    edit();
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
    rig.write(CONFIG_FILE, stopOnly('single_use', '{verify_scopes: [session, single_use]}'));
    heldBecause(rig.hook(on.stop(false)));
  });
});

describe('a requirement for a branch', () => {
  it('once satisfied passes for every session, and for no other branch', () => {
    const { rig, edit, satisfy } = open(configWith('design: {enabled: true, scope: branch}'));
    satisfy('design', '--session', OTHER_SESSION);
    expect(edit()).toMatchObject(SILENT);
    rig.git('checkout', '--quiet', '-b', 'other');
    deniedBecause(edit());
  });

  it.each([
    [['--branch', 'feature/auth']],
    [['-b', 'feature/auth']],
    [['--branch=feature/auth']],
    [['--branch']],
  ])('is overridden for all sessions by %s', (flag) => {
    const { edit, entry, satisfy } = open();
    satisfy('commit_plan', ...flag);
    expect(entry('commit_plan')).toMatchObject({ satisfied: true });
    for (const session_id of [SESSION, OTHER_SESSION]) expect(edit({ session_id })).toMatchObject(SILENT);
  });

  it('falls back to unsatisfied when its time is over', () => {
    const { rig, edit, own, satisfy } = open();
    satisfy('commit_plan', '--session', KEY, '--ttl', '60');
    expect(edit()).toMatchObject(SILENT);
    const { satisfied_at = 0, expires_at } = own('commit_plan') as Record<string, number>;
    expect(expires_at).toBe(satisfied_at + 60);
    const state = JSON.stringify(rig.readJson(STATE));
    rig.write(STATE, state.replace(`"expires_at":${expires_at}`, `"expires_at":${secondsNow() - 1}`));
    deniedBecause(edit());
  });
});

describe('a protected branch', () => {
  const GUARD = configWith(
    'protected_branch: {enabled: true, type: guard, guard_type: protected_branch, message: "no edits on {branch}", protected_branches: [main, "release/*"]}',
  );

  it('denies until a session is approved, and that session alone', () => {
    const { rig, edit } = open(GUARD);
    rig.git('checkout', '--quiet', '-b', 'main');
    deniedBecause(edit());
    expect(rig.req(['approve', 'protected_branch', '--session', KEY]).exitCode).toBe(0);
    expect(edit()).toMatchObject(SILENT);
    deniedBecause(edit({ session_id: OTHER_SESSION }));
  });

  it('concerns nobody on another branch, neither at an edit nor at the end', () => {
    const { rig, on, edit } = open(GUARD);
    expect(edit()).toMatchObject(SILENT);
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
  });

  it('speaks in the words of the config, and is told by a pattern too', () => {
    const { rig, edit } = open(GUARD);
    for (const branch of ['main', 'release/1']) {
      rig.git('checkout', '--quiet', '-b', branch);
      expect(deniedBecause(edit({ session_id: `${branch.length}${SESSION}` }))).toContain(
        `no edits on ${branch}`,
      );
    }
    expect(rig.hook(project.on.pre('Read', EDIT))).toMatchObject(SILENT);
  });
});
