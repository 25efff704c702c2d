import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GatesRig, makeGatesRig } from './gates-project';
import { runLater } from './rig';
import { until } from './stop-hook-project';

/*
 * The flows in which the older program's stop hook was first designed, as they were settled: `decision` and
 * `reason` in place of `continue`, in this very process, and with settings of the project before the person's.
 */

let rig: GatesRig;
beforeEach(() => {
  rig = makeGatesRig();
});
afterEach(() => rig.remove());

const FAILS = { c: 'command: "false"\n' };
const PASSES = { c: 'command: "true"\n' };
const keep = (minutes: number, more: object = {}): void => {
  const at = new Date(Date.now() - minutes * 60_000).toISOString();
  rig.write(
    'gauntlet_logs/.execution_state',
    JSON.stringify({ last_run_completed_at: at, branch: 'feat', ...more }),
  );
};

describe('State Recording Flow', () => {
  it.each([
    ['run', PASSES],
    ['run', FAILS],
    ['check', PASSES],
    ['check', FAILS],
  ])('%s records branch, commit and time at its end', (verb, checks) => {
    rig.gates(checks);
    const before = Date.now();
    rig.gauntlet([verb]);
    const { last_run_completed_at: at, branch, commit } = rig.state();
    expect([branch, commit]).toEqual(['feat', rig.git('rev-parse', 'HEAD')]);
    expect(Date.parse(String(at))).toBeGreaterThanOrEqual(before);
  });

  it('review does so as well', () => {
    rig.write('.gauntlet/reviews/q.md', 'Look.\n');
    rig.gates({}, 'entry_points: [{ path: src, reviews: [q] }]');
    rig.program('claude', `cat > /dev/null; echo '{"status":"pass"}'`);
    rig.gauntlet(['review']);
    expect(rig.state()).toMatchObject({ branch: 'feat', last_status: 'passed' });
  });

  it('the lock is there while gates run, and the state is written before it goes', () => {
    rig.gates({
      c: 'command: cat ../gauntlet_logs/.gauntlet-run.lock > ../seen; test ! -e ../gauntlet_logs/.execution_state\n',
    });
    expect(rig.gauntlet(['run']).exitCode).toBe(0);
    expect(rig.readJson('seen')).toMatchObject({ pid: expect.any(Number) });
    expect(readdirSync(rig.logFile())).not.toContain('.gauntlet-run.lock');
  });

  it('a run that executed nothing records nothing', () => {
    rig.gates(PASSES);
    rig.commitToBase();
    rig.gauntlet(['run']);
    expect(existsSync(rig.logFile('.execution_state'))).toBe(false);
  });
});

describe('Auto-Clean Decision Flow', () => {
  it('no state file: continues', () => {
    rig.gates(FAILS);
    rig.write('gauntlet_logs/check_src_c.1.log', 'old\n');
    expect(rig.gauntlet(['run']).stderr).not.toContain('Auto-clean');
    expect(rig.logs()).toContain('check_src_c.1.log');
  });

  it('branch changed: cleans and continues', () => {
    rig.gates(FAILS);
    rig.gauntlet(['run']);
    rig.git('checkout', '--quiet', '-b', 'other');
    expect(rig.gauntlet(['check']).stdout).toContain('Auto-clean: branch changed (feat → other)');
    expect(rig.logs()).toEqual(['check_src_c.1.log', 'console.1.log', 'previous']);
  });

  it('commit in base branch: cleans and continues', () => {
    rig.gates(FAILS);
    rig.git('commit', '-qam', 'work');
    rig.gauntlet(['run']);
    rig.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    rig.write('src/a.txt', 'three\n');
    expect(rig.gauntlet(['run']).stderr).toContain('Auto-clean: commit merged');
  });

  it('neither, though another base was named for one run', () => {
    rig.gates(FAILS);
    rig.git('commit', '-qam', 'work');
    rig.gauntlet(['run']);
    rig.git('branch', 'dev');
    expect(rig.gauntlet(['run', '-b', 'dev']).stderr).not.toContain('Auto-clean');
    rig.write('src/a.txt', 'three\n');
    rig.gauntlet(['run', '-b', 'dev']);
    expect(rig.gauntlet(['run']).stderr).not.toContain('Auto-clean');
    expect(rig.logs()).toContain('check_src_c.1.log');
  });
});

describe('what a session that goes on is compared with', () => {
  const upstream = (): void => {
    rig.git('checkout', '--quiet', '--detach', 'origin/main');
    rig.write('lib/b.txt', 'of others\n');
    rig.git('add', 'lib');
    rig.git('commit', '-qm', 'upstream');
    rig.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    rig.git('checkout', '--quiet', 'feat');
  };
  const changed = (): unknown => (rig.gauntlet(['detect', '--json']).json as { files: unknown }).files;

  it.each(['rebase', 'merge'])('after a %s it is its own work, not what came from the base', (verb) => {
    rig.git('commit', '-qam', 'work');
    rig.gates({ c: 'command: "false"\n' }, 'entry_points: [{ path: ., exclude: [.gauntlet], checks: [c] }]');
    rig.git('add', '.gauntlet');
    rig.git('commit', '-qm', 'gates');
    expect(rig.stopHook().status).toBe('failed');
    upstream();
    rig.git(verb, '--quiet', 'origin/main');
    expect(changed()).not.toContain('lib/b.txt');
    expect(changed()).toContain('src/a.txt');
    expect(rig.stopHook().status).toBe('failed');
    expect(rig.state()).toMatchObject({ run: 2 });
  });

  it('after a push of the work to the base it is still that work', () => {
    rig.gates(FAILS);
    expect(rig.stopHook().status).toBe('failed');
    rig.commitToBase();
    expect(changed()).toContain('src/a.txt');
    expect(rig.stopHook().status).toBe('failed');
  });
});

describe('Stop Hook Interval Check', () => {
  it.each([
    ['no state file', () => undefined, 'passed'],
    ['less than the interval', () => keep(5), 'interval_not_elapsed'],
    ['more than the interval', () => keep(11), 'passed'],
  ])('%s', (_name, prepare, status) => {
    rig.gates(PASSES);
    prepare();
    expect(rig.stopHook().status).toBe(status);
  });

  it.each([
    ['of one gate', ['run', '-g', 'easy']],
    ['against something else', ['run', '-u', '-g', 'easy']],
  ])('a pass %s is no pass of all', (_name, args) => {
    rig.gates({ ...FAILS, easy: 'command: "true"\n' });
    expect(rig.gauntlet(args).exitCode).toBe(0);
    expect(rig.stopHook().status).toBe('failed');
  });

  it('what failed, was put aside and came back is no pass either', () => {
    rig.gates(FAILS);
    rig.git('add', '.gauntlet');
    rig.git('commit', '-qm', 'gates');
    expect(rig.stopHook().status).toBe('failed');
    rig.git('stash', '--quiet');
    expect(rig.stopHook().status).toBe('no_applicable_gates');
    rig.git('stash', 'pop', '--quiet');
    expect(rig.stopHook().status).toBe('failed');
  });
});

describe('Preventing Concurrent Execution Console Log Spam', () => {
  it.each([
    ['solution 1: the stop hook looks at the lock first', 'stop-hook', 'lock_exists'],
    ['solution 2: the lock comes before the console log', 'run', 'already in progress'],
  ])('%s', async (_name, verb, told) => {
    rig.gates({ c: 'command: echo > ../running; while test ! -e ../end; do sleep 0.1; done\n' });
    const options = { cwd: rig.repo, env: rig.environment({ PATH: rig.bin }) };
    const first = runLater('agent-gauntlet', ['run'], '', options);
    await until(() => existsSync(join(rig.repo, 'running')));
    const others = await Promise.all([1, 2, 3].map(() => runLater('agent-gauntlet', [verb], '{}', options)));
    for (const { stdout, stderr } of others) expect(stdout + stderr).toContain(told);
    rig.write('end', '');
    expect((await first).exitCode).toBe(0);
    expect(rig.logs('previous')).toEqual(['check_src_c.1.log', 'console.1.log']);
  });
});

describe('Clean Command Guards', () => {
  it.each([
    ['no log directory', [], undefined],
    ['nothing but an archive', ['previous/old.log'], ['old.log']],
    ['current logs', ['a.1.log', 'previous/old.log'], ['a.1.log']],
  ])('%s', (_name, files, archived) => {
    rig.gates(PASSES);
    for (const file of files) rig.write(`gauntlet_logs/${file}`, '');
    expect(rig.gauntlet(['clean']).exitCode).toBe(0);
    if (archived === undefined) expect(existsSync(rig.logFile())).toBe(false);
    else expect(rig.logs('previous')).toEqual(archived);
  });
});

it('Enhanced Stop Reason: never a command to run it by hand, nor to halt the agent', () => {
  rig.gates(FAILS);
  const line = rig.stopHook();
  expect(Object.keys(line)).not.toContain('continue');
  expect(line.reason).not.toContain('agent-gauntlet run');
});

it('.session_ref is read once and removed', () => {
  rig.gates(FAILS);
  rig.write('gauntlet_logs/.session_ref', `${rig.git('rev-parse', 'HEAD^{tree}')}\n`);
  rig.gauntlet(['run']);
  expect(readdirSync(rig.logFile())).not.toContain('.session_ref');
  expect(readFileSync(rig.logFile('console.1.log'), 'utf8')).toContain('[FAIL]');
});
