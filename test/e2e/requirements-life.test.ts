import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { times } from '../stress';
import { EDIT, KEY, OTHER_SESSION } from './events';
import { configWith, contextOf, type Project, projectWith, SILENT, secondsNow } from './requirements-project';
import { at, deniedBecause } from './rig';

let project: Project;

const open = (config?: string): Project => {
  project = projectWith(config);
  return project;
};

afterEach(() => project.rig.remove());

describe('many processes at once', () => {
  const COUNT = times(6, 20);
  const names = Array.from({ length: COUNT }, (_, index) => `need_${index}`);
  const MANY = configWith(names.map((name) => `${name}: {enabled: true}`).join(', '));

  it('record each of the requirements, register each of the sessions, and count every call', async () => {
    const { rig, on, entry, registry, metrics } = open(MANY);
    const done = await Promise.all(names.map((name) => rig.startReq(['satisfy', name, '--session', KEY])));
    for (const ended of done) expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    for (const name of names) expect(at(entry(name), 'sessions', KEY, 'satisfied')).toBe(true);
    const calls = await Promise.all(names.map(() => rig.startHook(on.pre('Edit', EDIT))));
    for (const ended of calls) expect(ended).toMatchObject(SILENT);
    expect(at(metrics(), 'tools', 'Edit', 'count')).toBe(COUNT);
    for (const name of names) expect(at(entry(name), 'sessions', KEY, 'triggered')).toBe(true);
    const sessions = names.map((_, index) => `${10_000_000 + index}-0000`);
    const starts = await Promise.all(
      sessions.map((session_id) => rig.startHook(on.start('startup', { session_id }))),
    );
    for (const ended of starts) expect(contextOf(ended)).toContain(`0/${COUNT} satisfied`);
    for (const session of sessions) expect(registry()).toHaveProperty(session.slice(0, 8));
  });
});

describe('the beginning of a session', () => {
  const satisfiedBy = (session: string, age: number) => {
    const own = { satisfied: true, satisfied_at: secondsNow() - age, satisfied_by: 'cli' };
    project.writeState({ commit_plan: { scope: 'session', sessions: { [session]: own } } });
  };

  it('tells in one document what is open, and the command for it', () => {
    const { rig, on, metrics } = open();
    const told = rig.hook(on.start('startup'));
    expect(contextOf(told)).toContain('0/1 satisfied');
    expect(contextOf(told)).toContain(`req satisfy commit_plan --session ${KEY}`);
    expect(told.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(metrics()).toMatchObject({ session_id: KEY, branch: 'feature/auth' });
  });

  it('shows each requirement with its box in the standard form', () => {
    const { rig, on } = open(
      configWith(
        'commit_plan: {enabled: true, auto_resolve_skill: "requirements-framework:arch-review"}',
        'hooks: {session_start: {briefing_format: standard}}',
      ),
    );
    expect(contextOf(rig.hook(on.start('startup')))).toMatch(
      /commit_plan \| ⬜ NOT satisfied \| `\/requirements-framework:arch-review`/,
    );
  });

  it('takes over what was satisfied just before a clear, and says so', () => {
    const { rig, on, edit, own } = open();
    satisfiedBy('aaaaaaaa', 10);
    const told = contextOf(rig.hook(on.start('clear')));
    expect(told).toContain('1/1 satisfied');
    expect(told).toMatch(/`commit_plan` from aaaaaaaa \(1\d s ago\)/);
    expect(own('commit_plan')).toMatchObject({
      satisfied_by: 'carry_over',
      metadata: { carried_from: 'aaaaaaaa', original_satisfied_by: 'cli' },
    });
    expect(edit()).toMatchObject(SILENT);
  });

  it.each(['startup', 'resume', 'compact'])('does not on %s (corrected: on for clear alone)', (source) => {
    const { rig, on, edit } = open();
    satisfiedBy('aaaaaaaa', 10);
    expect(contextOf(rig.hook(on.start(source)))).toContain('0/1 satisfied');
    deniedBecause(edit());
  });

  it('does so at startup where the config says so, and not after the window', () => {
    const { rig, on, edit } = open(
      configWith(
        'commit_plan: {enabled: true}',
        'hooks: {session_start: {carry_over: {enabled: true, window_seconds: 60}}}',
      ),
    );
    satisfiedBy('aaaaaaaa', 90);
    rig.hook(on.start('startup'));
    deniedBecause(edit());
    satisfiedBy('aaaaaaaa', 30);
    rig.hook(on.start('startup'));
    expect(edit()).toMatchObject(SILENT);
  });

  it('takes over where nothing is told', () => {
    const { rig, on, edit } = open(
      configWith('commit_plan: {enabled: true}', 'hooks: {session_start: {inject_context: false}}'),
    );
    satisfiedBy('aaaaaaaa', 10);
    expect(rig.hook(on.start('clear'))).toMatchObject(SILENT);
    expect(edit()).toMatchObject(SILENT);
  });

  it('keeps a resumed session satisfied', () => {
    const { rig, on, edit } = open();
    satisfiedBy(KEY, 4000);
    for (const source of ['resume', 'compact']) {
      expect(contextOf(rig.hook(on.start(source)))).toContain('1/1 satisfied');
      expect(edit()).toMatchObject(SILENT);
    }
  });

  const mixes = [
    ['compact', '{}'],
    ['standard', '{briefing_format: standard}'],
    ['a header', '{briefing_format: standard, custom_header: "Read this."}'],
    ['nothing', '{inject_context: false}'],
    ['no carry-over', '{carry_over: {enabled: false}}'],
    ['a key that nobody knows', '{briefing: loud}'],
  ];
  it.each(mixes)('prints one document at most, whatever the options: %s', (_what, options) => {
    const { rig, on } = open(
      configWith(
        'commit_plan: {enabled: true}, size: {enabled: true, scope: weekly}',
        `hooks: {session_start: ${options}}`,
      ),
    );
    for (const source of ['startup', 'clear', 'resume', 'compact', 'odd']) {
      for (const prepare of [() => undefined, () => rig.req(['pause', '--session', KEY])]) {
        prepare();
        const { stdout, exitCode } = rig.hook(on.start(source));
        expect(exitCode).toBe(0);
        if (stdout !== '') expect(() => JSON.parse(stdout) as unknown).not.toThrow();
      }
      rig.hook(on.end());
    }
  });
});

describe('the end of a session, and the registry', () => {
  it('takes only its own satisfactions along, and only where the config says so', () => {
    const { rig, on, satisfy, sessionKeys } = open(
      configWith(
        'plan: {enabled: true}, design: {enabled: true, scope: branch}',
        'hooks: {session_end: {clear_session_state: true}}',
      ),
    );
    for (const session of [KEY, OTHER_SESSION]) satisfy('plan', 'design', '--session', session);
    expect(rig.hook(on.end())).toMatchObject(SILENT);
    expect(sessionKeys('plan')).toEqual(['aaaaaaaa']);
    expect(project.entry('design')).toMatchObject({ satisfied: true });
  });

  it('keeps the sessions of living hosts and drops those of dead ones', () => {
    const { rig, on, registry } = open();
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const entry = (ppid: number) => ({
      ppid,
      project_dir: rig.repo,
      branch: 'b',
      started_at: 1,
      last_active: 1,
    });
    const sessions = { dead0000: entry(dead), self0000: entry(process.pid), init0000: entry(1) };
    rig.writeHome('.claude/sessions.json', JSON.stringify({ version: '1.0', sessions }));
    rig.hook(on.start('startup'));
    expect(Object.keys(registry() as object).sort()).toEqual([KEY, 'init0000', 'self0000']);
  });

  it('repairs a registry whose sessions are a list', () => {
    const { rig, on, registry } = open();
    rig.writeHome('.claude/sessions.json', '{"version": "1.0", "sessions": []}');
    rig.hook(on.start('startup'));
    expect(registry()).toMatchObject({ [KEY]: { project_dir: rig.repo, branch: 'feature/auth' } });
  });
});
