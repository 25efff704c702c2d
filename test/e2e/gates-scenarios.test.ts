import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GatesRig, makeGatesRig } from './gates-project';

/*
 * What users of the older program rely on, scenario by scenario: a clone on branch `feat`, whose `src/a.txt` has
 * changed and has a check `c`. The numbers are those under which the scenarios are known; 14 and a part of 15,
 * about input that stays open, stand with the tests of the stop hook's input.
 */

let rig: GatesRig;
beforeEach(() => {
  rig = makeGatesRig();
});
afterEach(() => rig.remove());

const FAILS = { c: 'command: "false"\n' };
const PASSES = { c: 'command: "true"\n' };
const ACTIVE = { stop_hook_active: true };
const INTERVAL = 'GAUNTLET_STOP_HOOK_INTERVAL_MINUTES';
const REVIEW = 'entry_points: [{ path: src, reviews: [q] }]';
const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const logText = (name: string): string => readFileSync(rig.logFile(name), 'utf8');
const keep = (state: object | string): void =>
  rig.write('gauntlet_logs/.execution_state', typeof state === 'string' ? state : JSON.stringify(state));
const passedAgo = (minutes: number): void =>
  keep({ last_run_completed_at: minutesAgo(minutes), branch: 'feat' });
const hookStatuses = (count: number): string[] => Array.from({ length: count }, () => rig.stopHook().status);

const reviewer = (violations: readonly object[]): void => {
  rig.write('.gauntlet/reviews/q.md', 'Look.\n');
  rig.gates({}, REVIEW);
  const answer = JSON.stringify({ status: 'fail', violations });
  rig.program('claude', `cat > /dev/null\ncat <<'END'\nI looked:\n\`\`\`json\n${answer}\n\`\`\`\nEND`);
};
const found = (file: string, line: number, issue: string): object => ({
  file,
  line,
  issue,
  priority: 'high',
  status: 'new',
});

describe('the end of a turn', () => {
  it('scenario 1: in an empty directory', () => {
    expect(rig.stopHook('{"stop_hook_active":false}', {}, rig.tmp)).toMatchObject({
      decision: 'approve',
      status: 'no_config',
    });
    expect(readdirSync(rig.tmp)).toEqual([]);
  });

  it('scenario 2: a check that passes', () => {
    rig.gates(PASSES);
    expect(rig.stopHook()).toMatchObject({ decision: 'approve', status: 'passed' });
    expect(rig.logs('previous')).toEqual(['check_src_c.1.log', 'console.1.log']);
    const keys = ['last_run_completed_at', 'branch', 'commit', 'working_tree_ref'];
    expect(Object.keys(rig.state())).toEqual(expect.arrayContaining(keys));
    expect(rig.state()['branch']).toBe('feat');
    expect(readdirSync(rig.logFile())).not.toContain('.gauntlet-run.lock');
  });

  it('scenarios 3 and 4: the interval after a pass, and who may shorten it', () => {
    rig.gates(PASSES);
    expect(hookStatuses(2)).toEqual(['passed', 'interval_not_elapsed']);
    for (const value of ['-1', '1.5', '10abc'])
      expect(rig.stopHook(undefined, { [INTERVAL]: value }).status).toBe('interval_not_elapsed');
    expect(rig.stopHook(undefined, { [INTERVAL]: '0' }).status).toBe('passed');
  });

  it.each([
    ['15 minutes ago', () => passedAgo(15)],
    ['at no date', () => keep({ last_run_completed_at: 'never', branch: 'feat' })],
    ['in broken JSON', () => keep('{')],
    ['without saying when', () => keep({ branch: 'feat' })],
  ])('scenario 5: a last run %s is none that one rests after', (_name, prepare) => {
    rig.gates(PASSES);
    prepare();
    expect(rig.stopHook().status).toBe('passed');
  });

  it('scenario 6: a check that fails', () => {
    rig.gates(FAILS);
    const { decision, status, reason = '' } = rig.stopHook();
    expect([decision, status]).toEqual(['block', 'failed']);
    for (const words of [
      'GAUNTLET FAILED',
      'YOU MUST FIX ISSUES NOW',
      'cannot stop',
      'automatically re-run',
      `**Console log:** \`${rig.logFile('console.1.log')}\``,
      'Review trust level: medium',
      '`.log`',
      '`.json`',
      'Review: <path>',
      '"status": "fixed"',
      '"status": "skipped"',
      '"result"',
      'Status: Passed',
      'Status: Passed with warnings',
      'Status: Retry limit exceeded',
      'agent-gauntlet clean',
    ])
      expect(reason).toContain(words);
    expect(reason).not.toContain('agent-gauntlet run');
    expect(logText('check_src_c.1.log')).toMatch(/Result: fail - Exited with code 1\n$/);
  });

  it('scenario 7: while the hook is active nothing runs', () => {
    rig.gates(FAILS);
    rig.stopHook();
    expect(rig.stopHook(ACTIVE)).toMatchObject({ decision: 'approve', status: 'stop_hook_active' });
    expect(rig.logs()).not.toContain('console.2.log');
  });

  it('scenario 9: three retries', () => {
    rig.gates(FAILS, 'max_retries: 3');
    const [limit, failed] = ['retry_limit_exceeded', 'failed'];
    expect(hookStatuses(5)).toEqual([failed, failed, failed, limit, limit]);
    expect(rig.logs()).toContain('check_src_c.4.log');
    expect(rig.logs()).not.toContain('check_src_c.5.log');
  });

  it('scenario 10: no retries', () => {
    rig.gates(FAILS, 'max_retries: 0');
    const { exitCode, stderr } = rig.gauntlet(['run']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Status: Retry limit exceeded');
  });

  it('scenario 11: while another run goes on', () => {
    rig.gates(FAILS);
    rig.write('gauntlet_logs/.gauntlet-run.lock', String(process.pid));
    expect(rig.stopHook()).toMatchObject({ decision: 'approve', status: 'lock_exists' });
    for (const verb of ['run', 'check']) {
      const { exitCode, stderr } = rig.gauntlet([verb]);
      expect(exitCode).toBe(3);
      expect(stderr).toContain(rig.logFile('.gauntlet-run.lock'));
    }
    expect(rig.logs()).toEqual([]);
  });

  it.each(['{bad', ''])('scenario 15: input that is %j', (text) => {
    rig.gates(FAILS);
    expect(rig.stopHook(text)).toMatchObject({ decision: 'approve', status: 'invalid_input' });
  });

  it.each([
    ['the environment', '', '', { GAUNTLET_STOP_HOOK_ENABLED: '0' }, 'stop_hook_disabled'],
    ['the project', 'stop_hook: { enabled: false }', '', {}, 'stop_hook_disabled'],
    ['the person', '', 'stop_hook: { enabled: false }\n', {}, 'stop_hook_disabled'],
    ['none', 'stop_hook: { enabled: false }', '', { GAUNTLET_STOP_HOOK_ENABLED: 'true' }, 'failed'],
    ['none, by a word that means nothing', '', '', { GAUNTLET_STOP_HOOK_ENABLED: 'maybe' }, 'failed'],
  ])('scenario 16: switched off by %s', (_name, project, person, env, status) => {
    rig.gates(FAILS, project);
    if (person !== '') rig.writeHome('.config/agent-gauntlet/config.yml', person);
    const line = rig.stopHook(undefined, env);
    expect(line.status).toBe(status);
    expect(line.message).not.toBe('');
  });

  it('scenario 17: the interval of the person', () => {
    rig.gates(PASSES);
    passedAgo(12);
    rig.writeHome('.config/agent-gauntlet/config.yml', 'stop_hook: { run_interval_minutes: 15 }\n');
    expect(rig.stopHook().message).toContain('run interval (15 min) not elapsed');
    rig.writeHome('.config/agent-gauntlet/config.yml', 'stop_hook: [\n');
    passedAgo(9);
    expect(rig.stopHook().message).toContain('run interval (10 min) not elapsed');
  });

  it('scenario 29: nobody to ask, and one without quota', () => {
    rig.write('.gauntlet/reviews/q.md', 'Look.\n');
    rig.gates({}, REVIEW);
    const line = rig.stopHook();
    expect(line).toMatchObject({ decision: 'approve', status: 'infrastructure_error' });
    expect(line.message).toContain('claude');
    rig.program('claude', 'cat > /dev/null; echo "You are out of usage" >&2; exit 1');
    rig.program('codex', `cat > /dev/null; echo '{"status":"pass"}'`);
    rig.gates({}, `cli: { default_preference: [claude, codex], check_usage_limit: true }\n${REVIEW}`);
    expect(rig.stopHook().status).toBe('passed');
    expect(rig.logs('previous')).toContain('review_src_q_codex@1.2.json');
  });
});

describe('runs and their files', () => {
  it('scenario 19: another branch', () => {
    rig.gates(FAILS);
    rig.gauntlet(['run']);
    rig.git('checkout', '--quiet', '-b', 'other');
    rig.write('src/a.txt', 'three\n');
    expect(rig.gauntlet(['run']).stderr).toContain('branch changed');
    expect(rig.logs()).toEqual(['check_src_c.1.log', 'console.1.log', 'previous']);
    expect(rig.logs('previous')).toEqual(['check_src_c.1.log', 'console.1.log']);
  });

  it('scenario 21: clean', () => {
    rig.gates(PASSES);
    expect(rig.gauntlet(['clean']).exitCode).toBe(0);
    expect(readdirSync(rig.repo)).not.toContain('gauntlet_logs');
    rig.write('gauntlet_logs/previous/old.log', '');
    rig.gauntlet(['clean']);
    expect(rig.logs('previous')).toEqual(['old.log']);
    rig.write('gauntlet_logs/new.1.log', '');
    rig.write('gauntlet_logs/.debug.log', 'kept\n');
    rig.gauntlet(['clean']);
    expect(rig.logs('previous')).toEqual(['new.1.log']);
    expect(logText('.debug.log')).toContain('kept\n');
  });

  it('scenario 22: numbers and names', () => {
    rig.write('gauntlet_logs/review_src_q_claude@1.2.log', 'of the older program\n');
    rig.write('.gauntlet/reviews/q.md', '---\nnum_reviews: 2\n---\nLook.\n');
    const more = 'cli: { default_preference: [claude, gemini] }';
    rig.gates(
      { lint: 'command: "false"\n' },
      `${more}\nentry_points: [{ path: src, checks: [lint], reviews: [q] }]`,
    );
    for (const name of ['claude', 'gemini']) rig.program(name, `cat > /dev/null; echo '{"status":"pass"}'`);
    rig.gauntlet(['run']);
    expect(rig.logs()).toEqual(
      expect.arrayContaining(['check_src_lint.3.log', 'review_src_q_gemini@2.3.log', 'console.3.log']),
    );
  });

  it.each([
    ['packages/*', "exclude: ['**/*.md'],", ['packages/a/x.ts', 'packages/b/r.md'], ['packages/a']],
    ['app', '', ['apple/x'], []],
    ['.', "exclude: ['**/*.md'],", ['r.md', 'a/r.md'], []],
    ['docs/**/*.md', '', ['docs/a/b.md', 'docs/c.txt'], ['docs/**/*.md']],
  ])('scenario 23: entry point %s', (path, exclude, changed, entries) => {
    rig.gates(PASSES, `entry_points: [{ path: ${JSON.stringify(path)}, ${exclude} checks: [c] }]`);
    rig.commitToBase();
    for (const file of changed) rig.write(file, 'x\n');
    const { gates } = rig.gauntlet(['detect', '--json']).json as { gates: { entry_point: string }[] };
    expect(gates.map((gate) => gate.entry_point)).toEqual(entries);
  });

  it('scenario 24: fail_fast', () => {
    rig.gates({ c: 'command: x\nfail_fast: true\nparallel: true\n' });
    expect(rig.gauntlet(['validate']).exitCode).toBe(1);
    rig.gates({
      s1: 'command: exit 3\nfail_fast: true\n',
      s2: 'command: touch ../s2\n',
      p1: 'command: sleep 1; touch ../p1\nparallel: true\n',
      c: 'command: "true"\n',
    });
    expect(rig.gauntlet(['run']).exitCode).toBe(1);
    expect(readdirSync(rig.repo)).toContain('p1');
    expect(readdirSync(rig.repo)).not.toContain('s2');
  });

  it('scenario 25: findings inside of the difference and outside', () => {
    rig.write('src/a.txt', 'two\nthree\n');
    reviewer([found('src/a.txt', 1, 'A'), found('src/a.txt', 2, 'B'), found('src/a.txt', 99, 'C')]);
    const { exitCode, stderr } = rig.gauntlet(['run']);
    const file = 'review_src_q_claude@1.1.json';
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`Review: ${rig.logFile(file)}`);
    const kept = JSON.parse(logText(file)) as { violations: object[]; rawOutput: string };
    expect(kept).toMatchObject({ status: 'fail', adapter: 'claude' });
    expect(kept.violations).toHaveLength(2);
    expect(kept.rawOutput).toContain('I looked:');
    expect(kept.rawOutput).toContain('"issue":"C"');
    expect(logText('review_src_q_claude@1.1.log')).toContain('1 out-of-scope violations filtered');
  });

  it('scenario 27: everything skipped with reasons', () => {
    reviewer([found('src/a.txt', 1, 'A')]);
    rig.gauntlet(['run']);
    const file = rig.logFile('review_src_q_claude@1.1.json');
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { violations: object[] };
    const violations = kept.violations.map((one) => ({ ...one, status: 'skipped', result: 'Is meant so' }));
    writeFileSync(file, JSON.stringify({ ...kept, violations }));
    rig.program('claude', `cat > /dev/null; echo '{"status":"pass"}'`);
    const { exitCode, stderr } = rig.gauntlet(['run']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('⊘ Skipped: review:src:q (claude@1) - src/a.txt:1 - A\n    Reason: Is meant so');
    expect(stderr).toContain('Status: Passed with warnings');
    expect(rig.state()['last_status']).toBe('passed_with_warnings');
    expect(rig.logs()).toEqual(['previous']);
  });
});

describe('scenario 30', () => {
  it('init -y writes its files once', () => {
    rig.program('claude', 'true');
    expect(rig.gauntlet(['init', '-y']).exitCode).toBe(0);
    for (const file of ['config.yml', 'reviews/code-quality.md', 'run_gauntlet.md'])
      expect(lstatSync(join(rig.repo, '.gauntlet', file)).isFile()).toBe(true);
    const command = join(rig.repo, '.claude/commands/gauntlet.md');
    expect(readlinkSync(command)).toBe('../../.gauntlet/run_gauntlet.md');
    const before = rig.git('status', '--porcelain', '-uall');
    expect(rig.gauntlet(['init', '-y']).exitCode).toBe(0);
    expect(rig.git('status', '--porcelain', '-uall')).toBe(before);
  });

  it('the stop hook is installed once, beside those of others', () => {
    rig.gates(PASSES);
    const other = { hooks: [{ type: 'command', command: 'other' }] };
    rig.write('.claude/settings.local.json', JSON.stringify({ hooks: { Stop: [other] } }));
    for (let call = 0; call < 2; call++) rig.gauntlet(['init', '-y', '--stop-hook']);
    const ours = { hooks: [{ type: 'command', command: 'agent-gauntlet stop-hook', timeout: 300 }] };
    expect(rig.readJson('.claude/settings.local.json')).toEqual({ hooks: { Stop: [other, ours] } });
  });

  it('check fails with a gate, and runs on a build server', () => {
    rig.gates(FAILS);
    expect(rig.gauntlet(['check']).exitCode).toBe(1);
    expect(rig.gauntlet(['check'], { CI: 'true' }).stderr).toContain('[FAIL]  check:src:c');
  });
});
