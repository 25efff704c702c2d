import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { times } from '../stress';
import { EDIT, type Events, eventsIn, KEY, OTHER_SESSION } from './events';
import { at, deniedBecause, type Ended, makeRig, type Rig } from './rig';

const SILENT = { stdout: '', stderr: '', exitCode: 0 };
const BRANCH = '{inherit: false, requirements: {design: {enabled: true, scope: branch}}}';
let rig: Rig;
let on: Events;

function project(config?: string): void {
  rig = makeRig(config);
  on = eventsIn(rig);
}

function edit(more: Record<string, unknown> = {}): Ended {
  return rig.hook(on.pre('Edit', EDIT, more));
}

afterEach(() => rig.remove());

describe('where the agent stands', () => {
  it('in a subdirectory, even one that is gone, the project above is enforced', () => {
    project();
    const deep = join(rig.repo, 'src/deep');
    deniedBecause(edit({ cwd: deep }));
    mkdirSync(deep, { recursive: true });
    deniedBecause(edit({ cwd: deep }));
    rig.req(['satisfy', 'commit_plan', '--session', KEY], { cwd: deep });
    expect(edit({ cwd: deep })).toMatchObject(SILENT);
    expect(edit()).toMatchObject(SILENT);
    expect(existsSync(join(deep, '.git'))).toBe(false);
  });

  it('without a directory in the event, the host names the project', () => {
    project();
    const event = on.pre('Edit', EDIT, { cwd: undefined });
    expect(rig.hook(event)).toMatchObject({
      ...SILENT,
      stderr: expect.stringContaining('names no existing directory'),
    });
    deniedBecause(rig.hook(event, { env: { CLAUDE_PROJECT_DIR: rig.repo } }));
  });

  it('the directory of the process says nothing', () => {
    project();
    expect(rig.hook(on.pre('Edit', EDIT, { cwd: rig.dir }), { cwd: rig.repo })).toMatchObject(SILENT);
    deniedBecause(rig.hook(on.pre('Edit', EDIT), { cwd: '/' }));
  });

  it('a linked work tree shares the state of the repository', () => {
    project(BRANCH);
    rig.git('add', '.');
    rig.git('commit', '--quiet', '-m', 'config');
    const tree = join(rig.dir, 'tree');
    rig.git('worktree', 'add', '--quiet', '-b', 'side', tree);
    deniedBecause(edit({ cwd: tree }));
    expect(rig.req(['satisfy', 'design', '--branch', 'side']).exitCode).toBe(0);
    expect(edit({ cwd: tree })).toMatchObject(SILENT);
    deniedBecause(edit());
    rig.req(['satisfy', 'design', '--branch', 'feature/auth'], { cwd: tree });
    expect(edit()).toMatchObject(SILENT);
    expect(existsSync(join(rig.repo, '.git/requirements/side.json'))).toBe(true);
  });

  it('without HOME nothing is written where the process happens to stand', () => {
    project();
    const there = join(rig.dir, 'there');
    mkdirSync(there);
    deniedBecause(rig.hook(on.pre('Edit', EDIT), { cwd: there, env: { HOME: '' } }));
    expect(existsSync(join(there, '.claude'))).toBe(false);
  });
});

describe('which branch', () => {
  it('what is satisfied for the project stays so on every branch', () => {
    project('{inherit: false, requirements: {license: {enabled: true, scope: permanent}}}');
    deniedBecause(edit());
    rig.req(['satisfy', 'license', '--session', KEY]);
    for (const branch of ['one', 'two/three']) {
      rig.git('checkout', '--quiet', '-b', branch);
      expect(edit({ session_id: OTHER_SESSION })).toMatchObject(SILENT);
    }
  });

  it('two names that would share a file do not share what was satisfied', () => {
    project(BRANCH);
    rig.req(['satisfy', 'design', '--branch', 'feature/auth']);
    expect(edit()).toMatchObject(SILENT);
    rig.git('checkout', '--quiet', '-b', 'feature-auth');
    deniedBecause(edit());
    rig.req(['satisfy', 'design', '--branch']);
    expect(edit()).toMatchObject(SILENT);
    rig.git('checkout', '--quiet', 'feature/auth');
    expect(edit()).toMatchObject(SILENT);
  });

  it('two such names satisfied at the same moment do not share it either', async () => {
    project(
      '{inherit: false, requirements: {a: {enabled: true, scope: branch}, b: {enabled: true, scope: branch}}}',
    );
    for (let round = 0; round < times(2, 8); round++) {
      const [slash, dash] = [`r${round}/x`, `r${round}-x`];
      await Promise.all([
        rig.startReq(['satisfy', 'a', '--branch', slash]),
        rig.startReq(['satisfy', 'b', '--branch', dash]),
      ]);
      rig.git('checkout', '--quiet', '-b', slash);
      expect(deniedBecause(edit())).toContain(`req satisfy b --session`);
      rig.git('checkout', '--quiet', '-b', dash);
      expect(deniedBecause(edit())).toContain(`req satisfy a --session`);
    }
  });

  it.each([
    "it's",
    'a$(touch)b',
    'a;b&&c|d',
    'x`y`z',
    '"quoted"',
    'feat#1.x',
    'añb/日本語',
    '_project',
    '_detached',
    '__proto__',
    'a/'.repeat(60).concat('long'),
    'e\u202eevil',
    'c\u009b31mred',
    '%2e%2e%2fup',
    'CON',
  ])('an odd name is kept apart and written nowhere else: %s', (branch) => {
    project(BRANCH);
    rig.git('checkout', '--quiet', '-b', branch);
    deniedBecause(edit());
    const done = rig.req(['satisfy', 'design', `--branch=${branch}`]);
    expect(done, done.stderr).toMatchObject({ exitCode: 0 });
    expect(done.stdout).not.toMatch(/[\u0080-\u009f\u202e]/);
    expect(edit()).toMatchObject(SILENT);
    rig.git('checkout', '--quiet', 'feature/auth');
    deniedBecause(edit());
    expect(rig.listing()).toEqual(['home', 'tmp', 'w', 'w/.claude', 'w/.git']);
  });
});

describe('who may satisfy', () => {
  const RESERVED = '{inherit: false, requirements: {sign_off: {enabled: true, agent_may_satisfy: false}}}';
  const SATISFY = ['satisfy', 'sign_off', '--session', KEY];

  it.each([{ CLAUDECODE: '1' }, { AI_AGENT: 'x' }])('not the agent where the config says so: %j', (env) => {
    project(RESERVED);
    for (const more of [[], ['--force'], ['--branch']]) {
      const refused = rig.req([...SATISFY, ...more], { env });
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
      expect(refused.stderr).toContain('agent_may_satisfy');
    }
    deniedBecause(edit());
    expect(rig.req(SATISFY).exitCode).toBe(0);
    expect(edit()).toMatchObject(SILENT);
  });

  it('nobody satisfies what does not exist, unless forced; the nearest name is offered', () => {
    project();
    const refused = rig.req(['satisfy', 'comit_plan', '--session', KEY]);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain("Unknown requirement: 'comit_plan'");
    expect(refused.stderr).toContain('commit_plan\n');
    expect(rig.req(['satisfy', 'comit_plan', '--force', '--session', KEY]).exitCode).toBe(0);
    deniedBecause(edit());
  });

  it.each([
    ['nobody is named', ['satisfy']],
    ['metadata is no object', ['satisfy', 'commit_plan', '--metadata', '[1]']],
    ['a time is none', ['satisfy', 'commit_plan', '--ttl', 'soon']],
    ['the session is empty', ['satisfy', 'commit_plan', '--session', '']],
    ['a flag is unknown', ['satisfy', 'commit_plan', '--bogus']],
  ])('usage errors end with 2: %s', (_what, args) => {
    project();
    const ended = rig.req(args);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).not.toContain('    at ');
  });

  it('metadata that is not JSON ends with 1', () => {
    project();
    const ended = rig.req(['satisfy', 'commit_plan', '--session', KEY, '-m', '{bad']);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('--metadata is not JSON');
    deniedBecause(edit());
  });

  it.each(['branch', 'permanent'])('no session is missed where others count too: %s', (scope) => {
    project(`{inherit: false, requirements: {design: {enabled: true, scope: ${scope}}}}`);
    rig.hook(on.start('startup'));
    const { stdout, stderr } = rig.req(['satisfy', 'design', '--session', 'abcdabcd']);
    expect(stdout).toContain(`(${scope} scope)`);
    expect(stdout + stderr).not.toMatch(/seen here yet|Note:/);
  });

  it('in a config that cannot be read, the place of the mistake is named, and no requirement is unknown', () => {
    project('requirements:\n  plan: {enabled: true');
    const place = '.claude/requirements.yaml:2:9';
    for (const args of [
      ['satisfy', 'plan', '--session', KEY],
      ['config', 'plan'],
    ]) {
      const { exitCode, stderr } = rig.req(args);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(place)]);
      expect(stderr).not.toMatch(/[Uu]nknown|not defined/);
    }
    expect(rig.req(['config', '--sources']).stdout).toContain(
      `PROJECT (.claude/requirements.yaml):\n(cannot be read: ${place})`,
    );
  });

  it('part of a second counts as a whole one', () => {
    project();
    rig.req(['satisfy', 'commit_plan', '--session', KEY, '--ttl', '1.5']);
    const state = at(
      rig.readJson('.git/requirements/feature-auth.json'),
      'requirements',
      'commit_plan',
      'sessions',
      KEY,
    );
    const { satisfied_at = 0, expires_at } = state as Record<string, number>;
    expect(expires_at).toBe(satisfied_at + 2);
  });

  it('without any session there is an answer that says what to do', () => {
    project();
    const ended = rig.req(['satisfy', 'commit_plan']);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('--session');
  });

  it('outside a repository there is nothing to satisfy', () => {
    project();
    const ended = rig.req(['satisfy', 'commit_plan', '--session', KEY], { cwd: rig.home });
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('Not in a git repository');
  });

  it('in a project without git, .holdpoint/ holds the state', () => {
    project();
    const bare = join(rig.dir, 'bare');
    mkdirSync(join(bare, '.holdpoint'), { recursive: true });
    writeFileSync(join(bare, '.holdpoint/config.yaml'), 'requirements: {plan: {enabled: true}}');
    deniedBecause(edit({ cwd: bare }));
    expect(rig.req(['satisfy', 'plan', '--session', KEY], { cwd: bare }).exitCode).toBe(0);
    expect(edit({ cwd: bare })).toMatchObject(SILENT);
    const { stdout } = rig.holdpoint(['status'], { cwd: bare });
    expect(stdout).toContain('Run `holdpoint install --user`, or `git init` and `holdpoint install`');
    expect(stdout).toMatch(/^Requirements (?:for session \w+|\(no session given)/m);
  });
});
