import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeReviewer } from './fake-reviewer';
import { type GatesRig, makeGatesRig } from './gates-project';
import { at, type Ended, type HostDocument } from './rig';
import { hasTerminals, runAtTerminal } from './terminal';

/*
 * What people and held agents read of the gates. Where a project has `.gauntlet/`, the agent reads the words of the
 * older program; here the gates stand in Holdpoint's own config.
 */

let rig: GatesRig;
beforeEach(() => {
  rig = makeGatesRig();
  rig.write('.gitignore', '.holdpoint/logs\n');
});
afterEach(() => rig.remove());

const VITEST = `
 FAIL  src/sum.test.ts > adds
\x1b[31mAssertionError\x1b[0m: expected 3 to be 4

 ❯ src/sum.test.ts:5:17

${'unrelated line\n'.repeat(30)}
`;

/** Writes gates into the config of Holdpoint: checks by name, with their commands, at `src`. */
function gates(checks: Readonly<Record<string, string>>, more: Readonly<Record<string, unknown>> = {}): void {
  const named = Object.fromEntries(
    Object.entries(checks).map(([name, command]) => [name, { command, cache: true }]),
  );
  const entry = { path: 'src', checks: Object.keys(checks), reviews: Object.keys(more['reviews'] ?? {}) };
  const section = { checks: named, entry_points: [entry], ...more };
  rig.write('.holdpoint/config.yaml', JSON.stringify({ gates: section }));
  rig.write('test-output', VITEST);
}

const TESTS_FAIL = 'cat ../test-output; exit 1';
const run = (args: readonly string[] = ['run'], env = {}): Ended =>
  rig.holdpoint(['gates', ...args], { env: { PATH: rig.bin, ...env } });
const AGENT = { CLAUDECODE: '1' };

const stopEvent = (more: HostDocument = {}): HostDocument => ({
  session_id: 'a1',
  hook_event_name: 'Stop',
  prompt_id: 'p1',
  stop_hook_active: false,
  cwd: rig.repo,
  ...more,
});
const stop = (more?: HostDocument, env = {}): Ended =>
  rig.hook(stopEvent(more), { env: { PATH: rig.bin, GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: '0', ...env } });
const reasonOf = ({ json }: Ended): string => String(at(json, 'reason'));

describe('holdpoint gates run', () => {
  it.each(['run', 'check'])(
    '%s shows each check, the lines that tell why one failed, and a count',
    (verb) => {
      gates({ tests: TESTS_FAIL, types: 'true', lint: 'true' });
      const ended = run([verb, '-g', 'types']);
      expect(ended.stderr).toMatch(/^✓ types \(src\) \(\d+(?:\.\d)? m?s\)\n\nGates {2}1 passed \(\d/);
      const all = run([verb]);
      expect([all.exitCode, all.stdout]).toEqual([1, '']);
      const lines = all.stderr.split('\n');
      expect(lines).toContain('✓ types (src) (cached)');
      const failed = lines.findIndex((line) => /^✗ tests \(src\) \(\d.*\): exited with code 1$/.test(line));
      expect(lines.slice(failed + 1, failed + 5)).toEqual([
        '     FAIL  src/sum.test.ts > adds',
        '    AssertionError: expected 3 to be 4',
        '     ❯ src/sum.test.ts:5:17',
        '    Log: .holdpoint/logs/check_src_tests.1.log',
      ]);
      expect(all.stderr).toMatch(
        /\n\nGates {2}1 failed \| 1 passed \| 1 cached \(\d.*s\)\nLog {4}\.holdpoint/,
      );
      expect(all.stderr).not.toMatch(/unrelated|\x1b|\[START\]|Status:|gate\(s\)/);
    },
  );

  it('says what could not run, and what was not started', () => {
    const checks = { gone: { command: 'no-such-program', fail_fast: true }, later: { command: 'true' } };
    gates({}, { checks, entry_points: [{ path: 'src', checks: ['gone', 'later'] }] });
    const { stderr, exitCode } = run();
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^! gone \(src\) .*: missing command: no-such-program$/m);
    expect(stderr).toMatch(/^- later \(src\): not started: .*fail_fast$/m);
    expect(stderr).toMatch(/^Gates {2}1 error \| 1 not started /m);
  });

  it('shows the findings of a review, where its file is, and later what was skipped', () => {
    const reviewer = fakeReviewer(rig, 'claude');
    gates({}, { cli: { default_preference: ['claude'] }, reviews: { style: { prompt: 'Be strict.' } } });
    reviewer.finds([{ file: 'src/a.txt', line: 1, issue: 'Too short', priority: 'high', status: 'new' }]);
    const env = { PATH: reviewer.path };
    const { stderr, exitCode } = run(['review'], env);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^✗ review style \(src\) \(.*\): found 1 violation$/m);
    expect(stderr).toContain('    1. src/a.txt:1 - Too short\n');
    expect(stderr).toMatch(/^ {4}Review: \.holdpoint\/logs\/review_src_style_claude@1\.1\.json$/m);
    reviewer.markAll(`${rig.repo}/.holdpoint/logs/review_src_style_claude@1.1.json`, 'skipped');
    reviewer.findsNothing();
    const again = run(['review'], env);
    expect(again.exitCode).toBe(0);
    expect(again.stderr).toMatch(/^Skipped {2}src\/a\.txt:1 - Too short/m);
  });

  it('is never refused for a person, and starts the retries of the agent over', () => {
    gates({ tests: TESTS_FAIL }, { max_retries: 1 });
    expect([at(stop().json, 'status'), at(stop().json, 'status')]).toEqual([
      'failed',
      'retry_limit_exceeded',
    ]);
    const refused = run(['run', '--json'], AGENT);
    expect([refused.exitCode, at(refused.json, 'status')]).toEqual([1, 'retry_limit_exceeded']);
    expect(run(['run'], AGENT).stderr).toContain(
      'resets the limit with `holdpoint gates run` in their own terminal.',
    );
    for (let time = 0; time < 3; time++) expect(at(run(['run', '--json']).json, 'status')).toBe('failed');
    expect(reasonOf(stop({ prompt_id: 'p2' }))).toContain('(1 retry left, then a person decides)');
  });

  it('tells an agent how many retries are left, and a person nothing of them', () => {
    gates({ tests: TESTS_FAIL });
    expect(run(['run'], AGENT).stderr).toMatch(/\n3 retries left, then a person decides\.\n$/);
    expect(run().stderr).not.toContain('retr');
  });

  it('of the older command keeps its words and its limit', () => {
    gates({ tests: TESTS_FAIL }, { max_retries: 0 });
    expect(rig.gauntlet(['run']).stderr).toMatch(
      /^\[START\] check:src:tests\n\[FAIL\] {2}[\s\S]*Status: Retry limit/,
    );
    expect(rig.gauntlet(['run']).stderr).toContain('Nothing was run');
  });

  it.runIf(hasTerminals)('is coloured and live at a terminal, unless NO_COLOR says otherwise', async () => {
    gates({ tests: 'echo working; sleep 0.5; exit 1', types: 'true' });
    const seen = await runAtTerminal(rig, 'holdpoint', 'gates run', [], { PATH: rig.bin });
    expect(seen.exitCode).toBe(1);
    expect(seen.shown).toMatch(/tests \(src\).*\(0\.\d s\).*working/);
    expect(seen.shown).toContain('\x1b[31m✗\x1b[0m');
    expect(seen.shown).toMatch(/1 failed.* \| .*1 passed/);
    const env = { PATH: rig.bin, NO_COLOR: '1' };
    const plain = await runAtTerminal(rig, 'holdpoint', 'gates run', [], env);
    expect(plain.shown).not.toMatch(/\x1b\[[0-9;]*m/);
  });
});

describe('a held agent', () => {
  it('reads in a few lines what failed, why, where the log is and what comes next, once', () => {
    gates({ tests: TESTS_FAIL, types: 'true' });
    const held = stop();
    expect(held.json).toMatchObject({ decision: 'block', status: 'failed' });
    const lines = reasonOf(held).split('\n');
    expect(lines.slice(0, -1)).toEqual([
      'Holdpoint holds the end of your turn: 1 check did not pass.',
      '',
      '✗ check:src:tests (exited with code 1)',
      '     FAIL  src/sum.test.ts > adds',
      '    AssertionError: expected 3 to be 4',
      '     ❯ src/sum.test.ts:5:17',
      `  Log: ${rig.repo}/.holdpoint/logs/check_src_tests.1.log`,
      '',
      'Fix this, then end your turn: the gates run again (3 retries left, then a person decides).',
      'If you have changed nothing, leave it alone: tell the user what fails, and end your turn again until a person decides.',
      'Only a person can waive a gate, with `holdpoint pause` in their own terminal.',
    ]);
    expect(lines.at(-1)).toMatch(/^Details: `holdpoint why \S+`$/);
    expect(held.stdout.split('AssertionError')).toHaveLength(2);
    expect(at(held.json, 'stopReason')).toBe('✗ 1 gate did not pass: check:src:tests.');
  });

  it('reads first how its config says a failure is fixed', () => {
    rig.write('.holdpoint/lint.md', 'Run `npm run format`.\n');
    const lint = { command: TESTS_FAIL, fix_instructions: 'lint.md' };
    gates({}, { checks: { lint }, entry_points: [{ path: 'src', checks: ['lint'] }] });
    expect(reasonOf(stop())).toContain(
      '✗ check:src:lint (exited with code 1)\n  How to fix it: Run `npm run format`.\n     FAIL',
    );
  });

  it('is told how to answer a review only where one failed', () => {
    const reviewer = fakeReviewer(rig, 'claude');
    gates(
      { tests: TESTS_FAIL },
      { cli: { default_preference: ['claude'] }, reviews: { style: { prompt: 'Be strict.' } } },
    );
    reviewer.findsNothing();
    const env = { PATH: reviewer.path };
    expect(reasonOf(stop({}, env))).not.toMatch(/review|"skipped"/i);
    rig.write('src/a.txt', 'three\n');
    reviewer.finds([{ file: 'src/a.txt', line: 1, issue: 'Too short', priority: 'high', status: 'new' }]);
    const reason = reasonOf(stop({}, env));
    expect(reason).toContain('1 check and 1 review did not pass');
    expect(reason).toContain('    1. src/a.txt:1 - Too short\n');
    expect(reason).toMatch(/^ {2}Review: \/.*\.json$/m);
    expect(reason).toContain('`"status": "skipped"` with your reason');
  });

  it('is explained by why without a word about `gates run`', () => {
    gates({ tests: TESTS_FAIL });
    const id = /holdpoint why (\S+)`$/.exec(reasonOf(stop()))?.[1] ?? '';
    const { stdout } = rig.holdpoint(['why', id]);
    expect(stdout).toContain('fix what the log shows; the gates run again when you end the turn');
    expect(stdout).not.toContain('gates run`');
  });

  it('is let go at the limit, and the person reads what still fails', () => {
    gates({ tests: TESTS_FAIL }, { max_retries: 0 });
    const { json } = stop();
    expect(json).toMatchObject({ decision: 'approve', status: 'retry_limit_exceeded' });
    expect(at(json, 'systemMessage')).toMatch(
      /Retry limit exceeded: tests \(src\) still fails after 1 run, .*`holdpoint gates run` runs the gates again and resets/,
    );
  });
});

describe('a turn whose gates cannot run', () => {
  it.each([
    ['a missing program', { command: 'no-such-program' }, /Some gates could not run\. .*no-such-program/],
    ['an error in the config', { comand: 'true' }, /the config has \d errors?, .*unknown key `comand`/s],
  ])('for %s ends, and the person reads why', (_name, check, words) => {
    gates({}, { checks: { tests: check }, entry_points: [{ path: 'src', checks: ['tests'] }] });
    const { json } = stop();
    expect(at(json, 'decision')).toBe('approve');
    expect(at(json, 'systemMessage')).toMatch(/^⚠ The turn was allowed to end — /);
    expect(at(json, 'systemMessage')).toMatch(words);
  });
});

describe('a turn whose gates pass', () => {
  it('ends with one line for the person', () => {
    gates({ tests: 'true', types: 'true' });
    const { json } = stop();
    expect(json).toMatchObject({ decision: 'approve', status: 'passed', message: '✓ All gates passed.' });
    expect(at(json, 'systemMessage')).toMatch(/^Holdpoint: 2 checks passed \(\d+(?:\.\d)? m?s\)$/);
    expect(rig.holdpoint(['log']).stdout).toMatch(/passed .*Stop/);
  });

  it('counts what was reused, and says nothing where nothing ran', () => {
    gates(
      { tests: 'true', types: 'true' },
      {
        entry_points: [
          { path: 'src', checks: ['tests'] },
          { path: 'lib', checks: ['types'] },
        ],
      },
    );
    rig.write('lib/l.txt', 'l');
    stop();
    expect(stop().json).not.toHaveProperty('systemMessage');
    rig.write('lib/l.txt', 'm');
    expect(at(stop().json, 'systemMessage')).toMatch(/^Holdpoint: 1 check passed \(.*s, 1 cached\)$/);
    rig.git('checkout', '--quiet', '--', 'src');
    rig.git('clean', '-qfd', 'lib');
    expect(stop().json).not.toHaveProperty('systemMessage');
  });

  it.each([
    ['codex', { hook_event_name: 'Stop' }],
    ['gemini', { hook_event_name: 'AfterAgent', prompt: 'go', prompt_response: 'done' }],
  ])('tells the person so on %s too', (host, more) => {
    gates({ tests: 'true' });
    const event = { session_id: 'a1', cwd: rig.repo, stop_hook_active: false, ...more };
    const ended = rig.hook(event, { args: ['--host', host], env: { PATH: rig.bin } });
    expect(at(ended.json, 'systemMessage')).toMatch(/^Holdpoint: 1 check passed/);
  });
});

describe('holdpoint gates clean', () => {
  it('lets only a person forget what a gate has found, and how often it failed', () => {
    gates({ tests: TESTS_FAIL });
    expect(run(['run'], AGENT).exitCode).toBe(1);
    const refused = run(['clean'], AGENT);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('Only a person can archive what the gates have found');
    expect(run(['clean'])).toMatchObject({ exitCode: 0, stdout: 'Logs archived successfully.\n' });
    expect(run(['clean'], AGENT)).toMatchObject({ exitCode: 0, stdout: 'No logs to archive.\n' });
  });
});
