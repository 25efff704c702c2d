import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GatesRig, makeGatesRig } from './gates-project';
import { commandFile } from './rig';
import { stopHookProject, until } from './stop-hook-project';

/*
 * What was wrong in the older program, by the numbers under which it is known, and is not wrong here.
 * Two more, about slots and commits of reviews, stand with the tests of reviews.
 */

let rig: GatesRig;
beforeEach(() => {
  rig = makeGatesRig();
});
afterEach(() => rig.remove());

const FAILS = { c: 'command: "false"\n' };
const PASSES = { c: 'command: "true"\n' };
const ALWAYS = { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: '0' };
const REVIEW = 'entry_points: [{ path: src, reviews: [q] }]';
const FINDING = { file: 'src/a.txt', line: 1, issue: 'Two is too much', priority: 'high', status: 'new' };

/** A review `q` at `src`, and a reviewer that notes what it was asked and answers. */
const reviewer = (answer: object, head = ''): void => {
  rig.write('.gauntlet/reviews/q.md', `${head}Look.\n`);
  rig.gates({}, REVIEW);
  answers(answer);
};
const answers = (answer: object): void =>
  rig.program('claude', `echo "$*" > "$0.$$.args"; cat > "$0.$$.asked"; echo '${JSON.stringify(answer)}'`);
const noted = (kind: 'args' | 'asked'): string[] =>
  readdirSync(rig.bin)
    .filter((name) => name.endsWith(`.${kind}`))
    .map((name) => readFileSync(join(rig.bin, name), 'utf8'));
const mark = (more: object): void => {
  const file = rig.logFile('review_src_q_claude@1.1.json');
  const kept = JSON.parse(readFileSync(file, 'utf8')) as { violations: object[] };
  const violations = kept.violations.map((one) => ({ ...one, ...more }));
  writeFileSync(file, JSON.stringify({ ...kept, violations }));
};
const statusOf = (args: readonly string[], env?: Record<string, string>): unknown =>
  (rig.gauntlet([...args, '--json'], env).json as { status?: string } | undefined)?.status;

describe('runs', () => {
  it('bug 1: check and review fail when a gate fails, and keep its logs', () => {
    rig.gates(FAILS);
    expect(rig.gauntlet(['check']).exitCode).toBe(1);
    expect(rig.logs()).toEqual(['check_src_c.1.log', 'console.1.log']);
    reviewer({ status: 'fail', violations: [FINDING] });
    expect(rig.gauntlet(['review']).exitCode).toBe(1);
    expect(rig.logs()).toContain('review_src_q_claude@1.2.json');
  });

  it('bug 2: on a build server checks run', () => {
    rig.gates(FAILS);
    expect(rig.gauntlet(['run'], { CI: 'true' })).toMatchObject({ exitCode: 1 });
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'bug 3: a run that %s ended leaves no gate running, and the next stop is held',
    async (signal) => {
      const project = stopHookProject('echo $$ > ../running; test -e ../quick || sleep 600; false');
      try {
        const running = join(project.rig.repo, 'running');
        const { kill, ended } = project.start('agent-gauntlet');
        await until(() => existsSync(running) && readFileSync(running, 'utf8').endsWith('\n'));
        kill(signal);
        await ended;
        await until(() => !existsSync(`/proc/${readFileSync(running, 'utf8').trim()}`));
        project.rig.write('quick', '');
        expect(project.stopHook().status).toBe('failed');
      } finally {
        project.rig.remove();
      }
    },
  );

  it.each(['gauntlet_logs', 'an absolute path'])(
    'bug 4: a stop inside of the very first run passes and leaves no marker, with logs in %s',
    (place) => {
      const dir = place.startsWith('an') ? join(rig.repo, 'gauntlet_logs') : place;
      const inner = `echo '{}' | '${process.execPath}' '${commandFile('agent-gauntlet')}' stop-hook > ../inner.json`;
      rig.gates({ c: `command: ${JSON.stringify(inner)}\n` }, `log_dir: ${dir}`);
      expect(rig.stopHook().status).toBe('passed');
      expect(rig.readJson('inner.json')).toMatchObject({ decision: 'approve', status: 'lock_exists' });
      const left = readdirSync(resolve(rig.repo, dir), { recursive: true }) as string[];
      expect(left.sort()).toEqual([
        '.execution_state',
        '.gate-cache.json',
        'previous',
        'previous/check_src_c.1.log',
        'previous/console.1.log',
      ]);
    },
  );

  it('logs are not written through a symlink that leads out of the project', () => {
    mkdirSync(join(rig.dir, 'outside'));
    rig.gates(FAILS);
    symlinkSync(join(rig.dir, 'outside'), rig.logFile(''));
    const ended = rig.gauntlet(['run']);
    expect([ended.exitCode, rig.stopHook().status]).toEqual([1, 'failed']);
    expect(ended.stderr).toMatch(
      /Warning: .*gauntlet_logs is behind a symlink that leads out of the project, which is not followed/,
    );
    expect(rig.gauntlet(['clean']).stdout).toContain('archived');
    expect(readdirSync(join(rig.dir, 'outside'))).toEqual([]);
  });

  it('bug 5: committing what failed does not let it go, even where the base is that very branch', () => {
    rig.gates(FAILS, 'base_branch: feat');
    expect(rig.stopHook().status).toBe('failed');
    rig.git('add', '.');
    rig.git('commit', '-qm', 'hide it');
    expect(rig.stopHook().status).toBe('failed');
    expect(rig.state()).toMatchObject({ run: 2 });
  });

  it('bug 6: the project is where the input says, in every respect', () => {
    rig.gates({ c: 'command: pwd; false\n' });
    const cwd = join(rig.repo, 'src');
    expect(rig.stopHook({ cwd }, {}, rig.tmp).status).toBe('failed');
    expect(readFileSync(rig.logFile('check_src_c.1.log'), 'utf8')).toContain(`${cwd}\n`);
    expect(readdirSync(rig.tmp)).toEqual([]);
  });

  it('bug 7: a run with nothing to do uses up no retry and counts nothing as fixed', () => {
    rig.gates(FAILS, 'max_retries: 1');
    rig.gauntlet(['run']);
    expect(statusOf(['review'])).toBe('no_applicable_gates');
    rig.git('commit', '-q', '--allow-empty', '-m', 'nothing');
    expect(statusOf(['run', '-c', 'HEAD'])).toBe('no_changes');
    const { stderr } = rig.gauntlet(['run']);
    expect(stderr).toContain('Total: 0 fixed, 0 skipped, 1 failed after 2 iterations\nStatus: Retry limit');
  });

  it('bug 8: the snapshot of a run holds what git does not know yet', () => {
    rig.gates(PASSES);
    rig.write('src/unknown.txt', 'new\n');
    rig.gauntlet(['run']);
    const tree = String(rig.state()['working_tree_ref']);
    expect(rig.git('show', `${tree}:src/unknown.txt`)).toBe('new');
    expect(rig.git('status', '--short', '--', 'src')).toContain('?? src/unknown.txt');
  });
});

describe('reviews', () => {
  it('bug 9: a session in which everything was skipped passes with warnings', () => {
    reviewer({ status: 'fail', violations: [FINDING] });
    expect(rig.stopHook().status).toBe('failed');
    mark({ status: 'skipped', result: 'Meant so' });
    expect(rig.gauntlet(['run'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/Reason: Meant so.*Status: Passed with warnings/s),
    });
  });

  it('bug 10: what nobody answered stays open, though the reviewer is content by now', () => {
    reviewer({ status: 'fail', violations: [FINDING] });
    rig.gauntlet(['run']);
    rig.write('src/a.txt', 'two\nthree\n');
    answers({ status: 'pass' });
    expect(rig.gauntlet(['run']).stderr).toMatch(/Total: 0 fixed, 0 skipped, 1 failed.*\nStatus: Failed/);
  });

  it.each([
    ['a reviewer', () => rig.write('.gauntlet/reviews/q.md', 'Look.\n'), REVIEW, 'claude: Command not found'],
    ['a program', () => undefined, '', 'Missing command: no-such-program'],
  ])('bug 11: %s that is missing holds nobody', (_name, prepare, more, why) => {
    prepare();
    rig.gates({ c: 'command: no-such-program\n' }, more);
    const line = rig.stopHook();
    expect(line).toMatchObject({ decision: 'approve', status: 'infrastructure_error' });
    expect(line.message).toContain(why);
  });
});

describe('commands', () => {
  it('bug 12: what cannot be done is said, and what was not done is not called a success', () => {
    expect(rig.gauntlet(['clean'])).toMatchObject({ exitCode: 0, stdout: 'No logs to archive.\n' });
    expect(existsSync(rig.logFile())).toBe(false);
    rig.write('gauntlet_logs/a.1.log', '');
    expect(rig.gauntlet(['clean'])).toMatchObject({ exitCode: 0, stdout: 'Logs archived successfully.\n' });
    rig.gates({ c: 'comand: x\n' });
    for (const verb of ['run', 'list'])
      expect(rig.gauntlet([verb])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('c.yml:1:1'),
      });
    rig.gates(PASSES);
    rig.write('gauntlet_logs/.gauntlet-run.lock', String(process.pid));
    expect(rig.gauntlet(['run']).stderr).toContain(rig.logFile('.gauntlet-run.lock'));
  });

  it('bug 13: a stop hook that is switched off says so, beside a broken config too', () => {
    rig.gates({ c: 'comand: x\n' }, 'stop_hook: { enabled: false }');
    expect(rig.stopHook()).toEqual({
      decision: 'approve',
      status: 'stop_hook_disabled',
      message: expect.stringContaining('Stop hook is disabled'),
    });
  });

  it('bug 14: what is wrong with the config is told in sentences, with its place', () => {
    rig.gates({ c: 'command: x\nparralel: true\n' });
    const health = rig.gauntlet(['health']).stdout;
    expect(health).toMatch(/✗ \.gauntlet\/checks\/c\.yml:2:1\n.*unknown key `parralel`/);
    expect(health).not.toMatch(/undefined|Error reading/);
    const { exitCode, stderr } = rig.gauntlet(['validate']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('did you mean `parallel`?');
    expect(stderr).not.toContain('{');
  });

  it('bug 15: no name of a branch or commit is run by a shell', () => {
    const evil = 'HEAD; touch evil #';
    rig.gates(PASSES, `base_branch: ${JSON.stringify(evil)}`);
    for (const args of [[], ['-b', evil], ['-c', evil]]) rig.gauntlet(['run', ...args]);
    for (const name of ['GITHUB_BASE_REF', 'GITHUB_SHA']) rig.gauntlet(['run'], { CI: 'true', [name]: evil });
    expect([rig.repo, join(rig.repo, 'src')].some((dir) => existsSync(join(dir, 'evil')))).toBe(false);
  });

  it('bug 16: neither a long list of changes nor a flood of output is an error', () => {
    for (let at = 0; at < 5500; at++) writeFileSync(join(rig.repo, 'src', `${'n'.repeat(200)}${at}`), '');
    const flood = `'${process.execPath}' -e 'process.stdout.write("x".repeat(11000000))'`;
    rig.gates({ c: `command: ${JSON.stringify(flood)}\n` });
    expect(rig.gauntlet(['run'])).toMatchObject({ exitCode: 0 });
  });
});

describe('entry points', () => {
  const at = (path: string): void =>
    rig.gates({ c: 'command: pwd\n' }, `entry_points: [{ path: ${JSON.stringify(path)}, checks: [c] }]`);
  const places = (): string =>
    rig
      .logs('previous')
      .filter((name) => name.startsWith('check_'))
      .map((name) => readFileSync(rig.logFile(`previous/${name}`), 'utf8'))
      .map((text) => /Working directory: (.*)/.exec(text)?.[1])
      .join();

  it.each([
    ['a file among children', 'src/*', 'src'],
    ['a file', 'src/a.txt', 'src'],
    ['a pattern', 'src/**/*.txt', '.'],
    ['a name that goes on', 'sr*', 'src'],
  ])('bug 17: %s has a place to run in', (_name, path, where) => {
    at(path);
    expect(statusOf(['run'])).toBe('passed');
    expect(places()).toBe(join(rig.repo, where));
  });

  it('bug 17: the gates of a deleted directory run above it', () => {
    rig.git('rm', '-rqf', 'src');
    at('src');
    expect(rig.stopHook()).toMatchObject({ decision: 'approve', status: 'passed' });
    expect(places()).toBe(rig.repo);
  });

  it('bug 18: every entry point of the root counts', () => {
    const more = 'entry_points: [{ path: ., checks: [a] }, { path: ., checks: [b] }]';
    rig.gates({ a: 'command: "true"\n', b: 'command: "false"\n' }, more);
    expect(rig.gauntlet(['run']).stderr).toMatch(/\[PASS\] {2}check:\.:a.*\[FAIL\] {2}check:\.:b/s);
  });

  it('bug 19: names that are not plain are found', () => {
    rig.commitToBase();
    rig.write('größe/"ä b".txt', 'x\n');
    at('größe');
    expect(statusOf(['run'])).toBe('passed');
    expect(places()).toBe(join(rig.repo, 'größe'));
  });
});

describe('traces', () => {
  it('bug 20: the debug log has seconds where it says so', () => {
    rig.gates({ c: 'command: sleep 1\n' }, 'debug_log: { enabled: true }');
    rig.gauntlet(['run']);
    const log = readFileSync(rig.logFile('.debug.log'), 'utf8');
    expect(log).toMatch(/GATE_RESULT check:src:c status=pass duration=[1-9]\.\d\ds/);
  });

  it('bug 21: reviewers at the same time get each their own prompt, and none is left on the disk', () => {
    reviewer({ status: 'pass' }, '---\nnum_reviews: 3\n---\n');
    rig.gates({}, REVIEW);
    expect(statusOf(['run'])).toBe('passed');
    expect(noted('asked')).toHaveLength(3);
    for (const prompt of noted('asked')) expect(prompt).toMatch(/^Look\..*--- DIFF ---.*\+two/s);
    expect(readdirSync(rig.tmp)).toEqual([]);
  });

  it('bug 22: its own logs are no changes where git does not pass over them', () => {
    rig.write('.gitignore', '');
    const more = 'entry_points: [{ path: ., checks: [c], reviews: [q] }]';
    rig.write('.gauntlet/reviews/q.md', 'Look.\n');
    rig.gates(PASSES, more);
    answers({ status: 'pass' });
    rig.gauntlet(['run']);
    expect(noted('asked').join()).not.toContain('gauntlet_logs/');
    rig.git('add', 'src', '.gauntlet', '.gitignore');
    rig.git('commit', '-qm', 'all');
    rig.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    expect(statusOf(['run'])).toBe('no_changes');
  });

  it('bug 23: a time limit ends everything that was started', async () => {
    rig.gates({ c: 'command: sleep 600 & echo $! > ../child; wait\ntimeout: 1\n' });
    expect(statusOf(['run'])).toBe('failed');
    const child = readFileSync(join(rig.repo, 'child'), 'utf8').trim();
    await until(() => !existsSync(`/proc/${child}`));
    expect(readFileSync(rig.logFile('check_src_c.1.log'), 'utf8')).toContain(
      'Result: fail - Timed out after 1s',
    );
  });

  it('bug 24: the model of a review reaches its reviewer', () => {
    reviewer({ status: 'pass' }, '---\nmodel: some-model\n---\n');
    rig.gauntlet(['run']);
    expect(noted('args').join()).toContain('--model some-model');
  });

  it('bug 27: only gates that failed are counted as such', () => {
    rig.gates({ a: 'command: "true"\n', b: 'command: "false"\n' });
    expect(rig.stopHook().message).toContain('1 gate did not pass: check:src:b.');
  });

  it('bug 28: beyond the limit nothing is written any more', () => {
    rig.gates(FAILS, 'max_retries: 0');
    rig.stopHook();
    const before = [rig.logs(), rig.state()];
    for (let call = 0; call < 3; call++) expect(rig.stopHook().status).toBe('retry_limit_exceeded');
    expect([rig.logs(), rig.state()]).toEqual(before);
  });
});

describe('the base', () => {
  it('bug 29: a build server’s base is found with its remote', () => {
    rig.gates(FAILS);
    rig.git('commit', '-qam', 'one');
    rig.write('lib/b.txt', 'x\n');
    rig.git('add', 'lib');
    rig.git('commit', '-qm', 'two');
    const { json } = rig.gauntlet(['detect', '--json'], {
      CI: 'true',
      GITHUB_BASE_REF: 'main',
      GITHUB_SHA: 'HEAD',
    });
    expect(json).toMatchObject({ base: 'origin/main', files: ['lib/b.txt', 'src/a.txt'] });
  });

  it.each([
    ['no base', 'base_branch: origin/none', () => undefined],
    ['no remote at all', '', () => rig.git('remote', 'remove', 'origin')],
  ])('bug 30: with %s gates run all the same', (_name, more, prepare) => {
    rig.gates(FAILS, more);
    prepare();
    expect(rig.stopHook(undefined, ALWAYS).status).toBe('failed');
    expect(rig.gauntlet(['run']).stderr).toContain('Warning: The base branch origin/');
  });
});
