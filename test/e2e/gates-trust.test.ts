import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeRig, type Rig } from './rig';
import { hasTerminals, runAtTerminal } from './terminal';

const CONFIG = `gates:
  base_branch: origin/main
  entry_points: [{path: src, checks: [sound]}]
  checks: {sound: {command: "! grep -rq BAD ."}}
`;
const TEST =
  "test('a', () => {\n  assert.equal(a(), 1);\n});\ntest('b', () => {\n  assert.equal(b(), 2);\n});\n";

const AUTHOR = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.invalid',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.invalid',
};

let rig: Rig;
let sessions = 0;
const client = spawn('sleep', ['600'], { stdio: 'ignore' });
const env = { CLAUDE_PID: String(client.pid) };
const sh = (script: string, cwd = rig.repo): void =>
  void execFileSync('/bin/sh', ['-ec', script], {
    cwd,
    env: { ...rig.environment(), ...AUTHOR, T: rig.dir },
    stdio: 'pipe',
  });

beforeAll(() => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  rig.write('.gitignore', '.holdpoint/logs\n');
  rig.write('src/a.txt', 'one\n');
  rig.write('src/a.test.js', TEST);
  mkdirSync(join(rig.dir, 'other'));
  sh('git init -q --bare -b main "$T/origin"; git add -A; git commit -qm first; git branch -M main');
  sh('git remote add origin "$T/origin"; git push -qu origin main; git branch start');
  sh('git clone -q "$T/origin" "$T/colleague"');
});
afterAll(() => {
  client.kill();
  rig.remove();
});
beforeEach(() => {
  sessions++;
  sh(`git stash clear; git checkout -qfB work origin/main; git clean -fdq; rm -rf .holdpoint/logs
for b in $(git branch --format='%(refname:short)' | grep -v work); do git branch -qD "$b"; done`);
  rig.write('src/a.txt', `session ${sessions}\n`);
  rig.hook(event('SessionStart', { source: 'startup' }), { env });
});

const event = (hook_event_name: string, more: object) => ({
  session_id: `${String(sessions).padStart(8, '0')}-0000-4000-8000-000000000000`,
  hook_event_name,
  cwd: rig.repo,
  ...more,
});
const stop = (more: object = {}, variables: Readonly<Record<string, string>> = {}): string => {
  const { json, stdout } = rig.hook(event('Stop', { stop_hook_active: false, prompt_id: 'p', ...more }), {
    env: { ...env, ...variables },
  });
  const { decision, reason, systemMessage } = (stdout === '' ? {} : json) as Record<string, string>;
  if (decision === 'block') return `held: ${reason}`;
  const told = (systemMessage ?? '').split('\n').filter((line) => !/^Holdpoint: 1 check passed/.test(line));
  return told.join('\n').trim();
};

describe('ordinary work is let go, and nobody is told anything', () => {
  it.each<[string, string]>([
    ['a commit', 'git commit -qam a'],
    [
      'a commit that was amended',
      'git commit -qam a; echo more >> src/a.txt; git commit -qa --amend --no-edit',
    ],
    ['a stash that was taken back', 'git stash -q; git stash pop -q'],
    ['a stash of what no gate looks at', 'git commit -qam a; echo x > README; git stash -qu'],
    ['another branch at the same commit', 'git commit -qam a; git branch copy; git tag t'],
    ['a branch of before, rewritten', 'git commit -qam a; git branch backup; git commit -q --amend -m b'],
    ['work that was thrown away', 'git commit -qam a; git reset -q --hard HEAD~1'],
    [
      'a branch that was merged and kept',
      'git checkout -qb part; git commit -qam a; git checkout -q work; git merge -q --no-ff -m m part',
    ],
    [
      'a tracking branch',
      'cd "$T/colleague"; git checkout -qfB theirs; echo x > src/t.txt; git add -A; git commit -qm t; git push -qfu origin theirs; cd - >/dev/null; git fetch -q; git branch -q theirs origin/theirs',
    ],
    [
      'the base pulled on the way',
      'git commit -qam a; cd "$T/colleague"; git checkout -qf main; git pull -q; date +%N >> src/c.txt; git add -A; git commit -qm c; git push -q origin main; cd - >/dev/null; git checkout -q -B main origin/main; git pull -q; git checkout -q work',
    ],
    [
      'the same with a rebase',
      'git commit -qam a; cd "$T/colleague"; git checkout -qf main; git pull -q; date +%N >> src/c.txt; git add -A; git commit -qm c; git push -q origin main; cd - >/dev/null; git fetch -q; git rebase -q origin/main',
    ],
    [
      'tests added, renamed and changed',
      `printf "test('c', () => {\\n  assert.equal(c(), 3);\\n});\\n" >> src/a.test.js; sed -i "s/'a'/'first'/; s/b(), 2/b(1), 2/" src/a.test.js; git commit -qam t`,
    ],
    [
      'a pull request that was fetched',
      'cd "$T/colleague"; git checkout -qfB pr; echo x > src/pr.txt; git add -A; git commit -qm t; git push -qf origin pr:refs/pull/1/head; cd - >/dev/null; git fetch -q origin pull/1/head:pr-1',
    ],
    [
      'a branch at an older commit of a remote',
      'cd "$T/colleague"; git checkout -qfB long; for i in 1 2; do echo $i > src/l.txt; git add -A; git commit -qm $i; done; git push -qfu origin long; cd - >/dev/null; git fetch -q; git branch -q look origin/long~1',
    ],
    ['a test file renamed', 'git mv src/a.test.js src/b.test.js; git commit -qam r'],
  ])('%s', (_sentence, script) => {
    sh(script);
    expect(stop()).toBe('');
  });

  it('work that has passed, once it is left for another branch', () => {
    sh('git commit -qam a');
    expect(stop()).toBe('');
    sh('git checkout -qb next origin/main; echo next > src/n.txt');
    expect(stop()).toBe('');
  });

  it.each<[string, string]>([
    ['renamed', 'git branch -m old new'],
    ['copied', 'git branch copy old'],
    ['the target of a rebase that was given up', 'git rebase -q old || git rebase --abort'],
  ])('a branch of before, %s', (_sentence, script) => {
    sh('git commit -qam a; git checkout -qb old origin/main; echo old > src/a.txt; git commit -qam b');
    sh('git checkout -q work');
    sessions++;
    rig.hook(event('SessionStart', { source: 'startup' }), { env });
    sh(script);
    expect(stop()).toBe('');
  });

  it('what others do in work trees of their own', () => {
    sh('git worktree add -q "$T/theirs" -b before');
    sessions++;
    rig.hook(event('SessionStart', { source: 'startup' }), { env });
    sh(
      'echo BAD > src/x.txt; git add -A; git commit -qm x; git checkout -qb after; echo BAD > src/y.txt; git add -A; git stash -q',
      `${rig.dir}/theirs`,
    );
    expect(stop()).toBe('');
    sh('git worktree remove -f "$T/theirs"');
  });
});

describe('work that lies elsewhere', () => {
  it.each<[string, string, string, string]>([
    [
      'a stash',
      'git stash -q',
      '`stash@{0}` (made on work): get it back with `git stash pop stash@{0}`',
      'git stash pop -q',
    ],
    [
      'a branch',
      'git checkout -qb aside; git commit -qam x; git checkout -q work',
      'the branch `aside`: get it back with `git switch aside`',
      'git switch -q aside',
    ],
    [
      'a branch that is not wanted',
      'git checkout -qb aside; git commit -qam x; git checkout -q work',
      'aside',
      'git branch -qD aside',
    ],
    ['a tag', 'git commit -qam x; git tag kept; git reset -q --hard HEAD~1', '`kept`', 'git merge -q kept'],
    [
      'a work tree',
      'git worktree add -q "$T/wt" -b wt; echo x > "$T/wt/src/w.txt"',
      `the work tree `,
      'git worktree remove -f "$T/wt"',
    ],
    [
      'a work tree with relative paths',
      'git worktree add -q "$T/wt" -b wt; echo ../../../../wt/.git > .git/worktrees/wt/gitdir; echo x > "$T/wt/src/w.txt"',
      `the work tree `,
      'rm -r "$T/wt" .git/worktrees/wt',
    ],
  ])('%s is held until it is there again, or gone', (_sentence, script, text, exit) => {
    sh(script);
    const held = stop();
    expect(held).toContain('held: Holdpoint holds the end of your turn: work of this session was put where');
    expect(held).toContain(text);
    sh(exit);
    expect(stop()).toBe('');
  });

  it('is held for once: it may be somebody else’s', () => {
    sh('git stash -q');
    expect(stop()).toContain('If it is not yours, leave it as it is and end your turn again');
    expect(stop({ stop_hook_active: true })).toContain(
      'Unchecked work from during this session is in `stash@{0}`',
    );
    expect(stop({ prompt_id: 'p2' })).toBe('');
    sh('git stash pop -q');
  });

  it('is told once when a later prompt lets it go', () => {
    sh('git stash -q');
    expect(stop()).toContain('If it is not yours, leave it as it is and end your turn again');
    expect(stop({ prompt_id: 'p2' })).toContain('Unchecked work from during this session is in `stash@{0}`');
    expect(stop({ prompt_id: 'p3' })).toBe('');
    sh('git stash pop -q');
  });

  it.each<[string, string, string, string]>([
    [
      'a branch',
      'git checkout -qb aside; git commit -qam x; git checkout -q work',
      'git checkout -q aside; echo BAD >> src/a.txt; git commit -qam x; git checkout -q work',
      'git branch -qD aside',
    ],
    ['a stash', 'git stash -q', 'git stash pop -q; echo BAD >> src/a.txt; git stash -q', 'git stash drop -q'],
    [
      'a work tree',
      'git worktree add -q "$T/wt" -b wt; echo x > "$T/wt/src/w.txt"',
      'echo BAD > "$T/wt/src/w.txt"',
      'git worktree remove -f "$T/wt"',
    ],
  ])('is held again once there is more of it in %s', (_sentence, first, second, exit) => {
    sh(first);
    expect(stop()).toContain('work of this session was put where');
    expect(stop({ stop_hook_active: true })).toContain('let this turn end after it was held');
    sh(second);
    expect(stop({ prompt_id: 'p2' })).toContain('work of this session was put where');
    sh(exit);
  });

  it('has not passed because git has pruned what passed', () => {
    expect(stop()).toBe('');
    sh(
      'git checkout -qb aside; echo BAD >> src/a.txt; git commit -qam x; git checkout -q work; echo w > src/w',
    );
    sh('git gc -q --prune=now');
    expect(stop()).toContain('the branch `aside`');
  });

  it('is checked where it is', () => {
    sh('echo BAD >> src/a.txt; git stash -q');
    expect(stop()).toContain('git stash pop');
    sh('git stash pop -q');
    expect(stop()).toContain('held: Holdpoint holds the end of your turn: 1 check did not pass.');
  });

  it('a base that was moved hides nothing', () => {
    sh('echo BAD >> src/a.txt; git commit -qam x; git update-ref refs/remotes/origin/main HEAD');
    expect(stop()).toContain('1 check did not pass');
    sh('git fetch -q');
  });
});

it('an agent on a CI server is checked by its files, not by the commit that was built', () => {
  const built = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: rig.repo, encoding: 'utf8' }).trim();
  const ci = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_SHA: built };
  sh('echo BAD >> src/a.txt');
  expect(stop({}, ci)).toContain('1 check did not pass');
  sh('git commit -qam x');
  expect(stop({}, ci)).toContain('1 check did not pass');
});

it('a directory that became a file is checked like any other change', () => {
  expect(stop()).toBe('');
  sh('rm -r src; echo BAD > src');
  expect(stop()).toContain('1 check did not pass');
});

describe('checks that became weaker', () => {
  it('are told once', () => {
    sh("sed -i '4,$d; s/test(/test.skip(/' src/a.test.js");
    const told =
      'Holdpoint: Possibly weaker checks since the session began: 1 test deleted in src/a.test.js, 1 test skipped in src/a.test.js. `holdpoint trust` shows them, `holdpoint trust --accept` accepts them.';
    expect(stop()).toBe(told);
    expect(stop()).toBe('');
    const { json } = rig.holdpoint(['trust', '--json']);
    expect(json).toMatchObject({
      weaker_checks: ['1 test deleted in src/a.test.js', '1 test skipped in src/a.test.js'],
      accepted: false,
    });
    expect(rig.holdpoint(['status']).stdout).toContain('1 test skipped in src/a.test.js');
    expect(rig.holdpoint(['gates', 'run', '--no-cache']).stderr).toContain('1 test deleted in src/a.test.js');
    sh('git checkout -q src/a.test.js');
    expect(stop()).toBe('');
    expect(rig.holdpoint(['trust', '--json']).json).toMatchObject({ weaker_checks: [] });
  });

  it('are nobody’s here that came with a pull', () => {
    sh('git pull -q; git rm -q src/a.test.js; git commit -qm gone; git push -q', join(rig.dir, 'colleague'));
    sh('git stash -q; git pull -q --rebase origin main; git stash pop -q; echo more >> src/a.txt');
    expect(stop()).toBe('');
    sh('echo x > later; git add -A; git commit -qm later; git push -q', join(rig.dir, 'colleague'));
    sh('git fetch -q; echo still more >> src/a.txt');
    expect(stop()).toBe('');
    sh('git revert --no-edit -n HEAD HEAD~1; git commit -qm back; git push -q', join(rig.dir, 'colleague'));
    sh('git fetch -q');
  });

  it('are nobody’s here that came with a commit that was picked, unless more was done', () => {
    const theirs =
      'git fetch -q; git checkout -qfB pick origin/main; git rm -q src/a.test.js; git commit -qm gone';
    sh(`${theirs}; git push -qf origin pick`, join(rig.dir, 'colleague'));
    sh('git fetch -q; git cherry-pick origin/pick');
    expect(stop()).toBe('');
    sh('git reset -q --hard HEAD~; git rm -q src/a.test.js; git commit -qm own');
    expect(stop()).toContain('2 tests deleted in src/a.test.js');
  });

  it('are the session’s if it picks what it has pushed from another work tree', () => {
    // Picked commits are known by their time: this one must not be that of a colleague's.
    sh(
      'git worktree add -q "$T/other" -b other; cd "$T/other"; git rm -q src/a.test.js; git commit -qm gone --date 2026-01-01T00:00',
    );
    sh(
      'git push -qf origin other; git worktree remove -f "$T/other"; git cherry-pick other; git branch -qD other',
    );
    expect(stop()).toContain('2 tests deleted in src/a.test.js');
  });

  it.each(['rebase', 'merge'])('are nobody’s here in a file that both have changed (%s)', (how) => {
    const start = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: rig.repo, encoding: 'utf8' }).trim();
    sh(
      `git fetch -q; git checkout -qfB main origin/main; sed -i "s/^test('b'/test.skip('b'/" src/a.test.js; git commit -qam s; git push -q`,
      join(rig.dir, 'colleague'),
    );
    sh(`sed -i "s/'a'/'first'/" src/a.test.js; git commit -qam own`);
    sh(`git fetch -q; GIT_EDITOR=true git ${how} -q origin/main`);
    expect(stop()).toBe('');
    sh(`sed -i "s/^test('first'/test.skip('first'/" src/a.test.js`);
    expect(stop()).toContain('since the session began: 1 test skipped in src/a.test.js.');
    sh(`git push -qf origin ${start}:main; git fetch -q`);
  });

  it.each<[string, string]>([
    [
      'a pull request that was merged',
      'git push -qu origin work; git push -q origin work:main; git pull -q origin main',
    ],
    ['a push to an address', 'git push -q "$T/origin" work:main; git fetch -q'],
    ['a base that was moved', 'git update-ref refs/remotes/origin/main HEAD'],
  ])('are the session’s even if %s brings them back', (_sentence, script) => {
    const start = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: rig.repo, encoding: 'utf8' }).trim();
    sh(`git rm -q src/a.test.js; git commit -qam gone; ${script}`);
    expect(stop()).toContain('2 tests deleted in src/a.test.js');
    sh(`git push -qf origin ${start}:main; git fetch -q`);
  });

  it('are none when a directory with tests is moved', () => {
    sh('mkdir src/old; echo "$1" > src/old/b.test.js'.replace('$1', "test('b', () => assert.ok(b()));"));
    sh('git add -A; git commit -qm second; sleep 0.05');
    sessions++;
    rig.hook(event('SessionStart', { source: 'startup' }), { env });
    sh('sleep 0.05; git mv src/old src/new');
    expect(stop()).toBe('');
  });

  it('are told also of tests that the base does not have, whatever else was made', () => {
    rig.write('src/b.test.js', TEST);
    sh('git add -A; git commit -qm second');
    sessions++;
    rig.hook(event('SessionStart', { source: 'startup' }), { env });
    sh('rm src/b.test.js; mkdir src/many; for i in $(seq 501); do : > src/many/$i.test.js; done');
    expect(stop()).toContain('2 tests deleted in src/b.test.js, 2 files not looked at');
    sh('rm -r src/many; head -c 600000 /dev/zero | tr "\\0" "\\n" >> src/a.test.js');
    expect(stop()).toContain('2 tests deleted in src/b.test.js, src/a.test.js is now too long to look at.');
  });

  it.runIf(hasTerminals)('hold the turn if the config says so, until a person accepts them', async () => {
    rig.write('.holdpoint/config.yaml', `${CONFIG}  weakening: hold\n`);
    sh('git commit -qam strict');
    expect(await runAtTerminal(rig, 'holdpoint', 'trust --accept')).toMatchObject({ exitCode: 0 });
    sh('rm src/a.test.js');
    const held = stop();
    expect(held).toContain('- 2 tests deleted in src/a.test.js\n');
    expect(held).toContain('a person accepts it with `holdpoint trust --accept`');
    expect(rig.holdpoint(['trust', '--accept'], { env: { CLAUDECODE: '1' } }).exitCode).not.toBe(0);
    expect(stop()).toContain('2 tests deleted');
    const { shown } = await runAtTerminal(rig, 'holdpoint', 'trust --accept');
    expect(shown).toContain('Accepted.');
    expect(stop()).toBe('');
  });
});
