import { existsSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn, KEY, OTHER_SESSION, SESSION } from './events';
import { at, deniedBecause, type Ended, makeRig, type Rig } from './rig';

const STATE = '.git/requirements/feature-auth.json';
const PAUSED = `.git/requirements/sessions/${KEY}.paused`;
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

const TWO =
  'commit_plan: {enabled: true}, review: {enabled: true, scope: branch, auto_resolve_skill: "team:review"}';

afterEach(() => rig.remove());

describe('req clear', () => {
  const satisfied = (session = SESSION): boolean =>
    rig.hook(on.pre('Edit', EDIT, { session_id: session })).stdout === '';

  it('forgets one requirement on this branch, for every session', () => {
    project(TWO);
    req('satisfy', 'commit_plan', 'review', '-s', KEY);
    expect(req('clear', 'commit_plan').stdout).toBe("Cleared 'commit_plan' for feature/auth\n");
    expect(Object.keys(at(rig.readJson(STATE), 'requirements') as object)).toEqual(['review']);
    deniedBecause(rig.hook(on.pre('Edit', EDIT)));
  });

  it.each(['-a', '--all'])('forgets all of them with %s', (flag) => {
    project(TWO);
    req('satisfy', 'commit_plan', 'review', '-s', KEY);
    expect(req('clear', flag).stdout).toBe('Cleared all requirements for feature/auth\n');
    expect(at(rig.readJson(STATE), 'requirements')).toEqual({});
  });

  it('forgets what is permanent, which lies beside the branches', () => {
    project('licence: {enabled: true, scope: permanent}');
    req('satisfy', 'licence', '-s', KEY);
    expect(satisfied()).toBe(true);
    req('clear', 'licence', '--branch', 'feature/auth');
    expect(satisfied()).toBe(true);
    req('clear', 'licence');
    expect(satisfied()).toBe(false);
  });

  it('forgets it for one session and leaves the others theirs', () => {
    project();
    req('satisfy', 'commit_plan', '-s', KEY);
    req('satisfy', 'commit_plan', '-s', OTHER_SESSION);
    expect(req('clear', 'commit_plan', '-s', SESSION).stdout).toContain(`Using explicit session: ${KEY}`);
    expect(satisfied()).toBe(false);
    expect(satisfied(OTHER_SESSION)).toBe(true);
  });

  it('forgets for one session also what was satisfied for all', () => {
    project('design: {enabled: true, scope: branch}');
    req('satisfy', 'design', '-s', KEY);
    req('clear', 'design', '-s', KEY);
    expect(satisfied()).toBe(false);
    expect(at(rig.readJson(STATE), 'requirements')).toEqual({});
  });

  it('means another branch where one is given', () => {
    project();
    rig.git('branch', 'other');
    req('satisfy', 'commit_plan', '--branch', 'other');
    req('satisfy', 'commit_plan', '-s', KEY);
    expect(req('clear', 'commit_plan', '-b', 'other').stdout).toContain('for other');
    expect(satisfied()).toBe(true);
    expect(at(rig.readJson('.git/requirements/other.json'), 'requirements')).toEqual({});
  });

  it.each([[[]], [['--all']], [['-s', SESSION]]])('by an agent takes no turn out of its hold: %j', (more) => {
    project('review: {enabled: true, stop_only: true}, design: {enabled: true, scope: branch}');
    const agent = { env: { CLAUDECODE: '1' } };
    req('satisfy', 'review', 'design', '-s', KEY);
    expect(satisfied()).toBe(true);
    const names = more[0] === '--all' ? [] : ['review', 'design'];
    expect(rig.req(['clear', ...names, ...more], agent)).toMatchObject({ exitCode: 0 });
    expect(rig.hook(on.stop(false)).stdout).toContain('review');
    expect(satisfied()).toBe(false);
  });

  it('asks what to clear, and knows a slip of the pen', () => {
    project();
    expect(rig.req(['clear'])).toMatchObject({
      exitCode: 1,
      stderr: 'Specify requirement name or use --all\n',
    });
    const unknown = rig.req(['clear', 'comit_plan']);
    expect(unknown.exitCode).toBe(1);
    expect(unknown.stderr).toContain("Unknown requirement: 'comit_plan'");
    expect(unknown.stderr).toContain('Did you mean?\n  commit_plan');
  });

  it('tells programs, and leaves a line in the journal', () => {
    project();
    req('satisfy', 'commit_plan', '-s', KEY);
    expect(req('clear', 'commit_plan', '--json').json).toEqual({
      cleared: ['commit_plan'],
      branch: 'feature/auth',
      session: null,
    });
    expect(rig.holdpoint(['log']).stdout).toMatch(/req clear .*commit_plan/);
  });
});

describe('req satisfy --branch', () => {
  it('records it for a branch that is not there, says so, and names the one that may be meant', () => {
    project();
    const ended = rig.req(['satisfy', 'commit_plan', '--branch', 'feature/atuh']);
    expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('for feature/atuh') });
    expect(ended.stderr).toBe(
      "Note: there is no branch 'feature/atuh' here; recorded anyway. Did you mean 'feature/auth'?\n",
    );
    expect(rig.readJson('.git/requirements/feature-atuh.json')).toMatchObject({ branch: 'feature/atuh' });
  });

  it('says nothing where git cannot be asked', () => {
    project();
    const ended = rig.req(['satisfy', 'commit_plan', '--branch', 'nope'], { env: { PATH: rig.tmp } });
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('req pause and req resume', () => {
  it('let a session work by its full id, and hold it again', () => {
    project();
    deniedBecause(rig.hook(on.pre('Edit', EDIT)));
    const { stdout } = req('pause', '--session', SESSION, '--reason', 'fire drill');
    expect(stdout).toContain(`Framework paused for session ${KEY}`);
    expect(rig.readJson(PAUSED)).toEqual({
      paused_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      reason: 'fire drill',
      by: userInfo().username,
      actor: 'person',
      channel: 'terminal',
    });
    expect(rig.hook(on.pre('Edit', EDIT)).stdout).not.toContain('deny');
    deniedBecause(rig.hook(on.pre('Edit', EDIT, { session_id: OTHER_SESSION })));
    expect(req('status', '-s', KEY).stdout).toMatch(/^Paused since .*\(fire drill\).*req resume/);
    expect(req('resume', '-s', KEY).stdout).toContain(`Framework resumed for session ${KEY}`);
    expect(existsSync(join(rig.repo, PAUSED))).toBe(false);
    deniedBecause(rig.hook(on.pre('Edit', EDIT)));
  });

  it('tell programs, and leave a line in the journal', () => {
    project();
    expect(req('pause', '-s', KEY, '--json').json).toMatchObject({
      session: KEY,
      paused: true,
      reason: null,
    });
    expect(req('resume', '-s', KEY, '--json').json).toEqual({
      session: KEY,
      paused: false,
      was_paused: true,
    });
    expect(req('resume', '-s', KEY, '--json').json).toMatchObject({ was_paused: false });
    const log = rig.holdpoint(['log']).stdout;
    for (const event of ['req pause', 'req resume']) expect(log).toContain(event);
  });

  it('end a pause whose mark is no JSON', () => {
    project();
    rig.write(PAUSED, '');
    req('resume', '-s', KEY);
    expect(existsSync(join(rig.repo, PAUSED))).toBe(false);
  });

  it('need a session', () => {
    project();
    for (const verb of ['pause', 'resume']) {
      expect(rig.req([verb])).toMatchObject({ exitCode: 1, stdout: '' });
      expect(rig.req([verb, '--session', '--'])).toMatchObject({ exitCode: 2, stdout: '' });
      expect(rig.req([verb, '--session', '-'])).toMatchObject({ exitCode: 2, stdout: '' });
    }
  });

  it('are not for an agent', () => {
    project();
    const refused = rig.req(['pause', '-s', KEY], { env: { CLAUDECODE: '1' } });
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('Only a person can pause Holdpoint');
    expect(existsSync(join(rig.repo, PAUSED))).toBe(false);
    req('pause', '-s', KEY);
  });
});

describe('req explain', () => {
  it('says what would be decided for a tool call, and leaves nothing behind', () => {
    project();
    const told = req('explain', 'Edit', '{"file_path": "a"}', '-s', SESSION);
    expect(told.stdout).toContain('commit_plan');
    expect(told.stdout).toContain('"permissionDecision":"deny"');
    expect(existsSync(join(rig.repo, '.git/requirements'))).toBe(false);
    expect(req('explain', 'Read', '-s', KEY).stdout).toContain('No rule applies to this event');
  });

  it('knows what the session has satisfied, and tells programs', () => {
    project();
    expect(req('explain', 'Edit', '{}', '-s', KEY, '--json').json).toMatchObject({ decision: 'deny' });
    req('satisfy', 'commit_plan', '-s', KEY);
    expect(req('explain', 'Edit', '{}', '-s', KEY, '--json').json).toMatchObject({ decision: 'nothing' });
  });

  it('goes on without a session, and says so', () => {
    project();
    const told = rig.req(['explain', 'Edit', '{}', '--json']);
    expect(told).toMatchObject({ exitCode: 0, json: { decision: 'deny' } });
    expect(told.stderr).toContain('No session given');
    expect(told.stdout).toContain('--session ID');
  });

  it.each([[[]], [['Edit', '[1]']], [['Edit', '{bad']], [['Edit', '{}', '--session', '']]])(
    'refuses %j with exit code 2',
    (args) => {
      project();
      expect(rig.req(['explain', ...args])).toMatchObject({ exitCode: 2, stdout: '' });
    },
  );
});

describe('every verb', () => {
  const IN_A_REPOSITORY = [
    ['status'],
    ['clear', 'x'],
    ['list'],
    ['prune'],
    ['pause'],
    ['resume'],
    ['explain', 'Edit'],
  ];
  it.each(IN_A_REPOSITORY)('%s %s says where it cannot work, with exit code 1', (...args) => {
    project();
    const ended = rig.req(args, { cwd: rig.home });
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('Not in a git repository');
  });

  it.each(['status', 'clear', 'list', 'sessions', 'prune', 'pause', 'resume', 'explain', 'doctor', 'verify'])(
    '%s does not know --bogus: exit code 2',
    (verb) => {
      project();
      expect(rig.req([verb, '--bogus'])).toMatchObject({ exitCode: 2, stdout: '' });
    },
  );

  it('sends nothing to the terminal that it might obey', () => {
    project();
    const evil = 'x\u009b31m\u202e';
    rig.git('checkout', '--quiet', '-b', evil);
    rig.hook(on.pre('Edit', EDIT, { session_id: `s\u001b[2J${evil}` }));
    rig.req(['satisfy', 'commit_plan', '-s', KEY]);
    writeFileSync(
      join(rig.repo, '.git/requirements/own.json'),
      JSON.stringify({ branch: `\u001b[2J${evil}`, requirements: {} }),
    );
    const said = [
      ['status'],
      ['status', '-v'],
      ['status', '--json'],
      ['status', '--summary'],
      ['list'],
      ['list', '--json'],
      ['sessions'],
      ['sessions', '--json'],
      ['pause', '-r', `\u001b[31m${evil}`],
      ['status'],
      ['resume'],
      ['clear', `\u001b[31m${evil}`],
      ['clear', '-a', '-b', `\u001b[31m${evil}`],
      ['prune', '--dry-run'],
      ['prune'],
    ].map((args) => rig.req(args));
    const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
    for (const { stdout, stderr } of said) expect(stdout + stderr).not.toMatch(CONTROL);
  });
});
