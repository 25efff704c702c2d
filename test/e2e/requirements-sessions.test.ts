import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EDIT, KEY, OTHER_SESSION, SESSION } from './events';
import { configWith, contextOf, type Project, projectWith, SILENT, STATE } from './requirements-project';
import { at, deniedBecause, heldBecause } from './rig';

const NOTES = configWith('notes: {enabled: true, stop_only: true}');
let project: Project;

const open = (config?: string): Project => {
  project = projectWith(config);
  return project;
};

afterEach(() => project.rig.remove());

describe('sessions side by side', () => {
  it('are kept apart', () => {
    const { edit, satisfy, sessionKeys } = open();
    satisfy('commit_plan', '--session', OTHER_SESSION);
    deniedBecause(edit());
    expect(edit({ session_id: OTHER_SESSION })).toMatchObject(SILENT);
    satisfy('commit_plan', '--session', SESSION);
    expect(edit()).toMatchObject(SILENT);
    expect(sessionKeys('commit_plan')).toEqual(['aaaaaaaa', KEY]);
  });
});

describe('the id of a session', () => {
  it.each([
    ['climbs', '../../../../etc/passwd'],
    ['is a path', '/tmp/x'],
    ['has a null byte', 'a\u0000b'],
    ['has lines', 'a\nb\nc'],
    ['is huge', `cad0ac4d${'f'.repeat(100_000)}`],
    ['is an inherited member', '__proto__'],
    ['is in another script', '日本語'],
    ['is short', 'abc123'],
  ])('that %s has a key of its own, and writes nowhere else', (_what, session_id) => {
    const { rig, on, edit, metrics } = open();
    const key = /--session (\S+)`/.exec(deniedBecause(edit({ session_id })))?.[1] ?? '';
    expect(key).toMatch(/^[0-9A-Za-z_]{1,8}$/);
    rig.hook(on.start('startup', { session_id }));
    expect(rig.req(['satisfy', 'commit_plan', '--session', key]).exitCode).toBe(0);
    for (let call = 0; call < 3; call++) expect(edit({ session_id })).toMatchObject(SILENT);
    expect(at(metrics(key), 'tools', 'Edit', 'count')).toBe(4);
    expect(rig.hook(on.stop(false, { session_id }))).toMatchObject(SILENT);
    expect(rig.hook(on.end({ session_id }))).toMatchObject(SILENT);
    expect(rig.listing()).toEqual(['home', 'tmp', 'w', 'w/.claude', 'w/.git']);
    expect(readdirSync(join(rig.repo, '.git/requirements')).sort()).toEqual([
      'feature-auth.json',
      'sessions',
    ]);
    expect(readdirSync(join(rig.repo, '.git/requirements/sessions'))).toEqual([`${key}.json`]);
  });

  it.each(['', '-', '----'])(
    'that is %j names nobody: nothing is held and nothing is written',
    (session_id) => {
      const { rig, edit } = open();
      const ended = edit({ session_id });
      expect(ended).toMatchObject({ stdout: '', exitCode: 0 });
      expect(existsSync(join(rig.repo, '.git/requirements'))).toBe(false);
    },
  );
});

describe('a session that switches its branch', () => {
  it('is still held at the end for what it set off on the old one, until that is satisfied there', () => {
    const { rig, on, edit } = open(NOTES);
    expect(edit()).toMatchObject(SILENT);
    rig.git('checkout', '--quiet', '-b', 'new');
    expect(edit({ session_id: OTHER_SESSION })).toMatchObject(SILENT);
    const reason = heldBecause(rig.hook(on.stop(false)));
    expect(reason).toContain('notes (on branch feature/auth)');
    expect(reason).toContain(`req satisfy notes --session ${KEY} --branch feature/auth`);
    expect(reason.split('\n').length).toBeLessThanOrEqual(10);
    expect(rig.req(['satisfy', 'notes', '--branch', 'feature/auth']).exitCode).toBe(0);
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
  });

  it('must satisfy anew what is for each session, and finds it satisfied when it comes back', () => {
    const { rig, edit, satisfy } = open();
    satisfy('commit_plan', '--session', KEY);
    expect(edit()).toMatchObject(SILENT);
    rig.git('checkout', '--quiet', '-b', 'new');
    deniedBecause(edit());
    rig.git('checkout', '--quiet', 'feature/auth');
    expect(edit()).toMatchObject(SILENT);
  });
});

describe('a project that is reached by a link', () => {
  it('is the same project, with the same state', () => {
    const { rig, edit, on } = open();
    const cwd = rig.link('linked', rig.repo);
    deniedBecause(edit({ cwd }));
    expect(rig.req(['satisfy', 'commit_plan', '--session', KEY], { cwd }).exitCode).toBe(0);
    expect(edit({ cwd })).toMatchObject(SILENT);
    expect(edit()).toMatchObject(SILENT);
    const plan = on.pre(
      'Write',
      { file_path: `${cwd}/.claude/plans/a.md` },
      { cwd, session_id: OTHER_SESSION },
    );
    expect(rig.hook(plan)).toMatchObject(SILENT);
  });

  it('its filters mean the same files', () => {
    const { rig, on } = open(configWith('plan: {enabled: true, paths: ["src/**"]}'));
    const cwd = rig.link('linked', rig.repo);
    const writing = (file_path: string) => rig.hook(on.pre('Write', { file_path }, { cwd }));
    deniedBecause(writing(`${cwd}/src/a.ts`));
    deniedBecause(writing(join(rig.repo, 'src/a.ts')));
    deniedBecause(writing('src/a.ts'));
    expect(writing(`${cwd}/docs/a.md`)).toMatchObject(SILENT);
  });
});

describe('a session that is paused', () => {
  it('is held by nothing, hears so, and is held again after the pause, which ends with the session', () => {
    const { rig, on, edit } = open(
      configWith(
        'plan: {enabled: true, trigger_tools: [Edit]}, notes: {enabled: true, stop_only: true, trigger_tools: [Write]}',
      ),
    );
    rig.hook(on.pre('Write', EDIT));
    rig.write(
      `.git/requirements/sessions/${KEY}.paused`,
      '{"paused_at": "2026-01-01T00:00:00Z", "reason": null}',
    );
    expect(edit()).toMatchObject(SILENT);
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
    expect(contextOf(rig.hook(on.start('resume')))).toContain('paused');
    deniedBecause(edit({ session_id: OTHER_SESSION }));
    expect(rig.req(['resume', '--session', SESSION]).exitCode).toBe(0);
    deniedBecause(edit());
    heldBecause(rig.hook(on.stop(false)));
    expect(rig.req(['pause', '--session', SESSION]).exitCode).toBe(0);
    expect(edit()).toMatchObject(SILENT);
    rig.hook(on.end());
    deniedBecause(edit());
  });
});

describe('a HEAD that is on no plain branch', () => {
  it('detached: is enforced, and held at the end too', () => {
    const { rig, on, edit } = open(NOTES);
    rig.git('checkout', '--quiet', '--detach');
    expect(edit()).toMatchObject(SILENT);
    heldBecause(rig.hook(on.stop(false)));
    expect(at(rig.readJson('.git/requirements/_detached.json'), 'branch')).toBe('_detached');
  });

  it('unborn: begins a session, is enforced and counted', () => {
    const { rig, on, edit } = open();
    rig.git('checkout', '--quiet', '--orphan', 'newborn');
    expect(contextOf(rig.hook(on.start('startup')))).toContain('0/1 satisfied');
    deniedBecause(edit());
    expect(project.metrics()).toMatchObject({ branch: 'newborn', tools: { Edit: { blocked_count: 1 } } });
    expect(rig.readJson(STATE)).toBeUndefined();
  });
});
