import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EDIT, KEY, SESSION } from './events';
import { configWith, contextOf, type Project, projectWith, SILENT, STATE } from './requirements-project';
import { at, CONFIG_FILE, deniedBecause, type HostDocument, heldBecause } from './rig';

const A = { session_id: 'abc123' };
const B = { session_id: 'def456' };
const PLAN = configWith(
  'commit_plan: {enabled: true, scope: session, auto_resolve_skill: "requirements-framework:arch-review"}, adr_reviewed: {enabled: true, scope: session, auto_resolve_skill: "requirements-framework:arch-review"}',
);
let project: Project;

const open = (config?: string): Project => {
  project = projectWith(config);
  return project;
};
const start = (session: HostDocument): string =>
  contextOf(project.rig.hook(project.on.start('startup', session)));
const stop = (session: HostDocument) => project.rig.hook(project.on.stop(false, session));
const end = (session: HostDocument) => project.rig.hook(project.on.end(session));

afterEach(() => project.rig.remove());

describe('section 1: the complete life of a session', () => {
  it('starts, is told, satisfies by a skill, works, stops, ends; the next one on the branch begins anew', () => {
    const { rig, edit, skill, entry, registry, metrics } = open(PLAN);
    const told = start(A);
    expect(registry()).toMatchObject({
      abc123: {
        ppid: expect.toSatisfy(Number.isInteger),
        project_dir: rig.repo,
        branch: 'feature/auth',
        started_at: expect.toSatisfy(Number.isInteger),
        last_active: expect.toSatisfy(Number.isInteger),
      },
    });
    expect(metrics('abc123')).toMatchObject({ session_id: 'abc123', branch: 'feature/auth' });
    expect(told).toContain('0/2 satisfied');
    expect(told).toContain('Run `/arch-review`');
    deniedBecause(edit(A));

    expect(skill('arch-review', A)).toMatchObject(SILENT);
    const satisfied = {
      satisfied: true,
      satisfied_at: expect.toSatisfy(Number.isInteger),
      satisfied_by: 'skill',
      metadata: { skill: 'arch-review' },
    };
    expect(entry('commit_plan')).toMatchObject({ scope: 'session', sessions: { abc123: satisfied } });
    expect(edit(A)).toMatchObject(SILENT);
    expect(stop(A)).toMatchObject(SILENT);

    const kept = rig.readJson(STATE);
    expect(end(A)).toMatchObject(SILENT);
    expect(registry()).toEqual({});
    expect(rig.readJson(STATE)).toEqual(kept);
    expect(metrics('abc123')).toMatchObject({ ended_at: expect.toSatisfy(Number.isInteger) });

    expect(start(B)).toContain('0/2 satisfied');
    expect(Object.keys(registry() as object)).toEqual(['def456']);
    deniedBecause(edit(B));
    skill('arch-review', B);
    expect(edit(B)).toMatchObject(SILENT);
    expect(entry('commit_plan')).toMatchObject({ sessions: { abc123: satisfied, def456: satisfied } });
  });

  it('shows each requirement with its box in the standard form', () => {
    const { rig } = open(PLAN);
    rig.write(
      CONFIG_FILE,
      PLAN.replace('inherit: false,', 'inherit: false, hooks: {session_start: {briefing_format: standard}},'),
    );
    expect(start(A)).toMatch(/commit_plan \| ⬜ NOT satisfied \| `\/requirements-framework:arch-review`/);
  });
});

describe('section 2: the state file across sessions', () => {
  it('keeps what every session satisfied, and each sees its own entry alone', () => {
    const { rig, edit, skill, registry, sessionKeys } = open(PLAN);
    rig.write(STATE, '{"requirements": {}}');
    rig.writeHome('.claude/sessions.json', '{"sessions": {}}');
    start(A);
    expect(registry()).toHaveProperty('abc123');
    expect(rig.readJson(STATE)).toEqual({ requirements: {} });
    skill('requirements-framework:arch-review', A);
    expect(edit(A)).toMatchObject(SILENT);
    end(A);
    expect(registry()).toEqual({});
    expect(sessionKeys('commit_plan')).toEqual(['abc123']);

    expect(start(B)).toContain('0/2 satisfied');
    expect(registry()).toHaveProperty('def456');
    deniedBecause(edit(B));
    skill('requirements-framework:arch-review', B);
    expect(sessionKeys('commit_plan')).toEqual(['abc123', 'def456']);
    expect(edit(B)).toMatchObject(SILENT);
  });
});

describe('section 3: the scopes', () => {
  const scoped = (scope: string) =>
    configWith(
      `one: {enabled: true, scope: ${scope}, trigger_tools: [{tool: Bash, command_pattern: "git\\\\s+commit"}]}`,
    );
  const commit = (session: HostDocument) => project.bash('git commit -m x', session);
  const committed = (session: HostDocument) =>
    project.rig.hook(project.on.post('Bash', { command: 'git commit -m x' }, session));

  it('session: once in every session', () => {
    open(scoped('session')).satisfy('one', '--session', 'abc123');
    for (let time = 0; time < 2; time++) {
      expect(commit(A)).toMatchObject(SILENT);
      committed(A);
    }
    end(A);
    deniedBecause(commit(B));
  });

  it('single_use: once for every action, in the same session', () => {
    open(scoped('single_use')).satisfy('one', '--session', 'abc123');
    expect(commit(A)).toMatchObject(SILENT);
    committed(A);
    deniedBecause(commit(A));
  });

  it('branch: once on a branch, for every session', () => {
    const { rig, entry } = open(scoped('branch'));
    project.satisfy('one', '--session', 'abc123');
    expect(entry('one')).toMatchObject({ satisfied: true });
    end(A);
    expect(commit(B)).toMatchObject(SILENT);
    rig.git('checkout', '--quiet', '-b', 'other');
    deniedBecause(commit(B));
  });

  it('permanent, corrected: once in the project, on every branch, until it is cleared', () => {
    const { rig } = open(scoped('permanent'));
    project.satisfy('one', '--session', 'abc123');
    end(A);
    rig.git('checkout', '--quiet', '-b', 'other');
    expect(commit(B)).toMatchObject(SILENT);
    expect(rig.req(['clear', 'one', '--session', 'def456']).exitCode).toBe(0);
    deniedBecause(commit(B));
  });
});

describe('section 4: the registry', () => {
  it('has the shape that its readers know, and loses the sessions of dead hosts at the next start', () => {
    const { rig, registry } = open();
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const entry = { pid: 1, ppid: dead, project_dir: '/p', branch: 'b', started_at: 1, last_active: 2 };
    rig.writeHome('.claude/sessions.json', JSON.stringify({ version: '1.0', sessions: { abc12345: entry } }));
    start({});
    expect(rig.readJson(join(rig.home, '.claude/sessions.json'))).toMatchObject({ version: '1.0' });
    expect(Object.keys(registry() as object)).toEqual([KEY]);
    expect(Object.keys(at(registry(), KEY) as object)).toEqual(
      expect.arrayContaining(['pid', 'ppid', 'project_dir', 'branch', 'started_at', 'last_active']),
    );
  });

  it('never stops the work when it cannot be read or written', () => {
    const { rig, edit, satisfy } = open();
    mkdirSync(join(rig.home, '.claude/sessions.json'), { recursive: true });
    expect(start({})).toContain('0/1 satisfied');
    deniedBecause(edit());
    satisfy('commit_plan', '--session', KEY);
    expect(edit()).toMatchObject({ stdout: '', exitCode: 0 });
    expect(end({})).toMatchObject({ stdout: '', exitCode: 0 });
  });
});

describe('section 5: the ids of sessions', () => {
  it.each([
    [SESSION, KEY],
    [SESSION.replaceAll('-', ''), KEY],
    ['abc123ab', 'abc123ab'],
    ['abc123', 'abc123'],
  ])('%s is %s, for the hook and for the command alike', (session_id, key) => {
    const { rig, edit, registry, sessionKeys } = open();
    expect(deniedBecause(edit({ session_id }))).toContain(`--session ${key}`);
    expect(Object.keys(registry() as object)).toEqual([key]);
    expect(rig.req(['satisfy', 'commit_plan', '--session', session_id]).exitCode).toBe(0);
    expect(sessionKeys('commit_plan')).toEqual([key]);
    expect(edit({ session_id })).toMatchObject(SILENT);
  });

  it('an empty one, corrected, names nobody: it is never made up', () => {
    const { edit, registry } = open();
    expect(edit({ session_id: '' })).toMatchObject({ stdout: '', exitCode: 0 });
    expect(registry()).toBeUndefined();
  });

  it('a state with whole ids is honoured, moved when it is written, and only once', () => {
    const { rig, edit, sessionKeys } = open();
    project.writeState({ commit_plan: { sessions: { [SESSION]: { satisfied: true } } } });
    expect(edit()).toMatchObject(SILENT);
    expect(sessionKeys('commit_plan')).toEqual([KEY]);
    const moved = rig.readJson(STATE);
    start({});
    expect(rig.readJson(STATE)).toEqual(moved);
  });

  it('of two entries of one session the newer stays', () => {
    const { own, sessionKeys } = open();
    const satisfied = (satisfied_at: number, by: string) => ({
      satisfied: true,
      satisfied_at,
      satisfied_by: by,
    });
    const now = Math.floor(Date.now() / 1000);
    project.writeState({
      commit_plan: { sessions: { [SESSION]: satisfied(now, 'new'), [KEY]: satisfied(now - 9, 'old') } },
    });
    start({});
    expect(sessionKeys('commit_plan')).toEqual([KEY]);
    expect(own('commit_plan')).toMatchObject({ satisfied_by: 'new' });
  });
});

describe('section 6: many writers', () => {
  it('lose no update, leave whole files and nothing beside them', async () => {
    const { rig, on, registry } = open();
    const sessions = Array.from({ length: 12 }, (_, index) => `${10_000_000 + index}-0000`);
    await Promise.all(sessions.map((session_id) => rig.startHook(on.start('startup', { session_id }))));
    expect(Object.keys(registry() as object).sort()).toEqual(sessions.map((id) => id.slice(0, 8)).sort());
    await Promise.all(sessions.map((session_id) => rig.startHook(on.end({ session_id }))));
    expect(registry()).toEqual({});
    expect(readdirSync(join(rig.home, '.claude'))).toEqual(['sessions.json']);
  });

  it('keep a registry aside that cannot be read, and begin a new one', () => {
    const { rig, registry } = open();
    rig.writeHome('.claude/sessions.json', '{"sessions": {"abc');
    start({});
    expect(Object.keys(registry() as object)).toEqual([KEY]);
    const names = readdirSync(join(rig.home, '.claude'));
    expect(names.filter((name) => name.startsWith('sessions.json.corrupt-'))).toHaveLength(1);
  });
});

describe('section 7: the cascade', () => {
  const scoped = (scope: string, more = '') => `requirements: {commit_plan: {${more}scope: ${scope}}}`;

  it('corrected in its label: local wins over project, project over global', () => {
    const { rig, edit, satisfy } = open(scoped('branch'));
    rig.writeHome('.claude/requirements.yaml', scoped('session', 'enabled: true, '));
    satisfy('commit_plan', '--session', 'abc123');
    expect(edit(B)).toMatchObject(SILENT);
    rig.write(STATE, '{}');
    rig.write('.claude/requirements.local.yaml', scoped('session'));
    satisfy('commit_plan', '--session', 'abc123');
    expect(edit(A)).toMatchObject(SILENT);
    deniedBecause(edit(B));
  });

  it.each([
    ['[session]', false],
    ['[session, branch]', true],
  ])('verify_scopes %s holds the stop for a branch: %s', (scopes, held) => {
    const { edit } = open(
      configWith(
        'design: {enabled: true, scope: branch, stop_only: true}',
        `hooks: {stop: {verify_requirements: true, verify_scopes: ${scopes}}}`,
      ),
    );
    edit(A);
    if (held) expect(heldBecause(stop(A))).toContain('design');
    else expect(stop(A)).toMatchObject(SILENT);
  });
});

describe('section 8: why a new session is asked again', () => {
  it('each session satisfies for itself; a branch-scoped requirement is the alternative', () => {
    const { rig, edit, skill, sessionKeys } = open(PLAN);
    for (const session of [A, B]) {
      expect(start(session)).toContain('0/2 satisfied');
      deniedBecause(edit(session));
      skill('arch-review', session);
      expect(edit(session)).toMatchObject(SILENT);
      expect(stop(session)).toMatchObject(SILENT);
      end(session);
    }
    expect(sessionKeys('commit_plan')).toEqual(['abc123', 'def456']);
    rig.git('checkout', '--quiet', '-b', 'other');
    rig.write(CONFIG_FILE, PLAN.replaceAll('scope: session', 'scope: branch'));
    skill('arch-review', A);
    expect(edit(B)).toMatchObject(SILENT);
  });
});

describe('section 9: a pass for one action', () => {
  it('corrected: set off by an edit, satisfied by a skill, used up by the commit, set off again', () => {
    const { rig, on, edit, skill, bash, entry } = open(
      configWith(
        'pre_commit_review: {enabled: true, scope: single_use, stop_only: true, trigger_tools: [Edit, {tool: Bash, command_pattern: "git\\\\s+commit"}]}',
        'hooks: {stop: {verify_scopes: [single_use]}}',
      ),
    );
    const own = () => at(entry('pre_commit_review'), 'sessions', 'abc123');
    expect(edit(A)).toMatchObject(SILENT);
    rig.hook(on.post('Edit', EDIT, A));
    expect(own()).toMatchObject({ triggered: true, triggered_at: expect.toSatisfy(Number.isInteger) });
    expect(own()).not.toHaveProperty('satisfied');
    skill('pre-commit', A);
    expect(own()).toMatchObject({
      triggered: true,
      satisfied: true,
      satisfied_at: expect.toSatisfy(Number.isInteger),
    });
    expect(stop(A)).toMatchObject(SILENT);
    expect(bash('git commit -m x', A)).toMatchObject(SILENT);
    rig.hook(on.post('Bash', { command: 'git commit -m x' }, A));
    expect(entry('pre_commit_review')).toMatchObject({ scope: 'single_use', sessions: {} });
    expect(edit(A)).toMatchObject(SILENT);
    expect(own()).not.toHaveProperty('satisfied');
    heldBecause(stop(A));
  });
});

describe('section 10: the end of a turn', () => {
  it('is held for what was set off and is not satisfied, and for nothing else', () => {
    const trigger = 'enabled: true, trigger_tools: [Edit]';
    open(
      configWith(
        `commit_plan: {${trigger}, scope: session}, pre_commit_review: {${trigger}, scope: single_use, auto_resolve_skill: "requirements-framework:pre-commit"}, permanent_audit: {${trigger}, scope: permanent}, unused: {${trigger}}`,
        'hooks: {stop: {verify_scopes: [session, single_use, branch, permanent]}}',
      ),
    ).writeState({
      commit_plan: { scope: 'session', sessions: { abc123: { triggered: true, satisfied: true } } },
      pre_commit_review: { scope: 'single_use', sessions: { abc123: { triggered: true, satisfied: false } } },
      permanent_audit: { scope: 'permanent', triggered: false, satisfied: true },
    });
    const reason = heldBecause(stop(A));
    expect(reason).toContain('Unsatisfied Requirements: pre_commit_review');
    expect(reason).toContain('/requirements-framework:pre-commit');
    expect(reason).toContain('req satisfy pre_commit_review --session abc123');
    for (const other of ['commit_plan', 'permanent_audit', 'unused']) expect(reason).not.toContain(other);
    expect(reason.split('\n').length).toBeLessThanOrEqual(10);
  });
});
