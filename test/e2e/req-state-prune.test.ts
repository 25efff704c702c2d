import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn, KEY } from './events';
import { at, type Ended, makeRig, type Rig } from './rig';

const DIR = '.git/requirements';
const DAY = 24 * 60 * 60;
let rig: Rig;
let on: Events;

beforeEach(() => {
  rig = makeRig();
  on = eventsIn(rig);
});
afterEach(() => rig.remove());

function req(...args: string[]): Ended {
  const ended = rig.req(args);
  expect(ended, ended.stderr).toMatchObject({ exitCode: 0, stderr: '' });
  return ended;
}

function branchWithState(branch: string): void {
  rig.git('branch', branch);
  req('satisfy', 'commit_plan', '--branch', branch);
}

const files = (): string[] =>
  readdirSync(join(rig.repo, DIR))
    .filter((name) => name.endsWith('.json'))
    .sort();

const branchIn = (file: string): unknown => at(rig.readJson(`${DIR}/${file}`), 'branch');

describe('req list', () => {
  it('lists the branches with state, and what counts for all of them', () => {
    expect(req('list').stdout).toBe('Tracked Branches (0)\n');
    branchWithState('other');
    req('satisfy', 'commit_plan', '-s', KEY);
    rig.write(`${DIR}/learning_history.json`, '{"entries": []}');
    rig.write(`${DIR}/_project.json`, JSON.stringify({ branch: 'x', requirements: { a: {}, b: {} } }));
    const { stdout } = req('list');
    expect(stdout).toContain('Tracked Branches (2)');
    expect(stdout).toContain('feature/auth: 1 requirement(s)');
    expect(stdout).toContain('other: 1 requirement(s)');
    expect(stdout).toContain('For all branches: 2 requirement(s)');
    expect(stdout).not.toContain('learning');
  });

  it('tells programs', () => {
    branchWithState('other');
    expect(req('list', '--json').json).toEqual({
      branches: [{ branch: 'other', requirements: 1, file: 'requirements/other.json' }],
      permanent: 0,
      unreadable: [],
    });
  });

  it('lists the requirements that are on instead', () => {
    expect(req('list', '--enabled-only').stdout).toMatch(
      /^Enabled Requirements \(\d\)\n {2}commit_plan \(session scope\)\n/,
    );
    expect(req('list', '--enabled-only', '--json').json).toMatchObject({
      requirements: [{ name: 'commit_plan', scope: 'session', type: 'blocking' }],
    });
    rig.write('.holdpoint/config.yaml', 'requirements:\n  plan: {enabled: maybe}\n');
    expect(rig.req(['list', '--enabled-only']).stderr).toContain('.holdpoint/config.yaml:2:19: error: ');
  });

  it('names a file that cannot be read, and calls one without a branch by its name', () => {
    rig.write(`${DIR}/old.json`, '{"requirements": {"a": {}}}');
    rig.write(`${DIR}/bad.json`, '{bad');
    const ended = rig.req(['list']);
    expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('old: 1 requirement(s)') });
    expect(ended.stderr).toContain('bad.json');
  });
});

describe('req prune', () => {
  it.each(['startup', 'ended'])(
    'keeps what a session on a renamed branch still needs, while it lives: %s',
    (life) => {
      rig.write('.claude/requirements.yaml', '{requirements: {review: {enabled: true, stop_only: true}}}');
      const here = { env: { CLAUDE_PID: String(process.pid) } };
      rig.hook(on.start('startup'), here);
      rig.hook(on.pre('Edit', EDIT), here);
      if (life === 'ended') rig.hook(on.end(), here);
      rig.git('branch', '-m', 'renamed');
      req('prune');
      expect(files()).toEqual(life === 'ended' ? [] : ['feature-auth.json']);
      if (life !== 'ended') expect(rig.hook(on.stop(false), here).stdout).toContain('review');
    },
  );

  it('removes the state of branches that are gone, and of no other', () => {
    branchWithState('done');
    branchWithState('living');
    req('satisfy', 'commit_plan', '-s', KEY);
    rig.git('branch', '-D', 'done');
    const { stdout } = req('prune');
    expect(stdout).toContain('Removed 1 state file(s) for deleted branches');
    expect(files()).toEqual(['feature-auth.json', 'living.json']);
    expect(req('prune').stdout).toContain('Removed 0 state file(s)');
  });

  it('only says so with --dry-run', () => {
    branchWithState('done');
    rig.git('branch', '-D', 'done');
    const { stdout } = req('prune', '--dry-run');
    expect(stdout).toContain('Would remove 1 state file(s) for deleted branches');
    expect(stdout).toContain('done');
    expect(files()).toEqual(['done.json']);
    expect(req('prune', '--dry-run', '--json').json).toEqual({
      dry_run: true,
      removed: [{ branch: 'done', file: 'requirements/done.json' }],
      sessions: [],
      leftovers: [],
    });
  });

  it('leaves what is permanent, what is not ours, and what cannot be read', () => {
    const kept = {
      '_project.json': JSON.stringify({ version: '1.0', branch: 'gone', requirements: { a: {} } }),
      '_detached.json': JSON.stringify({ version: '1.0', branch: '_detached', requirements: { a: {} } }),
      'learning_history.json': '{"branch": "gone", "entries": []}',
      'retrieval-1.json': '[]',
      'nameless.json': '{"requirements": {}}',
      'bad.json': '{bad',
      'notes.txt': 'x',
    };
    for (const [name, text] of Object.entries(kept)) rig.write(`${DIR}/${name}`, text);
    expect(req('prune').stdout).toContain('Removed 0 state file(s)');
    for (const name of Object.keys(kept)) expect(existsSync(join(rig.repo, DIR, name)), name).toBe(true);
  });

  it.each([
    ['the second', 'a-b', 'a/b'],
    ['the first', 'a/b', 'a-b'],
  ])('keeps of two branches that share a file name the state of %s', (_which, gone, living) => {
    for (const branch of ['a/b', 'a-b']) branchWithState(branch);
    expect(files()).toHaveLength(2);
    rig.git('branch', '-D', gone);
    expect(req('prune').stdout).toContain('Removed 1 state file(s)');
    expect(files().map(branchIn)).toEqual([living]);
    rig.git('checkout', '--quiet', living);
    expect(rig.hook(on.pre('Edit', EDIT))).toMatchObject({ stdout: '', exitCode: 0 });
  });

  it('keeps the state of all branches that share a file name with the one that goes', () => {
    const branches = ['a.b', 'a+b', 'a_b'];
    for (const branch of branches) branchWithState(branch);
    rig.git('branch', '-D', 'a.b');
    req('prune');
    expect(files().map(branchIn).sort()).toEqual(['a+b', 'a_b']);
    for (const branch of ['a+b', 'a_b']) {
      rig.git('checkout', '--quiet', branch);
      expect(rig.hook(on.pre('Edit', EDIT))).toMatchObject({ stdout: '', exitCode: 0 });
    }
  });

  it('keeps the state of a branch without a commit, and of one in another work tree', () => {
    rig.git('worktree', 'add', '--quiet', join(rig.dir, 'tree'), '-b', 'elsewhere');
    rig.git('checkout', '--quiet', '--orphan', 'unborn');
    for (const branch of ['elsewhere', 'unborn']) req('satisfy', 'commit_plan', '--branch', branch);
    expect(req('prune').stdout).toContain('Removed 0 state file(s)');
    expect(files()).toEqual(['elsewhere.json', 'unborn.json']);
  });

  it('removes nothing where git does not answer', () => {
    branchWithState('done');
    rig.git('branch', '-D', 'done');
    mkdirSync(join(rig.dir, 'bin'));
    const ended = rig.req(['prune'], { env: { PATH: join(rig.dir, 'bin') } });
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('nothing was removed');
    expect(files()).toEqual(['done.json']);
  });

  it('drops what sessions left a month ago, unless they live', () => {
    const now = Math.floor(Date.now() / 1000);
    const entry = (days: number) => ({ satisfied: true, satisfied_at: now - days * DAY });
    const sessions = { oldliving: entry(40), oldold: entry(40), young: entry(20) };
    const state = { version: '1.0', branch: 'feature/auth', requirements: { commit_plan: { sessions } } };
    rig.write(`${DIR}/feature-auth.json`, JSON.stringify(state));
    const registry = { version: '1.0', sessions: { oldliving: { ppid: process.pid } } };
    rig.writeHome('.claude/sessions.json', JSON.stringify(registry));
    req('prune');
    const left = at(rig.readJson(`${DIR}/feature-auth.json`), 'requirements', 'commit_plan', 'sessions');
    expect(Object.keys(left as object)).toEqual(['oldliving', 'young']);
  });

  it('removes what killed processes left behind, once it is old', () => {
    req('satisfy', 'commit_plan', '-s', KEY);
    const [old, fresh] = ['feature-auth.json.1.abc.tmp', 'feature-auth.json.2.abc.tmp'] as const;
    for (const name of [old, fresh]) writeFileSync(join(rig.repo, DIR, name), '');
    const twoHoursAgo = Date.now() / 1000 - 7200;
    utimesSync(join(rig.repo, DIR, old), twoHoursAgo, twoHoursAgo);
    expect(req('prune').stdout).toContain('Removed 1 temporary file of killed processes');
    const names = readdirSync(join(rig.repo, DIR));
    expect(names).toContain(fresh);
    expect(names).not.toContain(old);
  });
});
