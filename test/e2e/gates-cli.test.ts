import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GatesRig, makeGatesRig } from './gates-project';
import { commandFile } from './rig';
import { hasTerminals, runAtTerminal } from './terminal';

let rig: GatesRig;
beforeEach(() => {
  rig = makeGatesRig();
});
afterEach(() => rig.remove());

const PASS = { c: 'command: "true"\n' };
const FAIL = { c: 'command: echo broken; exit 3\n' };
const MARK = { c: 'command: touch ran\n' };
const FAIL_FAST_AND_PARALLEL = { c: 'command: "true"\nparallel: true\nfail_fast: true\n' };

/** Whether the check `MARK` has run. */
const hasRun = (): boolean => existsSync(join(rig.repo, 'src/ran'));
const expectRules = (text: string): void => expect(text).toMatch(/─{20}\nRESULTS SUMMARY\n─{20}/);

describe('the command', () => {
  it.each([[[]], [['help']], [['--help']], [['-h']]])('%j shows every command', (args) => {
    const help = rig.gauntlet(args);
    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    const verbs = 'run check review detect list health validate clean init ci stop-hook'.split(' ');
    for (const verb of verbs) expect(help.stdout).toMatch(new RegExp(`^ +${verb} `, 'm'));
  });

  it.each([
    ['run', '-b', '-g', '-c', '-u', '--no-cache', '--json'],
    ['check', '-g'],
    ['review', '-g'],
    ['detect', '-b', '-c', '-u'],
    ['init', '-y', '--stop-hook'],
    ['ci', 'init', 'list-jobs'],
  ])('%s --help says how it is used', (verb, ...words) => {
    const help = rig.gauntlet([verb, '--help']);
    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    for (const word of words) expect(help.stdout).toContain(word);
    expect(rig.gauntlet(['help', verb])).toEqual(help);
  });

  it('explains a command of ci, too', () => {
    expect(rig.gauntlet(['ci', 'list-jobs', '--help']).stdout).toContain(
      'Usage: agent-gauntlet ci list-jobs',
    );
  });

  it('says its version', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(rig.gauntlet(['--version'])).toMatchObject({ exitCode: 0, stdout: `${version}\n` });
  });

  it.each([
    ['rerun', "Did you mean 'run'?"],
    ['detct', "Did you mean 'detect'?"],
    ['frobnicate', 'Known: run, check'],
  ])('%s is unknown, and what may be meant is named', (name, hint) => {
    const ended = rig.gauntlet([name]);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain(`error: unknown command '${name}'`);
    expect(ended.stderr).toContain(hint);
  });

  it.each([
    [['run', '--bogus']],
    [['run', '-b']],
    [['detect', '-g', 'c']],
    [['run', '-c', 'HEAD', '-u']],
    [['list', 'extra']],
    [['ci', 'frob']],
  ])('%j is wrong usage: code 2 and nothing is run', (args) => {
    rig.gates(MARK);
    const ended = rig.gauntlet(args);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).not.toContain('internal error');
    expect(hasRun()).toBe(false);
  });

  it('is the same as holdpoint gates', () => {
    rig.gates(PASS);
    const gates = (verb: string) => rig.holdpoint(['gates', verb], { env: { PATH: rig.bin } });
    for (const verb of ['list', 'detect']) expect(gates(verb)).toEqual(rig.gauntlet([verb]));
    rig.gates({ c: 'command: "false"\n' }, 'max_retries: 1');
    const statuses = [1, 2, 3].map(() => /Status: .*/.exec(gates('run').stderr)?.[0]);
    expect(statuses).toEqual(['Status: Failed', ...Array(2).fill('Status: Retry limit exceeded')]);
  });

  it('says that a config below the root has no effect, and where it belongs', () => {
    const file = join(rig.repo, 'src', '.gauntlet', 'config.yml');
    rig.write('src/.gauntlet/config.yml', 'entry_points: [{ path: ., checks: [c] }]\n');
    const told = `${file} is ignored: \`.gauntlet\` has an effect only at the root of the git repository. Move it to ${rig.repo}.`;
    for (const verb of ['validate', 'run'])
      expect(rig.gauntlet([verb], {}, join(rig.repo, 'src')).stderr).toContain(told);
    expect(rig.stopHook('{}', {}, join(rig.repo, 'src')).message).toBe(`⚠ Stop hook error — ${told}`);
  });

  it('works from a directory below the project as from its root', () => {
    rig.gates(PASS);
    expect(rig.gauntlet(['run'], {}, join(rig.repo, 'src'))).toMatchObject({ exitCode: 0 });
    expect(rig.logs()).toEqual(['previous']);
    expect(existsSync(join(rig.repo, 'src/gauntlet_logs'))).toBe(false);
  });
});

describe('run', () => {
  it('tells of a gate that passes, and archives its log', () => {
    rig.gates(PASS);
    const ended = rig.gauntlet(['run']);
    expect(ended).toMatchObject({ exitCode: 0, stdout: '' });
    expect(ended.stderr).toMatch(/^\[START\] check:src:c$/m);
    expect(ended.stderr).toMatch(/^\[PASS\] {2}check:src:c \(\d+\.\d\ds\)$/m);
    expectRules(ended.stderr);
    expect(ended.stderr).toContain('Total: 0 fixed, 0 skipped, 0 failed\nStatus: Passed\n');
    expect(ended.stderr).not.toContain('\u001b');
    expect(rig.logs('previous')).toEqual(['check_src_c.1.log', 'console.1.log']);
  });

  it('fails with a gate, and says where its log is', () => {
    rig.gates(FAIL);
    const ended = rig.gauntlet(['run']);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^\[FAIL\] {2}check:src:c \(\d+\.\d\ds\) - Exited with code 3$/m);
    expect(ended.stderr).toContain(`\n      Log: ${rig.logFile('check_src_c.1.log')}\n`);
    expect(ended.stderr).toContain('Status: Failed');
    expect(readFileSync(rig.logFile('check_src_c.1.log'), 'utf8')).toContain('broken');
    expect(readFileSync(rig.logFile('console.1.log'), 'utf8')).toBe(ended.stderr);
  });

  it('says that a program is missing, with the code for what cannot run', () => {
    rig.gates({ c: 'command: no-such-program\n' });
    const ended = rig.gauntlet(['run']);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toMatch(/^\[ERROR\] check:src:c .*Missing command: no-such-program$/m);
    expect(ended.stderr).toContain('Status: Error');
  });

  it('has nothing to do without changes, and without gates for them', () => {
    rig.gates(PASS);
    rig.git('add', '.');
    rig.git('commit', '--quiet', '-m', 'gates');
    rig.git('push', '--quiet', 'origin', 'HEAD:main');
    expect(rig.gauntlet(['run'])).toMatchObject({ exitCode: 0, stderr: 'No changes detected.\n' });
    rig.write('docs/x.md', 'x');
    const ended = rig.gauntlet(['run']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: 'No applicable gates for these changes.\n' });
    expect(rig.logs()).toEqual([]);
  });

  it('with -g runs one gate alone, and knows which there are', () => {
    rig.gates({ ...FAIL, d: 'command: "true"\n' });
    const ended = rig.gauntlet(['run', '-g', 'd']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).not.toContain('check:src:c');
    const unknown = rig.gauntlet(['run', '-g', 'x']);
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unknown.stderr).toContain('Error: unknown gate "x"; known: c, d');
  });

  it('with -u looks at what no commit has, with -c at one commit, with -b from another branch on', () => {
    rig.gates(PASS, 'entry_points: [{ path: src, checks: [c] }, { path: lib, checks: [c] }]');
    rig.write('lib/l.txt', 'l');
    rig.git('add', 'lib');
    rig.git('commit', '--quiet', '-m', 'lib');
    const ids = (...args: string[]): unknown =>
      (rig.gauntlet(['run', '--no-cache', '--json', ...args]).json as { gates: { id: string }[] }).gates
        .map(({ id }) => id)
        .sort();
    expect(ids()).toEqual(['check:lib:c', 'check:src:c']);
    expect(ids('-u')).toEqual(['check:src:c']);
    expect(ids('-c', 'HEAD')).toEqual(['check:lib:c']);
    expect(ids('--base-branch', 'feat')).toEqual(['check:src:c']);
  });

  it('reuses what has passed on the same files, unless told not to', () => {
    rig.gates(MARK);
    rig.write('.gitignore', 'gauntlet_logs\nran\n');
    expect(rig.gauntlet(['run']).stderr).toContain('[PASS]');
    const again = rig.gauntlet(['run']);
    expect(again.exitCode).toBe(0);
    expect(again.stderr).toContain('[CACHED] check:src:c');
    expect(again.stderr).toContain('Status: Passed');
    expect(rig.gauntlet(['run', '--no-cache']).stderr).toContain('[PASS]');
  });

  it('after fail_fast starts nothing more in its lane, and says so; what runs beside it ends', () => {
    rig.gates({
      s1: 'command: exit 3\nfail_fast: true\n',
      s2: 'command: touch ran\n',
      p1: 'command: sleep 0.3\nparallel: true\n',
    });
    const ended = rig.gauntlet(['run']);
    expect(ended.exitCode).toBe(1);
    expect(hasRun()).toBe(false);
    expect(ended.stderr).toMatch(/^\[SKIP\] {2}check:src:s2 - .*check:src:s1/m);
    expect(ended.stderr).toMatch(/^\[PASS\] {2}check:src:p1/m);
  });

  it('counts its runs: with three retries the fourth failure is the last, and a fifth runs nothing', () => {
    rig.gates(FAIL);
    const ends = [1, 2, 3, 4, 5].map(() => rig.gauntlet(['run', '--no-cache']));
    const status = ends.map(({ stderr }) => /^Status: (.*)$/m.exec(stderr)?.[1]);
    const limit = 'Retry limit exceeded';
    expect(status).toEqual(['Failed', 'Failed', 'Failed', limit, limit]);
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1, 1, 1]);
    expect(ends[4]?.stderr).toContain('run 5 exceeds max allowed 4 (max_retries: 3). Human input required');
    expect(ends[4]?.stderr).toContain('agent-gauntlet clean');
    expect(existsSync(rig.logFile('check_src_c.5.log'))).toBe(false);
  });

  it('without retries ends at the first failure', () => {
    rig.gates(FAIL, 'max_retries: 0');
    const ended = rig.gauntlet(['run']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('Status: Retry limit exceeded');
  });

  it('on another branch begins anew, and says why', () => {
    rig.gates(FAIL);
    rig.gauntlet(['run']);
    rig.git('checkout', '--quiet', '-b', 'other');
    const ended = rig.gauntlet(['run']);
    expect(ended.stderr).toContain('branch changed (feat → other)');
    expect(rig.logs()).toEqual(['check_src_c.1.log', 'console.1.log', 'previous']);
    expect(rig.logs('previous')).toEqual(['check_src_c.1.log', 'console.1.log']);
  });

  it('runs the checks on a build server, but for those that say no', () => {
    rig.gates({ ...MARK, d: 'command: exit 1\nrun_in_ci: false\n' });
    rig.git('add', '.');
    rig.git('commit', '--quiet', '-m', 'work');
    const ended = rig.gauntlet(['check'], { CI: 'true', GITHUB_BASE_REF: 'main' });
    expect(ended.exitCode).toBe(0);
    expect(hasRun()).toBe(true);
    expect(ended.stderr).not.toContain('check:src:d');
  });

  it('does not count its own logs as changes where git does not pass over them', () => {
    rig.gates(FAIL);
    rig.write('.gitignore', '');
    rig.gauntlet(['run']);
    rig.git('add', '.gauntlet', 'src', '.gitignore');
    rig.git('commit', '--quiet', '-m', 'all');
    rig.git('push', '--quiet', 'origin', 'HEAD:main');
    rig.git('fetch', '--quiet');
    rig.gauntlet(['clean']);
    expect(rig.logs('previous').length).toBeGreaterThan(0);
    expect(rig.gauntlet(['run', '--json']).json).toMatchObject({ status: 'no_changes' });
  });

  it('logs are not written through a symlink that leads out of the project', () => {
    mkdirSync(join(rig.dir, 'outside'));
    rig.gates(FAIL);
    symlinkSync(join(rig.dir, 'outside'), rig.logFile(''));
    const ended = rig.gauntlet(['run']);
    expect([ended.exitCode, rig.stopHook().status]).toEqual([1, 'failed']);
    expect(ended.stderr).toMatch(
      /Warning: .*gauntlet_logs is behind a symlink that leads out of the project, which is not followed/,
    );
    expect(rig.gauntlet(['clean']).stdout).toContain('archived');
    expect(readdirSync(join(rig.dir, 'outside'))).toEqual([]);
  });

  it('takes a long list of changes and a flood of output', () => {
    for (let at = 0; at < 5500; at++) writeFileSync(join(rig.repo, 'src', `${'n'.repeat(200)}${at}`), '');
    const flood = `'${process.execPath}' -e 'process.stdout.write("x".repeat(11000000))'`;
    rig.gates({ c: `command: ${JSON.stringify(flood)}\n` });
    expect(rig.gauntlet(['run'])).toMatchObject({ exitCode: 0 });
  });

  const EVIL = '; touch evil #';
  it.each<[string, string[], Record<string, string>]>([
    ['-b', ['run', '-b', `main${EVIL}`], {}],
    ['-c', ['run', '-c', `HEAD${EVIL}`], {}],
    ['an option for git in -b', ['run', '--base-branch=--output=evil'], {}],
    ['an option for git in -c', ['run', '--commit=--output=evil'], {}],
    ['the base of a build', ['run'], { CI: 'true', GITHUB_BASE_REF: `main${EVIL}` }],
    ['the commit of a build', ['run'], { CI: 'true', GITHUB_SHA: `HEAD${EVIL}` }],
  ])('is not made to run what stands in %s', (_where, args, env) => {
    rig.gates({ c: 'command: echo $' + '{BASE_BRANCH}\n' });
    const ended = rig.gauntlet(args, env);
    expect(existsSync(join(rig.repo, 'evil')) || existsSync(join(rig.repo, 'src/evil'))).toBe(false);
    if (args.length > 1)
      expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Error: ') });
  });

  it('is not made to run what stands in base_branch', () => {
    rig.gates(PASS, 'base_branch: "main$(touch evil)"');
    expect(rig.gauntlet(['run']).stderr).toContain(
      'Warning: The base branch main$(touch evil) does not exist',
    );
    expect(existsSync(join(rig.repo, 'evil'))).toBe(false);
  });
});

describe('run --json', () => {
  it('prints one document and nothing else', () => {
    rig.gates(FAIL);
    const failed = rig.gauntlet(['run', '--json']);
    expect(failed).toMatchObject({ exitCode: 1, stderr: '' });
    expect(failed.stdout.trimEnd()).not.toContain('\n');
    expect(failed.json).toEqual({
      status: 'failed',
      message: '1 gate did not pass: check:src:c.',
      consoleLog: rig.logFile('console.1.log'),
      gates: [
        {
          id: 'check:src:c',
          status: 'fail',
          durationMs: expect.any(Number),
          log: rig.logFile('check_src_c.1.log'),
          review: null,
          message: 'Exited with code 3',
        },
      ],
    });
  });

  it('says of a passed run where its logs are now', () => {
    rig.gates(PASS);
    const passed = rig.gauntlet(['run', '--json']).json as { consoleLog: string; gates: { log: string }[] };
    expect(passed).toMatchObject({ status: 'passed', gates: [{ status: 'pass' }] });
    for (const file of [passed.consoleLog, passed.gates[0]?.log ?? '']) expect(existsSync(file)).toBe(true);
    expect(rig.gauntlet(['run', '--json']).json).toMatchObject({
      status: 'passed',
      consoleLog: null,
      gates: [{ id: 'check:src:c', status: 'cached', log: null, review: null }],
    });
  });

  it('names the file of a review, and each of its reviewers', () => {
    rig.gates({}, 'entry_points: [{ path: src, reviews: [q] }]');
    rig.write('.gauntlet/reviews/q.md', 'Be strict.\n');
    const violations = [{ file: 'src/a.txt', line: 1, issue: 'Two is bad', priority: 'high', status: 'new' }];
    rig.program('claude', `cat > /dev/null\necho '${JSON.stringify({ status: 'fail', violations })}'`);
    const file = rig.logFile('review_src_q_claude@1.1.json');
    expect(rig.gauntlet(['review', '--json'])).toMatchObject({
      exitCode: 1,
      json: {
        status: 'failed',
        gates: [
          { id: 'review:src:q', status: 'fail', review: file, slots: [{ slot: 'claude@1', review: file }] },
        ],
      },
    });
    expect(rig.readJson(file)).toMatchObject({ adapter: 'claude', status: 'fail', violations });
    writeFileSync(
      file,
      JSON.stringify({ ...(rig.readJson(file) as object), violations: skipped(violations) }),
    );
    rig.program('claude', 'cat > /dev/null\necho \'{"status":"pass","message":"ok"}\'');
    expect(rig.gauntlet(['review', '--json'])).toMatchObject({
      exitCode: 0,
      json: { status: 'passed_with_warnings' },
    });
  });

  it.each<[string, () => void, string, number]>([
    ['no config', () => undefined, 'no_config', 2],
    ['a broken config', () => rig.gates(FAIL_FAST_AND_PARALLEL), 'error', 2],
    ['nothing that changed', nothingChanged, 'no_changes', 0],
  ])('is a document also with %s', (_what, prepare, status, exitCode) => {
    prepare();
    const ended = rig.gauntlet(['run', '--json']);
    expect(ended).toMatchObject({ exitCode, json: { status, consoleLog: null, gates: [] } });
    expect((ended.json as { message: string }).message).not.toBe('');
  });

  it.each(['detect', 'list', 'validate', 'ci list-jobs', 'ci init'])(
    'is one without gates for %s',
    (verb) => {
      expect(rig.gauntlet([...verb.split(' '), '--json'])).toMatchObject({
        exitCode: 2,
        json: { status: 'no_config', message: expect.stringContaining('No gates are configured here.') },
      });
    },
  );
});

function skipped(violations: readonly object[]): object[] {
  return violations.map((one) => ({ ...one, status: 'skipped', result: 'It is meant' }));
}

function nothingChanged(): void {
  rig.gates(PASS, 'base_branch: feat');
  commitAll();
}

function commitAll(): void {
  rig.git('add', '.');
  rig.git('commit', '--quiet', '-m', 'all');
}

describe('check and review', () => {
  it('check says on standard output how far it is, and fails when a check fails, keeping its logs', () => {
    rig.gates(FAIL);
    rig.git('add', '.gauntlet');
    const ended = rig.gauntlet(['check']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toBe('Detecting changes...\nFound 3 changed files.\nRunning 1 check(s)...\n');
    expect(ended.stderr).toContain('[FAIL]  check:src:c');
    expect(ended.stderr).toContain('Status: Failed');
    expect(rig.logs()).toEqual(['check_src_c.1.log', 'console.1.log']);
  });

  it('each runs its own kind', () => {
    rig.gates(PASS, 'entry_points: [{ path: src, checks: [c], reviews: [q] }]');
    rig.write('.gauntlet/reviews/q.md', 'Be strict.\n');
    rig.program('claude', 'cat > /dev/null\necho \'{"status":"pass","message":"ok"}\'');
    const [check, review] = [rig.gauntlet(['check']), rig.gauntlet(['review'])];
    expect(check.stderr).toContain('[PASS]  check:src:c');
    expect(check.stderr).not.toContain('review:');
    expect(review.stdout).toContain('Running 1 review(s)...');
    expect(review.stderr).toContain('[PASS]  review:src:q (claude@1)');
    expect(review.stderr).not.toContain('check:src:c');
  });

  it('says that nothing has changed', () => {
    nothingChanged();
    expect(rig.gauntlet(['check'])).toMatchObject({
      exitCode: 0,
      stdout: 'Detecting changes...\nNo changes detected.\n',
      stderr: '',
    });
  });
});

describe('while another run is going on', () => {
  it.each(['run', 'check', 'review', 'clean'])('%s says whose it is, and leaves everything alone', (verb) => {
    rig.gates(MARK);
    mkdirSync(rig.logFile());
    writeFileSync(rig.logFile('old.1.log'), 'old');
    writeFileSync(rig.logFile('.gauntlet-run.lock'), String(process.pid));
    const ended = rig.gauntlet([verb]);
    expect(ended.exitCode).toBe(3);
    const [first = '', second] = ended.stderr.split('\n');
    expect(first).toMatch(/^Error: A gauntlet run is already in progress/);
    expect(first).toContain(`(lock file: ${rig.logFile('.gauntlet-run.lock')})`);
    expect(first).toContain(`by process ${process.pid}`);
    expect(first).toMatch(/for \d+ s/);
    expect(second).toContain('Wait');
    expect(hasRun()).toBe(false);
    expect(rig.logs()).toEqual(['old.1.log']);
  });

  it('--json tells it with its status', () => {
    rig.gates(PASS);
    mkdirSync(rig.logFile());
    writeFileSync(rig.logFile('.gauntlet-run.lock'), String(process.pid));
    expect(rig.gauntlet(['run', '--json'])).toMatchObject({
      exitCode: 3,
      json: { status: 'lock_conflict', gates: [] },
    });
  });

  it('a lock whose process is gone is no obstacle', () => {
    rig.gates(PASS);
    mkdirSync(rig.logFile());
    writeFileSync(rig.logFile('.gauntlet-run.lock'), '999999999');
    expect(rig.gauntlet(['run']).exitCode).toBe(0);
  });

  it.each(['gauntlet_logs', 'an absolute path'])(
    'a stop inside of the very first run passes and leaves no marker, with logs in %s',
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

  it('of two at once, one runs', async () => {
    rig.gates({ c: 'command: sleep 1\n' });
    const ends = await Promise.all([rig.startGauntlet(['run']), rig.startGauntlet(['run'])]);
    expect(ends.map(({ exitCode }) => exitCode).sort()).toEqual([0, 3]);
  });
});

describe('detect', () => {
  it('lists what has changed and what would run, by entry point, and runs nothing', () => {
    rig.gates(MARK, 'entry_points: [{ path: src, checks: [c], reviews: [q] }, { path: lib, checks: [c] }]');
    rig.write('.gauntlet/reviews/q.md', 'Be strict.\n');
    rig.write('lib/l.txt', 'l');
    const ended = rig.gauntlet(['detect']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain('\n  src/a.txt\n');
    expect(ended.stdout).toContain(
      'Would run 3 gate(s):\n\nEntry point: src\n  check c\n  review q\n\nEntry point: lib\n  check c\n',
    );
    expect(hasRun()).toBe(false);
    expect(rig.logs()).toEqual([]);
    expect(existsSync(rig.logFile())).toBe(false);
  });

  it('says what would be reused', () => {
    rig.gates(PASS);
    rig.gauntlet(['run']);
    expect(rig.gauntlet(['detect']).stdout).toContain(
      'Would run 0 gate(s):\n\nEntry point: src\n  check c (cached',
    );
    expect(rig.gauntlet(['detect', '--json']).json).toEqual({
      base: 'origin/main',
      files: ['.gauntlet/checks/c.yml', '.gauntlet/config.yml', 'src/a.txt'],
      gates: [
        {
          id: 'check:src:c',
          kind: 'check',
          name: 'c',
          entry_point: 'src',
          working_directory: 'src',
          cached: true,
        },
      ],
    });
  });

  it('says when there is nothing', () => {
    nothingChanged();
    expect(rig.gauntlet(['detect']).stdout).toBe('No changes detected.\n');
    rig.write('docs/x.md', 'x');
    expect(rig.gauntlet(['detect']).stdout).toContain('No applicable gates for these changes.');
    expect(rig.gauntlet(['detect', '-c', 'HEAD']).stdout).toContain('check c');
  });

  it.each([
    ['packages/*', ['packages/a'], "exclude: ['**/*.md'], "],
    ['app', [], ''],
    ['.', ['.'], ''],
    ['.', [], "exclude: ['**', '.gauntlet'], "],
    ["'docs/**/*.md'", ['docs/**/*.md'], ''],
    ['straße', ['straße'], ''],
  ])('entry point %s is reached at %j', (path, reached, exclude) => {
    rig.git('checkout', '--quiet', '--', '.');
    for (const file of ['packages/a/x.ts', 'packages/b/r.md', 'apple/x', 'docs/d/e.md', 'straße/ü "q".txt'])
      rig.write(file, 'x');
    rig.gates(PASS, `entry_points: [{ path: ${path}, ${exclude}checks: [c] }]`);
    const { json } = rig.gauntlet(['detect', '--json']);
    expect(
      (json as { gates: { entry_point: string }[] }).gates.map(({ entry_point }) => entry_point),
    ).toEqual(reached);
  });

  it('outside of what it can compare says so', () => {
    rig.gates(PASS);
    const ended = rig.gauntlet(['detect', '-b', 'nowhere']);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain('No branch or commit "nowhere"');
  });
});

describe('list', () => {
  it('shows gates and entry points', () => {
    rig.gates(PASS, 'entry_points: [{ path: src, checks: [c], reviews: [q] }]');
    rig.write('.gauntlet/reviews/q.md', 'Be strict.\n');
    const ended = rig.gauntlet(['list']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toMatch(
      /^Check Gates:\n - c.*\n\nReview Gates:\n - q \(Tools: claude\)\n\nEntry Points:\n - src\n/,
    );
    expect(rig.gauntlet(['list', '--json']).json).toMatchObject({
      checks: [{ name: 'c', command: 'true', place: '.gauntlet/checks/c.yml:1:1' }],
      reviews: [{ name: 'q', tools: ['claude'], num_reviews: 1 }],
      entry_points: [{ path: 'src', checks: ['c'], reviews: ['q'] }],
      problems: [],
    });
  });

  it('shows what is in force of a broken config, and fails', () => {
    rig.gates({ ...PASS, d: 'comand: x\n' });
    const ended = rig.gauntlet(['list']);
    expect(ended.exitCode).toBe(2);
    expect(ended.stdout).toContain(' - c');
    expect(ended.stderr).toContain('.gauntlet/checks/d.yml:1:1');
  });
});

describe('validate and health', () => {
  it('a valid config is said to be so', () => {
    rig.gates(PASS);
    expect(rig.gauntlet(['validate'])).toMatchObject({
      exitCode: 0,
      stdout: 'All config files are valid.\n',
      stderr: '',
    });
    expect(rig.gauntlet(['validate', '--json']).json).toEqual({
      valid: true,
      files: ['.gauntlet/config.yml', '.gauntlet/checks/c.yml'],
      problems: [],
    });
  });

  it.each<[string, Record<string, string>, string, RegExp]>([
    [
      'fail_fast beside parallel',
      FAIL_FAST_AND_PARALLEL,
      '',
      /checks\/c\.yml:3:12: error: .*fail_fast.*parallel is false/,
    ],
    ['a key that is misspelt', { c: 'command: x\nparralel: true\n' }, '', /c\.yml:2:1: error: .*parralel/],
    ['a check without a command', { c: 'command:\n' }, '', /c\.yml:1:1: error: .*command/],
    [
      'a gate that there is not',
      PASS,
      'entry_points: [{ path: src, checks: [x] }]',
      /non-existent check gate: "x"/,
    ],
    ['YAML that is none', { c: 'command: [\n' }, '', /c\.yml:\d+:\d+: error: not valid YAML/],
  ])('%s is shown with its place, underlined, by validate and by run', (_what, checks, more, words) => {
    rig.gates(checks, more);
    const ended = rig.gauntlet(['validate']);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^Validation failed:\n/);
    expect(ended.stderr).toMatch(words);
    expect(ended.stderr).toMatch(/^ +\^~*$/m);
    expect(ended.stderr).not.toMatch(/"code"|undefined is not/);
    const run = rig.gauntlet(['run']);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toMatch(words);
    expect(run.stderr).toMatch(/Error: the config has \d+ errors?, so nothing was run\.\n$/);
  });

  it.each([
    ['validate', 1],
    ['list', 2],
    ['detect', 2],
    ['ci init', 2],
    ['ci list-jobs', 2],
    ['init -y', 2],
  ])('%s names what is wrong where the file with the gates cannot be read', (line, exitCode) => {
    rig.write('.holdpoint/config.yaml', 'version: 1\ngates: [\n');
    const ended = rig.gauntlet(line.split(' '));
    expect(ended).toMatchObject({ exitCode, stdout: '' });
    expect(ended.stderr).toContain('.holdpoint/config.yaml:2:8: error: not valid YAML');
    expect(ended.stderr).not.toContain('No gates are configured');
    expect(existsSync(join(rig.repo, '.gauntlet'))).toBe(false);
  });

  it('suggests the key that was meant', () => {
    rig.gates({ c: 'command: x\nparralel: true\n' });
    expect(rig.gauntlet(['validate']).stderr).toContain('hint: did you mean `parallel`?');
    expect(rig.gauntlet(['validate', '--json']).json).toMatchObject({
      valid: false,
      problems: [{ file: '.gauntlet/checks/c.yml', line: 2, column: 1, severity: 'error' }],
    });
  });

  it('health lists the files and the reviewers that the config names', () => {
    rig.gates(
      PASS,
      'cli: { default_preference: [claude, codex] }\nentry_points: [{ path: src, checks: [c] }]',
    );
    rig.program('claude', 'exit 0');
    const { stdout, stderr, exitCode } = rig.gauntlet(['health']);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toContain('✓ .gauntlet/config.yml\n');
    expect(stdout).toMatch(/^ +claude +: Installed$/m);
    expect(stdout).toMatch(/^ +codex +: Missing$/m);
    expect(stdout).not.toContain('gemini');
  });

  it('health shows what is wrong, and is still no failure', () => {
    rig.gates({ c: 'command: x\nparralel: true\n' });
    const { stdout, exitCode } = rig.gauntlet(['health']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/✗ \.gauntlet\/checks\/c\.yml:2:1\n +unknown key `parralel`/);
  });

  it('health asks for a word where the config says so, and tells of a used up quota', () => {
    rig.gates(
      PASS,
      'cli: { default_preference: [claude], check_usage_limit: true }\nentry_points: [{ path: src, checks: [c] }]',
    );
    rig.program('claude', 'cat > /dev/null; echo "usage limit reached"; exit 1');
    expect(rig.gauntlet(['health']).stdout).toMatch(/claude +: Usage limit exceeded/);
  });

  it.each(['in a project without gates', 'outside of any repository'])(
    'health knows all reviewers %s',
    (where) => {
      rig.program('gemini', 'exit 0');
      const ended = rig.gauntlet(['health'], {}, where.startsWith('in') ? rig.repo : rig.home);
      expect(ended.exitCode).toBe(0);
      expect(ended.stdout).toMatch(/gemini +: Installed/);
      for (const name of ['claude', 'codex', 'cursor', 'github-copilot'])
        expect(ended.stdout).toMatch(new RegExp(`${name} +: Missing`));
      expect(rig.gauntlet(['health', '--json']).json).toMatchObject({
        configured: false,
        reviewers: [{ name: 'claude', state: 'missing' }, {}, { name: 'gemini', state: 'healthy' }, {}, {}],
      });
    },
  );
});

describe('without config', () => {
  it.each(['run', 'check', 'review', 'detect', 'list', 'validate', 'ci list-jobs', 'ci init'])(
    '%s says what is missing, and makes nothing',
    (line) => {
      const ended = rig.gauntlet(line.split(' '));
      expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ended.stderr).toContain('.gauntlet/config.yml');
      expect(ended.stderr).toContain('holdpoint gates init');
      expect(existsSync(join(rig.repo, '.gauntlet')) || existsSync(rig.logFile())).toBe(false);
    },
  );

  it.each(['run', 'detect', 'list', 'validate', 'init -y'])('%s outside of a repository says so', (line) => {
    const ended = rig.gauntlet(line.split(' '), {}, rig.home);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain('Not in a git repository');
  });
});

describe('clean', () => {
  it.each(['with a config', 'without a config'])(
    '%s has nothing to do where there are no logs, and makes none',
    (how) => {
      if (how === 'with a config') rig.gates(PASS);
      expect(rig.gauntlet(['clean'])).toMatchObject({
        exitCode: 0,
        stdout: 'No logs to archive.\n',
        stderr: '',
      });
      expect(existsSync(rig.logFile())).toBe(false);
    },
  );

  it('leaves an archive alone that nothing takes the place of', () => {
    mkdirSync(rig.logFile('previous'), { recursive: true });
    writeFileSync(rig.logFile('previous/old.log'), 'old');
    expect(rig.gauntlet(['clean']).exitCode).toBe(0);
    expect(rig.logs('previous')).toEqual(['old.log']);
  });

  it('archives in place of the older archive; the debug log and the state: one stays, one goes along', () => {
    rig.gates(PASS, 'debug_log: { enabled: true }');
    mkdirSync(rig.logFile('previous'), { recursive: true });
    for (const name of ['previous/old.log', 'new.1.log', '.debug.log']) writeFileSync(rig.logFile(name), 'x');
    writeFileSync(rig.logFile('.execution_state'), '{}');
    expect(rig.gauntlet(['clean'])).toMatchObject({ exitCode: 0, stdout: 'Logs archived successfully.\n' });
    expect(rig.logs()).toEqual(['previous']);
    expect(rig.logs('previous')).toEqual(['new.1.log']);
    expect(existsSync(rig.logFile('previous/.execution_state'))).toBe(true);
    expect(readFileSync(rig.logFile('.debug.log'), 'utf8')).toContain('CLEAN type=manual');
  });

  it.each([
    ['.holdpoint/logs', undefined],
    ['gauntlet_logs', '.gauntlet/note'],
  ])('names %s in a project without a config', (logs, file) => {
    if (file !== undefined) rig.write(file, '');
    expect(rig.gauntlet(['clean', '--json']).json).toMatchObject({ log_dir: join(rig.repo, logs) });
  });

  it('--json says what was moved', () => {
    mkdirSync(rig.logFile());
    writeFileSync(rig.logFile('new.1.log'), 'x');
    expect(rig.gauntlet(['clean', '--json']).json).toEqual({
      archived: true,
      log_dir: join(rig.repo, 'gauntlet_logs'),
      files: ['new.1.log'],
    });
  });
});

describe.runIf(hasTerminals)('at a terminal (where script can make one)', () => {
  it('running gates are drawn in place with their last line, and what is finished stays', async () => {
    rig.gates({ c: 'command: echo working; sleep 0.6; echo done\n' });
    const ended = await runAtTerminal(rig, 'agent-gauntlet', 'run', [], { PATH: rig.bin });
    expect(ended.exitCode).toBe(0);
    expect(ended.shown).toMatch(/\[START\] check:src:c.*\(0\.\d s\).*working/);
    expect(ended.shown).toMatch(/\u001b\[1A/);
    expect(ended.shown).toMatch(/\[PASS\] {2}check:src:c/);
    expect(ended.shown).toContain('Status: Passed');
    expect(ended.shown.lastIndexOf('\u001b[?25h')).toBeGreaterThan(ended.shown.lastIndexOf('\u001b[?25l'));
  });

  it('an interrupt ends what runs, gives the cursor back and frees the lock', async () => {
    rig.gates({ c: 'command: echo working; sleep 30\n' });
    const ended = await runAtTerminal(rig, 'agent-gauntlet', 'run', [['working', '\u0003']], {
      PATH: rig.bin,
    });
    expect(ended.exitCode).toBe(130);
    expect(ended.shown.lastIndexOf('\u001b[?25h')).toBeGreaterThan(ended.shown.lastIndexOf('\u001b[?25l'));
    expect(existsSync(rig.logFile('.gauntlet-run.lock'))).toBe(false);
  });
});
