import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Printed, type StopHookProject, stopHookProject } from './stop-hook-project';

/* What the command for the end of a turn prints, as the older program's users know it. */

let project: StopHookProject;
const given = (command: string): StopHookProject => {
  project = stopHookProject(command);
  return project;
};
afterEach(() => project.rig.remove());

const failing = (): Printed => given('echo something is off; false').stopHook();
const ACTIVE = { stop_hook_active: true };

it.each([
  ['invalid', '{bad'],
  ['empty', ''],
  ['a list', '[]'],
  ['null', 'null'],
  ['a text', '"x"'],
])('input that is no JSON object: %s', (_name, text) => {
  expect(given('false').stopHook(text)).toMatchObject({
    decision: 'approve',
    status: 'invalid_input',
    message: expect.stringContaining('Hook input could not be parsed'),
  });
});

it('nothing runs while the hook is active', () => {
  failing();
  expect(project.stopHook(ACTIVE)).toMatchObject({
    decision: 'approve',
    status: 'stop_hook_active',
    message: expect.stringContaining('to prevent an infinite loop'),
  });
  expect(project.logs()).toEqual(['check_src_c.1.log', 'console.1.log']);
});

it('where there is no config, nothing runs', () => {
  given('false');
  expect(project.stopHook({ stop_hook_active: false }, { cwd: join(project.rig.dir, 'tmp') })).toEqual({
    decision: 'approve',
    status: 'no_config',
    message: '○ Not a gauntlet project — no gates are configured here.',
  });
  expect(project.logs()).toEqual([]);
});

it('the gate is a child of the very process that was called', () => {
  given('echo $PPID > ../parent');
  const { ended, pid } = project.start('agent-gauntlet');
  return ended.then(({ json }) => {
    expect(json).toMatchObject({ status: 'passed' });
    expect(Number(project.rig.readJson('parent'))).toBe(pid);
  });
});

it('what gates print goes to the logs alone', () => {
  given('echo loud; echo louder >&2');
  const { stdout, stderr } = project.run();
  expect(stdout).not.toContain('loud');
  expect(stderr).toBe('');
  expect(project.log('previous/check_src_c.1.log')).toContain('louder');
  expect(project.log('previous/console.1.log')).toContain('[PASS]  check:src:c');
});

describe('a person’s own config', () => {
  const HOME_FILE = '.config/agent-gauntlet/config.yml';
  const passed = (minutes: number): void => {
    given('true').writeState({ last_run_completed_at: project.minutesAgo(minutes), branch: 'feat' });
  };

  it('has the time between two runs', () => {
    passed(12);
    project.rig.writeHome(HOME_FILE, 'stop_hook:\n  run_interval_minutes: 15\n');
    const { status, message } = project.stopHook();
    expect(status).toBe('interval_not_elapsed');
    expect(message).toContain('run interval (15 min) not elapsed');
  });

  it('may be missing', () => {
    passed(9);
    const { json, stderr } = project.run();
    expect(json).toMatchObject({ decision: 'approve', status: 'interval_not_elapsed' });
    expect(stderr).toContain('run interval (10 min) not elapsed');
    expect(project.logs()).toEqual([]);
    project.writeState({ last_run_completed_at: project.minutesAgo(11), branch: 'feat' });
    expect(project.stopHook().status).toBe('passed');
  });

  it('may be broken, which is said', () => {
    passed(9);
    project.rig.writeHome(HOME_FILE, 'stop_hook: [\n');
    const { json, stderr } = project.run();
    expect(json).toMatchObject({ status: 'interval_not_elapsed' });
    expect(stderr).toContain('.config/agent-gauntlet/config.yml');
  });
});

it('a lock that is there lets the turn end', () => {
  given('false').rig.write('gauntlet_logs/.gauntlet-run.lock', String(process.pid));
  const { json, stderr } = project.run();
  expect(json).toMatchObject({ decision: 'approve', status: 'lock_exists' });
  expect(stderr).toContain('A gauntlet run is already in progress');
  expect(project.logs()).toEqual([]);
});

describe('the form of the answer', () => {
  it('has these keys, in this order', () => {
    expect(Object.keys(failing())).toEqual([
      'decision',
      'status',
      'message',
      'reason',
      'stopReason',
      'systemMessage',
    ]);
    expect(Object.keys(project.stopHook(ACTIVE))).toEqual(['decision', 'status', 'message']);
    project.check('command: "true"\n');
    expect(Object.keys(project.stopHook())).toEqual(['decision', 'status', 'message', 'systemMessage']);
  });

  it('tells in a hold what failed, where it is written, and what to do', () => {
    const { decision, status, reason = '', message } = failing();
    expect([decision, status]).toEqual(['block', 'failed']);
    expect(message).toBe(
      '✗ Gauntlet failed — issues must be fixed before stopping. 1 gate did not pass: check:src:c.',
    );
    const path = /\*\*Console log:\*\* `([^`]+)` \(read it/.exec(reason)?.[1] ?? '';
    expect(isAbsolute(path) && existsSync(path)).toBe(true);
    expect(path).toBe(join(project.rig.repo, 'gauntlet_logs', 'console.1.log'));
    expect(reason).toMatch(/\*\*Review trust level: medium\*\* — fix .* skip /s);
    for (const words of [
      'GAUNTLET FAILED',
      '1 gate did not pass: check:src:c.',
      '    something is off',
      `Log: ${join(project.rig.repo, 'gauntlet_logs', 'check_src_c.1.log')}`,
      'This was run 1 of 4; 3 retries left.',
      'YOU MUST FIX ISSUES NOW',
      'cannot stop',
      'automatically re-run',
      '"status": "fixed"',
      '"status": "skipped"',
      '"result"',
      '"Review: <path>"',
      '`.log`',
      '`.json`',
      '"Status: Passed"',
      '"Status: Passed with warnings"',
      '"Status: Retry limit exceeded"',
      '`agent-gauntlet clean`',
    ])
      expect(reason).toContain(words);
    expect(reason).not.toContain('agent-gauntlet run');
  });
});

describe('the words for each outcome', () => {
  // No output is parsed and no status translated: a gate may print whatever it likes.
  it.each([
    ['echo "No applicable gates"', 'passed'],
    ['echo "Status: Passed"; false', 'failed'],
    ['echo "Status: Passed with warnings"; false', 'failed'],
    ['echo "Status: Retry limit exceeded"; false', 'failed'],
  ])('a gate that does `%s` has %s', (command, status) => {
    expect(given(command).stopHook().status).toBe(status);
  });

  it('no gate applies', () => {
    given('false').config('', '[{ path: elsewhere, checks: [c] }]');
    expect(project.stopHook()).toMatchObject({
      status: 'no_applicable_gates',
      message: '✓ No applicable gates for these changes.',
    });
  });

  it('the retries are used up: a person may have to look', () => {
    given('false').config('max_retries: 0');
    expect(project.stopHook().message).toMatch(/Retry limit exceeded .* A person may have to look/);
    expect(project.stopHook().message).toMatch(/Retry limit exceeded: run 2 .* Human input required/);
  });

  it('the gates rest', () => {
    given('true').stopHook();
    expect(project.stopHook()).toMatchObject({
      status: 'interval_not_elapsed',
      message: expect.stringMatching(
        /run interval \(10 min\) not elapsed .*; (?:10 min 0|9 min 5\d) s left\.$/,
      ),
    });
  });

  it.each([
    ['a missing program', 'no-such-program-here --all', 'Missing command: no-such-program-here'],
    ['a directory that is gone', './gone', 'Missing command: ./gone'],
  ])('%s', (_name, command, detail) => {
    const { decision, status, message } = given(command).stopHook();
    expect([decision, status]).toEqual(['approve', 'infrastructure_error']);
    expect(message).toContain(detail);
  });

  it('logs that cannot be written', () => {
    given('true').rig.write('gauntlet_logs', 'a file where a directory has to be\n');
    const { decision, status, message } = project.stopHook();
    expect([decision, status]).toEqual(['approve', 'error']);
    expect(message).toMatch(/^⚠ Stop hook error — .*gauntlet_logs/);
  });
});
