import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { KEY, SESSION } from './events';
import { configWith, type Project, projectWith } from './requirements-project';
import { at, deniedBecause, heldBecause } from './rig';

let project: Project;

const open = (config?: string): Project => {
  project = projectWith(config);
  return project;
};

afterEach(() => project.rig.remove());

describe('who satisfied it, when and how', () => {
  it.each([
    ['person', 'terminal', 'a person in a terminal', {}],
    ['agent', 'cli', 'the agent', { CLAUDECODE: '1' }],
    ['agent', 'cli', 'the agent', { AI_AGENT: 'x' }],
  ])('is kept of a command that the %s runs: %s', (actor, channel, words, env) => {
    const { rig, own } = open();
    rig.req(['satisfy', 'commit_plan', '--session', SESSION], { env });
    expect(own('commit_plan')).toMatchObject({
      satisfied_by: 'cli_bypass',
      satisfied_at: expect.toSatisfy(Number.isInteger),
      actor,
      channel,
    });
    const log = rig.holdpoint(['log', '--json', '-n', '1']).json;
    expect(log).toMatchObject({ event: 'req satisfy', session: KEY, actor, channel });
    expect(rig.holdpoint(['why', String(at(log, 'id'))]).stdout).toMatch(new RegExp(`^by +${words}$`, 'm'));
  });

  it('is kept of a skill, called or typed', () => {
    const { skill, send, own } = open(configWith('plan: {enabled: true, satisfied_by_skill: review}'));
    skill('review');
    expect(own('plan')).toMatchObject({ satisfied_by: 'skill', actor: 'skill', channel: 'hook' });
    send('UserPromptSubmit', { prompt: '/review all of it' });
    expect(own('plan')).toMatchObject({ satisfied_by: 'skill', actor: 'skill', metadata: { typed: true } });
  });

  it('stands in the counts of the session, with how long it took', () => {
    const { edit, satisfy, metrics } = open();
    deniedBecause(edit());
    satisfy('commit_plan', '--session', KEY);
    expect(at(metrics(), 'requirements', 'commit_plan')).toMatchObject({
      blocked_count: 1,
      satisfied_by: 'cli_bypass',
      satisfied_at: expect.toSatisfy(Number.isInteger),
      time_to_satisfy_seconds: expect.toSatisfy((seconds: number) => seconds >= 0 && seconds < 60),
    });
  });

  it('makes no counts for a session that has none', () => {
    const { satisfy, metrics } = open();
    satisfy('commit_plan', '--session', KEY);
    expect(metrics()).toBeUndefined();
  });
});

it('a turn that ended although it was held is counted', () => {
  const { rig, on, edit, metrics } = open(configWith('notes: {enabled: true, stop_only: true}'));
  edit();
  heldBecause(rig.hook(on.stop(false)));
  rig.hook(on.stop(true));
  expect(metrics()).toMatchObject({ stop_overrides: 1 });
});

describe('an end of its own', () => {
  it('cannot be given to what is permanent', () => {
    const { rig } = open(configWith('licence: {enabled: true, scope: permanent}'));
    for (const level of [['--session', KEY], ['--branch']]) {
      const refused = rig.req(['satisfy', 'licence', '--ttl', '60', ...level]);
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
      expect(refused.stderr).toContain('does not expire');
    }
    expect(rig.req(['satisfy', 'licence', '--session', KEY])).toMatchObject({ exitCode: 0 });
  });
});

describe('req prune', () => {
  it('removes the counts and pauses of sessions that are over for a month, and of no other', () => {
    const { rig } = open();
    const month = Date.now() / 1000 - 31 * 24 * 3600;
    const files = ['old.json', 'old.paused', 'new.json', `${KEY}.json`].map((name) => {
      rig.write(`.git/requirements/sessions/${name}`, '{}');
      return join(rig.repo, '.git/requirements/sessions', name);
    });
    rig.hook(project.on.start('startup'));
    for (const file of files.filter((path) => !path.endsWith('new.json'))) utimesSync(file, month, month);
    const left = (): boolean[] => files.map((file) => existsSync(file));
    expect(rig.req(['prune', '--dry-run', '--json']).json).toMatchObject({
      sessions: ['requirements/sessions/old.json', 'requirements/sessions/old.paused'],
    });
    expect(left()).toEqual([true, true, true, true]);
    expect(rig.req(['prune']).stdout).toContain('Removed 2 files of old sessions');
    expect(left()).toEqual([false, false, true, true]);
  });
});
