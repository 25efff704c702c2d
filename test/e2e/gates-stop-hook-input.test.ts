import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventsIn } from './events';
import { fakeReviewer } from './fake-reviewer';
import { commandFile, runNow } from './rig';
import { ALWAYS, type StopHookProject, stopHookProject } from './stop-hook-project';

let project: StopHookProject;
const given = (command: string): StopHookProject => {
  project = stopHookProject(command);
  return project;
};
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  project.rig.remove();
});

interface Answered {
  readonly status: string;
  readonly ms: number;
}

/** Calls the command with a stream that gets these pieces and is never closed. */
function open(stream: 'socket' | 'pipe', pieces: readonly string[], env = {}): Promise<Answered> {
  const node = [process.execPath, commandFile('agent-gauntlet'), 'stop-hook'];
  const options = { cwd: project.rig.repo, env: project.rig.environment(env) };
  // Node gives its children sockets, a shell pipes. `cat` goes on until its own input is closed.
  const [command, ...args] = stream === 'socket' ? node : ['/bin/sh', '-c', 'cat | "$@"', 'sh', ...node];
  const child = spawn(command ?? '', args, options);
  children.push(child);
  const begun = performance.now();
  void (async () => {
    for (const piece of pieces) {
      child.stdin.write(piece);
      await new Promise((next) => setTimeout(next, 30));
    }
  })();
  let printed = '';
  return new Promise((resolve) => {
    let ms = 0;
    child.stdout.on('data', (data) => {
      printed += data;
      if (!printed.endsWith('\n')) return;
      ms = performance.now() - begun;
      child.stdin.end();
    });
    child.on('close', () => resolve({ ...JSON.parse(printed), ms }));
  });
}

describe.each(['socket', 'pipe'] as const)('standard input that stays open, as a %s', (stream) => {
  it('is not waited for while the hook is active already', async () => {
    given('false');
    const { status, ms } = await open(stream, [], { GAUNTLET_STOP_HOOK_ACTIVE: '1' });
    expect(status).toBe('stop_hook_active');
    expect(ms).toBeLessThan(5000);
  });

  it('is read to the end of the JSON value, in whatever pieces that comes', async () => {
    given('true');
    const whole = JSON.stringify({ stop_hook_active: true, last_assistant_message: 'ü}\n{' }, null, 2);
    const pieces = [
      whole.slice(0, 3),
      whole.slice(3, whole.indexOf('}') + 1),
      whole.slice(whole.indexOf('}') + 1),
    ];
    const { status, ms } = await open(stream, [...pieces, '\n']);
    expect(status).toBe('stop_hook_active');
    expect(ms).toBeLessThan(5000);
  });

  it('is given up after five seconds', async () => {
    given('false');
    const { status, ms } = await open(stream, ['{"stop_hook_active": fal']);
    expect(status).toBe('invalid_input');
    expect(ms).toBeGreaterThan(4500);
    expect(ms).toBeLessThan(20_000);
  });
});

describe('where it looks for the project', () => {
  it.each([
    ['a directory below the root', (repo: string) => ({ cwd: join(repo, 'src') })],
    ['the root, in a link-free way', (repo: string) => ({ cwd: repo })],
  ])('in the input: %s', (_name, input) => {
    given('echo $PWD > ../where; true');
    const answer = project.stopHook(input(project.rig.repo), { cwd: project.rig.dir });
    expect(answer.status).toBe('passed');
    expect(project.logs('previous')).toContain('check_src_c.1.log');
  });

  it('relative to its own directory, where the input says so', () => {
    expect(given('true').stopHook({ cwd: 'w/src' }, { cwd: project.rig.dir }).status).toBe('passed');
  });

  it('upward from its own directory, where the input says nothing', () => {
    expect(given('true').stopHook('{}', { cwd: join(project.rig.repo, 'src') }).status).toBe('passed');
  });

  it('not at its own directory, where the input names another', () => {
    given('false');
    expect(project.stopHook({ cwd: project.rig.tmp }).status).toBe('no_config');
  });

  it('and says so, if nothing is left of the one that the session began in', () => {
    given('true');
    const { rig, stopEvent } = project;
    rig.hook(eventsIn(rig).start('startup'));
    for (const name of ['.git', '.gauntlet']) rmSync(join(rig.repo, name), { recursive: true });
    const { status, message } = project.stopHook(stopEvent());
    expect([status, message]).toEqual(['error', expect.stringContaining('were removed')]);
  });

  it('and says so, if config lies there without a repository', () => {
    given('true');
    rmSync(join(project.rig.repo, '.git'), { recursive: true });
    const { status, message } = project.stopHook();
    expect(status).toBe('error');
    expect(message).toContain(`${join(project.rig.repo, '.gauntlet', 'config.yml')} is ignored`);
  });

  it('nowhere, where its own directory is gone', () => {
    given('true');
    const gone = join(project.rig.tmp, 'gone');
    mkdirSync(gone);
    const command = `exec "${process.execPath}" "${commandFile('agent-gauntlet')}" stop-hook`;
    const script = `cd ${gone} && rmdir ${gone} && ${command}`;
    const env = project.rig.environment();
    const { stdout } = spawnSync('/bin/sh', ['-c', script], { env, input: '{}', encoding: 'utf8' });
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'approve' });
  });

  it('with the same answer under its other name, and for our own config', () => {
    given('true');
    rmSync(join(project.rig.repo, '.gauntlet'), { recursive: true });
    project.rig.write(
      '.holdpoint/config.yaml',
      'gates:\n  entry_points: [{ path: src, checks: [c] }]\n  checks: { c: { command: "false" } }\n',
    );
    const options = { cwd: project.rig.repo, env: project.rig.environment() };
    const { json } = runNow('holdpoint', ['gates', 'stop-hook'], '{}', options);
    expect(json).toMatchObject({ decision: 'block', status: 'failed' });
  });
});

describe('what is no end of a turn', () => {
  it.each(['SubagentStop', 'PreToolUse'])('%s runs nothing', (name) => {
    const { decision, status } = given('false').stopHook({ hook_event_name: name });
    expect([decision, status]).toEqual(['approve', 'no_applicable_gates']);
    expect(project.logs()).toEqual([]);
  });

  it.each([
    ['a subagent', { agent_id: 'a1', agent_type: 'Explore' }],
    ['an agent that only plans', { permission_mode: 'plan' }],
  ])('%s is not held', (_name, more) => {
    given('false');
    expect(project.stopHook(project.stopEvent(more)).status).toBe('no_applicable_gates');
  });
});

describe('switches', () => {
  it.each([
    ['the environment', '', '', { GAUNTLET_STOP_HOOK_ENABLED: '0' }, 'stop_hook_disabled'],
    [
      'the environment, in other words',
      '',
      '',
      { GAUNTLET_STOP_HOOK_ENABLED: ' False ' },
      'stop_hook_disabled',
    ],
    ['the project', 'stop_hook: { enabled: false }', '', {}, 'stop_hook_disabled'],
    ['the person', '', 'stop_hook: { enabled: false }\n', {}, 'stop_hook_disabled'],
    ['HOLDPOINT_DISABLE', '', '', { HOLDPOINT_DISABLE: '1' }, 'stop_hook_disabled'],
    [
      'the environment before the project',
      'stop_hook: { enabled: false }',
      '',
      { GAUNTLET_STOP_HOOK_ENABLED: 'true' },
      'failed',
    ],
    [
      'the project before the person',
      'stop_hook: { enabled: true }',
      'stop_hook: { enabled: false }\n',
      {},
      'failed',
    ],
    ['nothing, where the word means nothing', '', '', { GAUNTLET_STOP_HOOK_ENABLED: 'maybe' }, 'failed'],
    ['nothing, where it is empty', '', '', { GAUNTLET_STOP_HOOK_ACTIVE: '' }, 'failed'],
    ['any value of the older switch', '', '', { GAUNTLET_STOP_HOOK_ACTIVE: '0' }, 'stop_hook_active'],
  ])('by %s', (_name, config, global, env, status) => {
    given('false').config(config);
    if (global !== '') project.rig.writeHome('.config/agent-gauntlet/config.yml', global);
    const answer = project.stopHook(undefined, { env });
    expect(answer.status).toBe(status);
    expect(answer.message.length).toBeGreaterThan(5);
  });

  it.each([
    ['a gate that is wrong', (p: StopHookProject) => p.check('comand: x\n'), {}],
    [
      'a file that does not parse',
      (p: StopHookProject) => p.rig.write('.gauntlet/checks/d.yml', 'a: [\n'),
      {},
    ],
    [
      'a main file that does not parse',
      (p: StopHookProject) => p.rig.write('.gauntlet/config.yml', 'a: [\n'),
      { GAUNTLET_STOP_HOOK_ENABLED: '0' },
    ],
  ])('work beside %s', (_name, breakIt, env) => {
    given('true').config('stop_hook: { enabled: false }');
    breakIt(project);
    expect(project.stopHook(undefined, { env }).status).toBe('stop_hook_disabled');
  });

  it('do not hide a config that cannot be read', () => {
    given('true').rig.write('.gauntlet/config.yml', 'a: [\n');
    const { json, stderr } = project.run();
    expect(json).toMatchObject({ decision: 'approve', status: 'error' });
    expect(JSON.stringify(json)).toContain('.gauntlet/config.yml:');
    expect(stderr).toContain('.gauntlet/config.yml:');
  });
});

describe('the time between two runs', () => {
  const passed = (more: object = {}): StopHookProject => {
    given('false').writeState({
      last_run_completed_at: project.minutesAgo(5),
      branch: 'feat',
      last_status: 'passed',
      ...more,
    });
    return project;
  };

  it.each(['-1', '1.5', '10abc', ''])('is not changed by %j in the environment', (minutes) => {
    const env = { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: minutes };
    expect(passed().stopHook(undefined, { env }).status).toBe('interval_not_elapsed');
  });

  it.each([
    ['0 in the environment', {}, { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: '0' }],
    ['less in the environment', {}, { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: ' 4 ' }],
    ['a run that failed', { last_status: 'failed' }, {}],
    ['a run that could not be done', { last_status: 'infrastructure_error' }, {}],
    ['another branch', { branch: 'main' }, {}],
    ['a time that is none', { last_run_completed_at: 'yesterday' }, {}],
    ['a time to come', { last_run_completed_at: '2999-01-01T00:00:00.000Z' }, {}],
    ['no time at all', { last_run_completed_at: undefined }, {}],
  ])('does not count with %s', (_name, state, env) => {
    expect(passed(state).stopHook(undefined, { env }).status).toBe('failed');
  });

  it('does not count with a state that cannot be read', () => {
    given('false').writeState('{bad');
    expect(project.stopHook().status).toBe('failed');
  });

  it('counts after a run of the older program, unless that left logs', () => {
    passed({ last_status: undefined });
    expect(project.stopHook().status).toBe('interval_not_elapsed');
    project.rig.write('gauntlet_logs/check_src_c.1.log', 'Result: fail\n');
    expect(project.stopHook().status).toBe('failed');
  });

  it('after a run of the older program ends for the hook when a file changes', () => {
    passed({ last_status: undefined });
    expect(project.stop().json).toMatchObject({ status: 'interval_not_elapsed' });
    const { session_id: session } = project.stopEvent();
    project.rig.hook({ ...eventsIn(project.rig).start('startup'), session_id: session });
    project.rig.write('src/a.txt', 'changed in the session\n');
    expect(project.stop().json).toMatchObject({ decision: 'block', status: 'failed' });
  });

  it('gives way to a run that goes on, and not to one that was killed', () => {
    passed().rig.write('gauntlet_logs/.gauntlet-run.lock', String(process.pid));
    expect(project.stopHook().status).toBe('lock_exists');
    project.rig.write('gauntlet_logs/.gauntlet-run.lock', '4194303');
    expect(project.stopHook().status).toBe('interval_not_elapsed');
  });

  it('ends when a package changes, unless git ignores it', () => {
    given('true').stopHook();
    project.rig.write('.gitignore', 'gauntlet_logs\nnode_modules\n');
    project.rig.write('src/node_modules/x/index.js', '1\n');
    expect([project.stopHook().status, project.stopHook().status]).toEqual([
      'passed',
      'interval_not_elapsed',
    ]);
    project.rig.write('src/node_modules/x/index.js', '2\n');
    expect(project.stopHook().status).toBe('interval_not_elapsed');
    project.rig.write('.gitignore', 'gauntlet_logs\n');
    expect([project.stopHook().status, project.stopHook().status]).toEqual([
      'passed',
      'interval_not_elapsed',
    ]);
    project.rig.write('src/node_modules/x/index.js', '3\n');
    expect(project.stopHook().status).toBe('passed');
  });

  it('begins anew with `clean`', () => {
    given('true').stopHook();
    project.rig.write('gauntlet_logs/console.2.log', '');
    expect(project.gauntlet(['clean']).exitCode).toBe(0);
    expect(project.stopHook().status).toBe('passed');
  });
});

describe('retries', () => {
  it('end with the limit, and stay at it without a run', () => {
    given('false');
    const statuses = Array.from({ length: 5 }, () => project.stopHook().status);
    expect(statuses).toEqual(['failed', 'failed', 'failed', 'retry_limit_exceeded', 'retry_limit_exceeded']);
    expect(project.logs()).toContain('check_src_c.4.log');
    expect(project.logs().filter((name) => name.includes('.5.'))).toEqual([]);
  });

  it('begin anew in another turn with other work', () => {
    given('false').config('max_retries: 1');
    const statusIn = (prompt: string): string =>
      project.stopHook(project.stopEvent({ prompt_id: prompt })).status;
    expect([statusIn('p1'), statusIn('p1')]).toEqual(['failed', 'retry_limit_exceeded']);
    expect(statusIn('p2')).toBe('retry_limit_exceeded');
    project.rig.write('src/a.txt', 'three\n');
    expect(statusIn('p1')).toBe('retry_limit_exceeded');
    expect(statusIn('p3')).toBe('failed');
    expect(project.state()['run']).toBe(1);
  });

  it('are not used up by stops at which nothing ran', () => {
    given('false').rig.git('checkout', '--quiet', '--', '.');
    expect(project.stopHook().status).toBe('no_changes');
    project.rig.write('src/a.txt', 'two\n');
    expect(project.stopHook().reason).toContain('This was run 1 of 4');
  });
});

describe('`stop_hook.reverify`', () => {
  it('verifies a fix in the same turn, and says so', () => {
    given('grep -q good a.txt').config('stop_hook: { reverify: true }');
    expect(project.stopHook().reason).toContain('When you stop, the gates are automatically re-run');
    expect(project.stopHook({ stop_hook_active: true }).status).toBe('failed');
    project.rig.write('src/a.txt', 'good\n');
    expect(project.stopHook({ stop_hook_active: true }).status).toBe('passed');
  });

  it('is not promised where it is off', () => {
    expect(given('false').stopHook().reason).toContain('Your next stop in this turn is not checked');
  });
});

describe('what is missing', () => {
  it('reviewers: the stop is allowed, and the one that was wanted is named', () => {
    given('true').config('', '[{ path: src, reviews: [q] }]');
    project.rig.write('.gauntlet/reviews/q.md', '---\nnum_reviews: 1\n---\nBe strict.\n');
    const { path } = fakeReviewer(project.rig, 'somebody-else');
    const { decision, status, message } = project.stopHook(undefined, { env: { PATH: path } });
    expect([decision, status]).toEqual(['approve', 'infrastructure_error']);
    expect(message).toContain('claude');
  });

  it('parts of the installation: the stop is allowed, in the form that is expected', () => {
    given('false');
    const lonely = join(project.rig.tmp, 'hook.cjs');
    copyFileSync(commandFile('hook'), lonely);
    const options = { env: project.rig.environment(), input: '{}', encoding: 'utf8' } as const;
    const { stdout, status } = spawnSync(process.execPath, [lonely, 'stop-hook'], options);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      decision: 'approve',
      status: 'error',
      message: expect.stringContaining('the installation is broken'),
    });
  });
});

describe('the debug log', () => {
  it('has a line for every stop', () => {
    given('true').config('debug_log: { enabled: true }');
    project.stopHook();
    project.stopHook();
    project.check('command: "false"\n');
    project.stopHook(undefined, { env: ALWAYS });
    const lines = (project.log('.debug.log') ?? '').split('\n').filter((line) => line.includes('STOP_HOOK'));
    expect(lines.map((line) => line.replace(/^\[[^\]]+\] /, ''))).toEqual([
      'STOP_HOOK decision=allow reason=passed',
      'STOP_HOOK decision=allow reason=interval_not_elapsed',
      'STOP_HOOK decision=block reason=failed',
    ]);
    expect(project.log('.debug.log')).toContain('] COMMAND stop-hook\n');
  });
});
