import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { GatesConfig } from '../../src/guards/gates/config';
import { isBlockingStatus } from '../../src/guards/gates/report';
import type { RunResult } from '../../src/guards/gates/run-result';
import { check, gates, makeGatesProject } from '../guards/gates/run/gates-project';
import { fakeReviewer } from './fake-reviewer';
import { ALWAYS, type Printed, type StopHookProject, stopHookProject } from './stop-hook-project';

/*
 * The scenarios of the older program's specification of its stop hook, under their own names. Where two of them
 * contradict each other, the one that was settled upon is tested; a comment says which.
 */

let project: StopHookProject;
const given = (command: string): StopHookProject => {
  project = stopHookProject(command);
  return project;
};
afterEach(() => project.rig.remove());

const failing = (): Printed => given('echo something is off; false').stopHook();
const reasonOf = ({ stopReason = '' }: Printed): string => stopReason;
const ACTIVE = { stop_hook_active: true };

describe('Stop Hook Protocol Compliance', () => {
  it('Valid hook input', () => {
    given('false');
    const elsewhere = join(project.rig.dir, 'tmp');
    const input = { hook_event_name: 'Stop', session_id: 's', transcript_path: '', cwd: project.rig.repo };
    expect(project.stopHook({ ...input, stop_hook_active: false }, { cwd: elsewhere }).status).toBe('failed');
    expect(project.stopHook({ ...input, ...ACTIVE }, { cwd: elsewhere }).status).toBe('stop_hook_active');
  });

  it.each([
    ['invalid', '{bad'],
    ['empty', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"x"'],
  ])('Missing or invalid JSON: %s', (_name, text) => {
    given('false');
    expect(project.stopHook(text)).toMatchObject({ decision: 'approve', status: 'invalid_input' });
  });
});

describe('Infinite Loop Prevention', () => {
  it('stop_hook_active is true', () => {
    failing();
    expect(project.stopHook(ACTIVE)).toMatchObject({ decision: 'approve', status: 'stop_hook_active' });
    expect(project.logs()).toEqual(['check_src_c.1.log', 'console.1.log']);
  });

  it('stop_hook_active is false', () => {
    expect(given('true').stopHook({ stop_hook_active: false }).status).toBe('passed');
  });
});

describe('Gauntlet Project Detection', () => {
  it('No gauntlet config exists', () => {
    given('false');
    const empty = join(project.rig.dir, 'tmp');
    expect(project.stopHook({ stop_hook_active: false }, { cwd: empty })).toEqual({
      decision: 'approve',
      status: 'no_config',
      message: '○ Not a gauntlet project — no gates are configured here.',
    });
    expect(project.logs()).toEqual([]);
  });

  it('Gauntlet config exists', () => {
    expect(given('true').stopHook().status).toBe('passed');
    expect(project.logs('previous')).toEqual(['check_src_c.1.log', 'console.1.log']);
  });
});

describe('Gauntlet Execution', () => {
  it('Direct function invocation: the gate is a child of the very process that was called', () => {
    given('echo $PPID > ../parent');
    const { ended, pid } = project.start('agent-gauntlet');
    return ended.then(({ json }) => {
      expect(json).toMatchObject({ status: 'passed' });
      expect(Number(project.rig.readJson('parent'))).toBe(pid);
    });
  });

  it('Silent mode execution', () => {
    given('echo loud; echo louder >&2');
    const { stdout, stderr } = project.run();
    expect(stdout).not.toContain('loud');
    expect(stderr).toBe('');
    expect(project.log('previous/check_src_c.1.log')).toContain('louder');
    expect(project.log('previous/console.1.log')).toContain('[PASS]  check:src:c');
  });

  it('Gauntlet execution error', () => {
    given('false').check('comand: "false"\n');
    const { decision, status, message } = project.stopHook();
    expect([decision, status]).toEqual(['approve', 'error']);
    expect(message).toContain('.gauntlet/checks/c.yml:1:1');
  });
});

describe('Unified Status Type', () => {
  it.each(['Direct status usage', 'No status mapping'])('%s: the run tells the same word', () => {
    given('false');
    const { status } = project.stopHook();
    const told = JSON.parse(project.gauntlet(['run', '--json']).stdout) as { status: string };
    expect(told.status).toBe(status);
  });

  it('Blocking determination', () => {
    given('true');
    const all = [
      'passed',
      'passed_with_warnings',
      'no_applicable_gates',
      'no_changes',
      'failed',
      'retry_limit_exceeded',
      'lock_exists',
      'lock_conflict',
      'infrastructure_error',
      'error',
      'no_config',
      'stop_hook_active',
      'stop_hook_disabled',
      'interval_not_elapsed',
      'invalid_input',
    ] as const;
    expect(all.filter(isBlockingStatus)).toEqual(['failed']);
  });
});

describe('Run Executor Function', () => {
  const executed = async (more: Partial<GatesConfig> = {}): Promise<RunResult> => {
    const own = makeGatesProject();
    try {
      return await own.run(gates([check('c', 'false')], more));
    } finally {
      own.remove();
    }
  };

  it('No process.exit in executor: whoever calls goes on', async () => {
    given('true');
    expect([(await executed()).status, (await executed({ maxRetries: 0 })).status]).toEqual([
      'failed',
      'retry_limit_exceeded',
    ]);
  });

  it('RunResult contains metadata', async () => {
    given('true');
    const { status, message, consoleLogPath } = await executed();
    expect([status, message]).toEqual(['failed', '1 gate did not pass: check:src:c.']);
    expect(consoleLogPath).toMatch(/^\/.*\/gauntlet_logs\/console\.1\.log$/);
    const { errorMessage, ...refused } = await executed({ baseBranch: 'none', logDir: '/dev/null/logs' });
    expect(refused).toMatchObject({ status: 'error', message: errorMessage });
    expect(errorMessage).toContain('/dev/null/logs');
  });
});

describe('Status-Based Decision Making', () => {
  it('Status passed', () => {
    expect(given('true').stopHook()).toMatchObject({ decision: 'approve', status: 'passed' });
  });

  it('Status passed_with_warnings', () => {
    given('true').config('', '[{ path: src, reviews: [q] }]');
    const reviewer = fakeReviewer(project.rig, 'claude');
    project.rig.write('.gauntlet/reviews/q.md', '---\nnum_reviews: 1\n---\nBe strict.\n');
    reviewer.finds([{ file: 'src/a.txt', line: 1, issue: 'Too short', priority: 'high', status: 'new' }]);
    const env = { ...ALWAYS, PATH: reviewer.path };
    expect(project.stopHook(undefined, { env }).status).toBe('failed');
    reviewer.markAll(join(project.rig.repo, 'gauntlet_logs', 'review_src_q_claude@1.1.json'), 'skipped');
    reviewer.findsNothing();
    expect(project.stopHook(undefined, { env })).toMatchObject({
      decision: 'approve',
      status: 'passed_with_warnings',
    });
  });

  it('Status retry_limit_exceeded', () => {
    given('false').config('max_retries: 0');
    expect(project.stopHook()).toMatchObject({ decision: 'approve', status: 'retry_limit_exceeded' });
  });

  it('Status failed', () => {
    expect(failing()).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('GAUNTLET FAILED'),
    });
  });
});

describe('Block Decision Output', () => {
  it('Block with reason', () => {
    const { reason, status, message } = failing();
    expect(status).toBe('failed');
    expect(reason).toContain('1 gate did not pass: check:src:c.');
    expect(message).toBe(
      '✗ Gauntlet failed — issues must be fixed before stopping. 1 gate did not pass: check:src:c.',
    );
  });

  it('Output format', () => {
    given('false');
    const { stdout } = project.run();
    expect(stdout).toMatch(/^\{"decision":"block","status":"failed","message":".+","reason":".+"\}\n$/);
  });
});

describe('Execution State Tracking', () => {
  const recorded = (): void => {
    const { last_run_completed_at: at, branch, commit, working_tree_ref: tree } = project.state();
    expect(Math.abs(Date.now() - Date.parse(String(at)))).toBeLessThan(60_000);
    expect(branch).toBe('feat');
    expect(commit).toBe(project.rig.git('rev-parse', 'HEAD'));
    expect(project.rig.git('cat-file', '-t', String(tree))).toBe('tree');
  };

  it('State file written on successful run', () => {
    given('true').stopHook();
    recorded();
    expect(project.log('.gauntlet-run.lock')).toBeUndefined();
  });

  it('State file written on failed run', () => {
    failing();
    recorded();
  });

  it('State file cleared on clean: the command does, the automatic one after a pass does not', () => {
    given('true').stopHook();
    expect(project.log('.execution_state')).toBeDefined();
    project.check('command: "false"\n');
    project.stopHook(undefined, { env: ALWAYS });
    expect(project.gauntlet(['clean']).exitCode).toBe(0);
    expect(project.log('.execution_state')).toBeUndefined();
    expect(project.log('previous/.execution_state')).toBeDefined();
  });
});

describe('Automatic Log Cleaning on Context Change', () => {
  it('Branch changed triggers auto-clean', () => {
    failing();
    project.rig.git('checkout', '--quiet', '-b', 'feature-b');
    expect(project.stopHook().status).toBe('failed');
    expect(project.logs()).toEqual(['check_src_c.1.log', 'console.1.log', 'previous']);
    expect(project.log('console.1.log')).toContain('Auto-clean: branch changed (feat → feature-b)');
    expect(project.state()).toMatchObject({ branch: 'feature-b', run: 1 });
  });

  it('Commit merged triggers auto-clean', () => {
    given('false');
    project.rig.git('commit', '-qam', 'work');
    project.stopHook();
    project.rig.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    project.rig.write('src/a.txt', 'three\n');
    expect(project.stopHook().status).toBe('failed');
    expect(project.log('console.1.log')).toContain('Auto-clean: commit merged');
    expect(project.state()['run']).toBe(1);
  });

  // An ancestor of the base that it was already when it was recorded has not been merged.
  it('No auto-clean when context unchanged', () => {
    failing();
    expect(project.stopHook().status).toBe('failed');
    expect(project.logs()).toContain('check_src_c.2.log');
    expect(project.log('console.2.log')).not.toContain('Auto-clean');
  });

  it('No auto-clean when no state file', () => {
    given('false').rig.write('gauntlet_logs/check_src_c.1.log', 'old\n');
    project.stopHook();
    expect(project.log('check_src_c.1.log')).toBe('old\n');
    expect(project.log('console.2.log')).not.toContain('Auto-clean');
  });
});

describe('Global Configuration', () => {
  const HOME_FILE = '.config/agent-gauntlet/config.yml';
  const passed = (minutes: number): void => {
    given('true').writeState({ last_run_completed_at: project.minutesAgo(minutes), branch: 'feat' });
  };

  it('Global config with stop hook interval', () => {
    passed(12);
    project.rig.writeHome(HOME_FILE, 'stop_hook:\n  run_interval_minutes: 15\n');
    const { status, message } = project.stopHook();
    expect(status).toBe('interval_not_elapsed');
    expect(message).toContain('run interval (15 min) not elapsed');
  });

  it('Global config missing', () => {
    passed(9);
    expect(project.stopHook().message).toContain('run interval (10 min) not elapsed');
    project.writeState({ last_run_completed_at: project.minutesAgo(11), branch: 'feat' });
    expect(project.stopHook().status).toBe('passed');
  });

  it('Global config invalid', () => {
    passed(9);
    project.rig.writeHome(HOME_FILE, 'stop_hook: [\n');
    const { json, stderr } = project.run();
    expect(json).toMatchObject({ status: 'interval_not_elapsed' });
    expect(stderr).toContain('.config/agent-gauntlet/config.yml');
  });
});

describe('Stop Hook Run Interval', () => {
  // Structured JSON for all outcomes has won over an empty standard output; the line on stderr is there.
  it('Interval not elapsed - skip run', () => {
    given('true').writeState({ last_run_completed_at: project.minutesAgo(5), branch: 'feat' });
    const { json, stderr } = project.run();
    expect(json).toMatchObject({ decision: 'approve', status: 'interval_not_elapsed' });
    expect(stderr).toContain('run interval (10 min) not elapsed');
    expect(project.logs()).toEqual([]);
  });

  it('Interval elapsed - run gauntlet', () => {
    given('true').writeState({ last_run_completed_at: project.minutesAgo(15), branch: 'feat' });
    expect(project.stopHook().status).toBe('passed');
  });

  it('No execution state - run gauntlet', () => {
    expect(given('true').stopHook().status).toBe('passed');
  });
});

describe('Stop Hook Lock Pre-Check', () => {
  it('Lock file exists - allow stop', () => {
    given('false').rig.write('gauntlet_logs/.gauntlet-run.lock', String(process.pid));
    const { json, stderr } = project.run();
    expect(json).toMatchObject({ decision: 'approve', status: 'lock_exists' });
    expect(stderr).toContain('A gauntlet run is already in progress');
    expect(project.logs()).toEqual([]);
  });

  it('Lock file does not exist - run gauntlet', () => {
    expect(given('true').stopHook().status).toBe('passed');
  });
});

describe('Enhanced Stop Reason Instructions', () => {
  it('Stop reason includes console log path', () => {
    const path = /\*\*Console log:\*\* `([^`]+)` \(read it/.exec(reasonOf(failing()))?.[1] ?? '';
    expect(isAbsolute(path) && existsSync(path)).toBe(true);
    expect(path).toBe(join(project.rig.repo, 'gauntlet_logs', 'console.1.log'));
  });

  it('Stop reason excludes manual re-run instruction', () => {
    expect(reasonOf(failing())).not.toContain('agent-gauntlet run');
  });

  it('Stop reason includes urgent fix directive', () => {
    const reason = reasonOf(failing());
    for (const words of ['GAUNTLET FAILED', 'YOU MUST FIX ISSUES NOW', 'cannot stop', 'automatically re-run'])
      expect(reason).toContain(words);
  });

  it('Stop reason includes trust level', () => {
    expect(reasonOf(failing())).toMatch(/\*\*Review trust level: medium\*\* — fix .* skip /s);
  });

  it('Stop reason includes violation handling', () => {
    const reason = reasonOf(failing());
    for (const words of [
      '"status": "fixed"',
      '"status": "skipped"',
      '"result"',
      '"Review: <path>"',
      '`.log`',
    ])
      expect(reason).toContain(words);
  });

  it('Stop reason includes termination conditions', () => {
    const reason = reasonOf(failing());
    for (const words of ['Passed', 'Passed with warnings', 'Retry limit exceeded'])
      expect(reason).toContain(`"Status: ${words}"`);
    expect(reason).toContain('`agent-gauntlet clean`');
  });
});

describe('Structured JSON Response for All Outcomes', () => {
  it('Response structure', () => {
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
});

describe('Status Codes for Approval Scenarios', () => {
  // No output is parsed and no status translated: a gate may print whatever it likes.
  it.each([
    ['Status precedence order', 'echo "No applicable gates"', 'passed'],
    ['Termination condition - passed (non-zero exit)', 'echo "Status: Passed"; false', 'failed'],
    [
      'Termination condition - passed with warnings (non-zero exit)',
      'echo "Status: Passed with warnings"; false',
      'failed',
    ],
    [
      'Termination condition - retry limit exceeded (non-zero exit)',
      'echo "Status: Retry limit exceeded"; false',
      'failed',
    ],
  ])('%s', (_name, command, status) => {
    expect(given(command).stopHook().status).toBe(status);
  });

  it('Gauntlet passed (exit code 0)', () => {
    const { message } = given('true').stopHook();
    expect(message).toBe('✓ Gauntlet completed successfully — All gates passed.');
  });

  it('No applicable gates', () => {
    given('false').config('', '[{ path: elsewhere, checks: [c] }]');
    expect(project.stopHook()).toMatchObject({
      status: 'no_applicable_gates',
      message: '✓ No applicable gates for these changes.',
    });
  });

  it('Termination condition - retry limit exceeded: human review may be needed', () => {
    given('false').config('max_retries: 0');
    expect(project.stopHook().message).toMatch(/Retry limit exceeded .* A person may have to look/);
    expect(project.stopHook().message).toMatch(/Retry limit exceeded: run 2 .* Human input required/);
  });

  it('Run interval not elapsed', () => {
    given('true').stopHook();
    expect(project.stopHook()).toMatchObject({
      status: 'interval_not_elapsed',
      message: expect.stringMatching(
        /run interval \(10 min\) not elapsed .*; (?:10 min 0|9 min 5\d) s left\.$/,
      ),
    });
  });

  it('Lock file exists', () => {
    given('false').rig.write('gauntlet_logs/.gauntlet-run.lock', String(process.pid));
    const { status, message } = project.stopHook();
    expect(status).toBe('lock_exists');
    expect(message).toContain('already in progress');
  });

  it.each([
    ['a missing program', 'no-such-program-here --all', 'Missing command: no-such-program-here'],
    ['a directory that is gone', 'true', 'Missing command: ./gone'],
  ])('Infrastructure error: %s', (_name, command, detail) => {
    given(command === 'true' ? './gone' : command);
    const { decision, status, message } = project.stopHook();
    expect([decision, status]).toEqual(['approve', 'infrastructure_error']);
    expect(message).toContain(detail);
  });

  it('No gauntlet configuration', () => {
    given('true');
    const { message } = project.stopHook('{}', { cwd: join(project.rig.dir, 'tmp') });
    expect(message).toContain('Not a gauntlet project');
  });

  it('Stop hook already active', () => {
    expect(given('true').stopHook(ACTIVE).message).toContain('to prevent an infinite loop');
  });

  it('Unexpected error', () => {
    given('true').rig.write('gauntlet_logs', 'a file where a directory has to be\n');
    const { decision, status, message } = project.stopHook();
    expect([decision, status]).toEqual(['approve', 'error']);
    expect(message).toMatch(/^⚠ Stop hook error — .*gauntlet_logs/);
  });

  it('Invalid hook input', () => {
    expect(given('true').stopHook('{bad').message).toContain('Hook input could not be parsed');
  });
});

describe('Block Status for Failed Gates', () => {
  it('Gates failed - block', () => {
    const { decision, status, reason = '', message } = failing();
    expect([decision, status]).toEqual(['block', 'failed']);
    expect(reason).toContain('    something is off');
    expect(reason).toContain(`Log: ${join(project.rig.repo, 'gauntlet_logs', 'check_src_c.1.log')}`);
    expect(reason).toContain('This was run 1 of 4; 3 retries are left.');
    expect(message.length).toBeLessThan(200);
  });
});
