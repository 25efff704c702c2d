import { afterEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn, KEY, OTHER_SESSION, SESSION } from './events';
import { contextOf } from './requirements-project';
import { type Ended, makeRig, type Rig } from './rig';

const STATE = '.git/requirements/feature-auth.json';
let rig: Rig;
let on: Events;

function project(requirements = 'commit_plan: {enabled: true}', more = ''): void {
  rig = makeRig(`{inherit: false, ${more} requirements: {${requirements}}}\n`);
  on = eventsIn(rig);
}

/** A command that must succeed without a word of complaint. */
function req(...args: string[]): Ended {
  const ended = rig.req(args);
  expect(ended, ended.stderr).toMatchObject({ exitCode: 0, stderr: '' });
  return ended;
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const OTHER_KEY = 'aaaaaaaa';
const TWO =
  'commit_plan: {enabled: true}, review: {enabled: true, scope: branch, auto_resolve_skill: "team:review"}';
const PROTECTED = 'protected_branch: {enabled: true, type: guard, guard_type: protected_branch}';

afterEach(() => rig.remove());

describe('req status', () => {
  it('says first what holds and the one command that clears it', () => {
    project(TWO);
    const { stdout } = req('status', '--session', SESSION);
    expect(lines(stdout)[0]).toBe(
      `Open: commit_plan, review. Next: req satisfy commit_plan review --session ${KEY}`,
    );
    for (const part of ['Requirements Status', 'Branch: feature/auth', 'Unsatisfied Requirements:'])
      expect(stdout).toContain(part);
    expect(stdout).toContain(`commit_plan (session scope)\n    -> req satisfy commit_plan --session ${KEY}`);
    expect(stdout).toContain('review (branch scope)\n    -> /team:review, then req satisfy review --session');
  });

  it.each([[[]], [['-s', KEY]], [['status', '-s', KEY]]])('is what %j does', (args) => {
    project();
    expect(rig.req(args)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Requirements Status'),
    });
  });

  it('names a skill alone where one clears everything', () => {
    project('review: {enabled: true, satisfied_by_skill: "team:review"}');
    expect(lines(req('status', '-s', KEY).stdout)[0]).toBe('Open: review. Next: /team:review');
  });

  it.each([
    ['session', '', true],
    ['branch', '', false],
    ['branch', 'hooks: {stop: {verify_scopes: [branch]}},', true],
    ['session', 'hooks: {stop: {verify_requirements: false}},', false],
  ])('says whether the end of the turn is held (scope: %s, %s)', (scope, more, isHeld) => {
    project(`review: {enabled: true, scope: ${scope}, stop_only: true}`, more);
    rig.hook(on.pre('Edit', { file_path: 'a' }));
    const { stdout } = req('status', '-s', SESSION);
    expect(stdout.includes('holds the end of the turn')).toBe(isHeld);
    expect(rig.hook(on.stop(false)).stdout !== '').toBe(isHeld);
  });

  it('says that all is satisfied, and for whom it is not', () => {
    project();
    req('satisfy', 'commit_plan', '--session', KEY);
    const { stdout } = req('status', '-s', SESSION);
    expect(stdout).toContain('All requirements satisfied');
    expect(stdout).not.toContain('Unsatisfied');
    expect(req('status', '-s', OTHER_SESSION).stdout).toContain('Unsatisfied Requirements:');
  });

  it('fits on one line', () => {
    project(TWO);
    const summary = (): string => req('status', '--summary', '-s', KEY).stdout;
    expect(summary()).toBe('0/2 requirements satisfied (commit_plan, review needed)\n');
    req('satisfy', 'commit_plan', '-s', KEY);
    expect(summary()).toBe('1/2 requirements satisfied (review needed)\n');
    req('satisfy', 'review', '-s', KEY);
    expect(summary()).toBe('All 2 requirements satisfied\n');
  });

  it('tells everything with -v: session, project, sessions of the branch, each requirement, time left', () => {
    project(TWO);
    rig.hook(on.start('startup'));
    req('satisfy', 'commit_plan', '-s', KEY, '--ttl', '600');
    const { stdout } = req('status', '-v', '-s', KEY);
    expect(stdout).toContain(`Session: ${KEY}`);
    expect(stdout).toContain(`Project: ${rig.repo}`);
    expect(stdout).toMatch(new RegExp(`Active sessions on this branch:\\n +${KEY} +PID \\d+ +just now`));
    expect(stdout).toMatch(/✓ +commit_plan \(session scope\) +(10m 0s|9m \d+s) left/);
    expect(stdout).toMatch(/✗ +review \(branch scope\)/);
  });

  it('does not count what does not apply on this branch as open', () => {
    project(PROTECTED);
    expect(req('status', '-s', KEY).stdout).toContain('All requirements satisfied');
    expect(req('status', '--summary', '-s', KEY).stdout).toBe('All 1 requirements satisfied\n');
    expect(req('status', '-v', '-s', KEY).stdout).toContain('does not apply here');
    expect(rig.holdpoint(['status', '--json']).json).toMatchObject({
      requirements: [{ name: 'protected_branch', satisfied: true, applies: false }],
    });
    expect(req('status', '-s', KEY, '--branch', 'main').stdout).toContain('Open: protected_branch.');
    rig.git('checkout', '--quiet', '-b', 'main');
    expect(req('status', '-s', KEY).stdout).toContain('Open: protected_branch.');
  });

  it('holds only the later of two sessions in one project', () => {
    project('alone: {enabled: true, type: guard, guard_type: single_session}');
    const entry = { ppid: process.pid, project_dir: rig.repo, branch: 'feature/auth', last_active: 1e10 };
    const sessions = { [KEY]: { ...entry, started_at: 1 }, [OTHER_KEY]: { ...entry, started_at: 2 } };
    rig.writeHome('.claude/sessions.json', JSON.stringify({ version: '1.0', sessions }));
    expect(req('status', '--summary', '-s', KEY).stdout).toContain('All 1 requirements satisfied');
    expect(req('status', '--summary', '-s', OTHER_KEY).stdout).toContain('(alone needed)');
    const briefing = contextOf(rig.hook(on.start('startup', { session_id: OTHER_SESSION })));
    expect(briefing).toContain('0/1 satisfied');
    expect(briefing).toContain('Wait until the other session has ended');
  });

  it('shows the last known value of a dynamic requirement and what it may be', () => {
    project('size: {enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 10}}');
    const value = { kind: 'value', value: 30, summary: '', base: 'main', at: 1 };
    rig.write('.git/holdpoint/values.json', JSON.stringify({ 'feature/auth size': value }));
    expect(req('status', '-v', '-s', KEY).stdout).toContain('value 30, holds from 10');
    expect(req('status', '--summary', '-s', KEY).stdout).toContain('(size needed)');
    req('approve', 'size', '-s', KEY);
    expect(req('status', '--summary', '-s', KEY).stdout).toBe('All 1 requirements satisfied\n');
  });

  it.each([
    [
      'a value that was not measured',
      'type: dynamic, calculator: echo 1, thresholds: {block: 10}',
      'not measured yet',
    ],
    [
      'a value that could not be measured',
      'type: dynamic, calculator: exit 3, thresholds: {block: 10}',
      'not measured: `exit 3` failed (exit code 3)',
    ],
    ['evidence that was not looked for', 'evidence: {command: "true"}', 'evidence not checked yet'],
  ])('does not count %s as satisfied', (what, keys, why) => {
    project(`size: {enabled: true, ${keys}}`);
    if (keys.startsWith('evidence')) req('satisfy', 'size', '-s', KEY);
    if (what.includes('could not')) rig.hook(on.pre('Edit', EDIT));
    expect(req('status', '--summary', '-s', KEY).stdout).toBe(`0/1 requirements satisfied (size: ${why})\n`);
    const { stdout } = req('status', '-s', KEY);
    expect(stdout).toContain(`Not known yet:\n  size: ${why}`);
    for (const words of ['All requirements', 'Unsatisfied', 'Open:']) expect(stdout).not.toContain(words);
    expect(req('status', '--json', '-s', KEY).json).toMatchObject({
      satisfied: 0,
      needed: [],
      requirements: [{ satisfied: false, unknown: why }],
    });
    const briefing = contextOf(rig.hook(on.start('resume')));
    expect(briefing).toContain('0/1 satisfied');
    expect(briefing).toContain(`Not known yet: \`size\` (${why})`);
    if (what.includes('could not')) return;
    rig.hook(on.pre('Edit', EDIT));
    expect(req('status', '--summary', '-s', KEY).stdout).toBe('All 1 requirements satisfied\n');
  });

  it('names commands that do what they say: in quotes, and for the branch that is asked about', () => {
    project('"two words": {enabled: true}, -x: {enabled: true}');
    rig.git('branch', 'other');
    const step = `req satisfy --session ${KEY} -- 'two words' -x`;
    expect(req('status', '-s', KEY).stdout).toContain(`Next: ${step}\n`);
    const there = req('status', '-s', KEY, '-b', 'other').stdout;
    expect(there).toContain(`-> req satisfy 'two words' --session ${KEY} --branch other\n`);
    expect(there).toContain(`-> req satisfy --session ${KEY} --branch other -- -x\n`);
    const briefing = contextOf(rig.hook(on.start('startup')));
    expect(briefing).toContain("**req satisfy 'two words'** -> `two words`");
    expect(briefing).toContain('**req satisfy -- -x** -> `-x`');
    req('satisfy', '--session', KEY, '--branch', 'other', '--', '-x', 'two words');
    expect(req('status', '--summary', '-s', KEY).stdout).toContain('0/2');
    expect(req('status', '--summary', '-s', KEY, '-b', 'other').stdout).toContain('All 2');
  });

  it('can say how long it took', () => {
    project(TWO);
    const { exitCode, stderr } = rig.req(['status', '--session', KEY, '-t']);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^Timing: \d+ ms\n$/)]);
  });

  it('is the same for programs', () => {
    project(TWO);
    req('satisfy', 'commit_plan', '-s', KEY);
    const { json } = req('status', '--json', '-s', KEY);
    expect(json).toMatchObject({
      project: rig.repo,
      branch: 'feature/auth',
      session: KEY,
      enforced: true,
      paused: null,
      satisfied: 1,
      total: 2,
      needed: ['review'],
      broken: false,
      requirements: [
        { name: 'commit_plan', scope: 'session', satisfied: true, clear: null },
        {
          name: 'review',
          scope: 'branch',
          satisfied: false,
          clear: expect.stringMatching(/^\/team:review, then/),
        },
      ],
    });
  });

  it('says that nothing is enabled if a requirement only lacks `enabled`', () => {
    project('commit_plan: {on: push}');
    expect(req('status', '--summary', '-s', KEY).stdout).toBe('No requirement is enabled.\n');
  });

  it('says that nothing is configured', () => {
    project('commit_plan: {enabled: false}');
    expect(req('status', '-s', KEY).stdout).toContain('No requirements configured for this project.');
    expect(req('status', '--summary', '-s', KEY).stdout).toBe(
      'No requirements configured for this project.\n',
    );
  });

  it('says that all is switched off', () => {
    project('commit_plan: {enabled: true}', 'enabled: false,');
    expect(req('status', '-s', KEY).stdout).toContain('Requirements framework disabled');
    expect(req('status', '--json', '-s', KEY).json).toMatchObject({ enforced: false, reach: 'disabled' });
  });

  it('says that a global config alone enforces nothing', () => {
    rig = makeRig('');
    rig.writeHome('.claude/requirements.yaml', 'requirements: {commit_plan: {enabled: true}}');
    expect(req('status', '-s', KEY).stdout).toContain('enforce_everywhere');
  });

  it('shows what still holds of a broken config, where it is broken, and exits with 1', () => {
    project('commit_plan: {enabled: true}, other: {enabled: true, scope: weekly}');
    const ended = rig.req(['status', '-s', KEY]);
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toContain('Open: commit_plan.');
    expect(ended.stdout).toMatch(/\.claude\/requirements\.yaml:1:\d+: error: .*weekly/);
    expect(rig.req(['status', '--summary', '-s', KEY])).toMatchObject({
      exitCode: 1,
      stdout: '0/1 requirements satisfied (commit_plan needed)\n',
      stderr: expect.stringMatching(/requirements\.yaml:1:\d+/),
    });
    expect(rig.req(['status', '--json', '-s', KEY])).toMatchObject({
      exitCode: 1,
      json: { broken: true, needed: ['commit_plan'] },
    });
  });

  it('says that nothing holds where the config cannot be read at all', () => {
    rig = makeRig('requirements: {commit_plan: [');
    const ended = rig.req(['status', '-s', KEY]);
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toContain('No requirement is in effect');
    expect(ended.stdout).toMatch(/\.claude\/requirements\.yaml:1:\d+/);
  });

  it('names a state file that cannot be read', () => {
    project();
    rig.write(STATE, '{bad');
    expect(req('status', '-s', KEY).stdout).toContain('feature-auth.json is not valid JSON');
  });

  it('enforces a detached HEAD too', () => {
    project();
    rig.git('checkout', '--quiet', '--detach');
    expect(req('status', '-s', KEY).stdout).toContain('Branch: _detached');
    req('satisfy', 'commit_plan', '-s', KEY);
    expect(req('status', '-s', KEY).stdout).toContain('All requirements satisfied');
  });

  it('warns in two lines and goes on where no session can be told', () => {
    project(TWO);
    req('satisfy', 'review', '--branch');
    const ended = rig.req(['status']);
    expect(ended.exitCode).toBe(0);
    expect(lines(ended.stderr)).toHaveLength(2);
    expect(ended.stderr).toContain('No active Claude Code session found!');
    expect(ended.stdout).toContain('Open: commit_plan. Next: req satisfy commit_plan --session ID');
  });
});
