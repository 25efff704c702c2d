import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { processState } from '../../src/exec/processes';
import { at, startsTold } from './rig';
import { ALWAYS, type StopHookProject, stopHookProject, until } from './stop-hook-project';

let project: StopHookProject;
const given = (command: string): StopHookProject => {
  project = stopHookProject(command);
  return project;
};
afterEach(() => project.rig.remove());

/** Tells its processes, then waits for something that does not come. */
const LONG = 'sleep 60 & echo "$$ $!" > ../../tmp/pids.tmp; mv ../../tmp/pids.tmp ../../tmp/pids; wait';
const pidsFile = (): string => join(project.rig.tmp, 'pids');
const pids = (): number[] => readFileSync(pidsFile(), 'utf8').trim().split(' ').map(Number);
const lock = (): string => join(project.rig.repo, 'gauntlet_logs', '.gauntlet-run.lock');
const journal = (): string =>
  readFileSync(join(project.rig.repo, '.git', 'holdpoint', 'journal.jsonl'), 'utf8');

const COMMANDS = ['agent-gauntlet', 'hook'] as const;

describe.each(COMMANDS)('a run of %s that is ended from outside', (command) => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s lets go, and leaves nothing', async (signal) => {
    given(LONG);
    const { kill, ended } = project.start(command, project.stopEvent());
    await until(() => existsSync(pidsFile()));
    expect(existsSync(lock())).toBe(true);
    kill(signal);
    const { json, exitCode } = await ended;
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({ decision: 'approve', status: 'error' });
    expect(at(json, 'message')).toContain('Interrupted by a signal');
    expect(pids().map((pid) => processState(pid))).toEqual(['dead', 'dead']);
    expect(existsSync(lock())).toBe(false);
    expect(project.log('.execution_state')).toBeUndefined();
    expect(journal()).toContain('Interrupted by a signal');
    project.check('command: "true"\n');
    expect(project.stopHook()).toMatchObject({ status: 'passed' });
  });

  it.each(['stop', 'run'])(
    'by SIGKILL leaves no process, and the next %s takes over and tells',
    async (next) => {
      given(LONG);
      const { kill, ended, pid } = project.start(command, project.stopEvent());
      await until(() => existsSync(pidsFile()));
      kill('SIGKILL');
      expect((await ended).signal).toBe('SIGKILL');
      await until(() => pids().every((one) => processState(one) === 'dead'));
      expect(existsSync(lock())).toBe(true);
      expect(journal()).toContain(`run started by process ${pid}`);
      expect(project.rig.holdpoint(['status']).stdout).toContain('the last run was killed');
      project.check('command: "true"\n');
      const { exitCode, stderr } = next === 'stop' ? project.stop() : project.gauntlet(['run']);
      expect(exitCode).toBe(0);
      expect(stderr).toContain(`an earlier run of the gates (process ${pid}, started `);
      expect(existsSync(lock())).toBe(false);
      expect(project.stop({ prompt_id: 'p2' }, { env: ALWAYS }).stderr).toBe('');
    },
  );

  it.each(['', 'rm -f ../gauntlet_logs/.gauntlet-run.lock; '])(
    'by its own check (%j) holds the next turn, before the check runs again',
    async (first) => {
      given(`${first}kill -9 $PPID; sleep 60`);
      const stop = (more = {}) => project.start(command, project.stopEvent(more)).ended;
      expect((await stop()).signal).toBe('SIGKILL');
      const { json } = await stop({ prompt_id: 'p2' });
      expect(json).toMatchObject({ decision: 'block', status: 'failed' });
      expect(at(json, 'reason')).toContain('if a check ends other processes');
      expect(at(json, 'systemMessage')).toContain('was killed before it finished');
      expect((await stop({ prompt_id: 'p3' })).signal).toBe('SIGKILL');
      project.check('command: "true"\n');
      expect((await stop({ prompt_id: 'p4' })).json).toMatchObject({ decision: 'block' });
      expect((await stop({ prompt_id: 'p5' })).json).toMatchObject({ decision: 'approve', status: 'passed' });
    },
  );
});

describe('calls while a run goes on', () => {
  const WAITS = 'while [ ! -e ../../tmp/go ]; do sleep 0.05; done';
  const goOn = (): void => writeFileSync(join(project.rig.tmp, 'go'), '');

  it('of agent-gauntlet’s command do not wait for it, and are one run with it', async () => {
    given(WAITS);
    const runs = [1, 2, 3].map(() => project.start('agent-gauntlet', project.stopEvent()));
    let going = runs.length;
    for (const { ended } of runs) void ended.then(() => going--);
    await until(() => going === 1);
    goOn();
    const answers = (await Promise.all(runs.map(({ ended }) => ended))).map(({ json }) => json);
    expect(answers.every((json) => at(json, 'decision') === 'approve')).toBe(true);
    const statuses = answers.map((json) =>
      String(at(json, 'status')).replace('lock_conflict', 'lock_exists'),
    );
    expect(statuses.sort()).toEqual(['lock_exists', 'lock_exists', 'passed']);
    expect(project.logs('previous')).toEqual(['check_src_c.1.log', 'console.1.log']);
  });

  it('of the hook wait for it and for each other, so that no turn ends unchecked', async () => {
    given(`${WAITS}; false`);
    const run = project.start('agent-gauntlet');
    await until(() => existsSync(lock()));
    const stops = ['s1', 's2'].map((session_id) => project.start('hook', project.stopEvent({ session_id })));
    setTimeout(goOn, 500);
    for (const { ended } of stops)
      expect((await ended).json).toMatchObject({ decision: 'block', status: 'failed' });
    await run.ended;
  });
});

describe('what a run costs', () => {
  /** Every process that we start writes a line, and every git. */
  const counted = (): { env: Record<string, string>; started: () => string[] } => {
    const { tmp } = project.rig;
    const file = join(tmp, 'started');
    const hook = join(tmp, 'count.cjs');
    writeFileSync(hook, startsTold(file));
    const git = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const bin = join(tmp, 'counting');
    mkdirSync(bin);
    const told = `printf '%s' "$*" | sed 's/-c [^ ]* //g; s/ .*//; s/^/git /' >> '${file}'; echo >> '${file}'`;
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${told}\nexec '${git}' "$@"\n`, { mode: 0o755 });
    return {
      env: { NODE_OPTIONS: `--require ${hook}`, PATH: `${bin}:${process.env['PATH']}` },
      started: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []),
    };
  };
  /** Each is told by us and by itself. */
  const LOOK = ['add', 'write-tree', 'diff-index'].flatMap((command) => ['git', `git ${command}`]);
  const GUARDIAN = '/bin/sh';

  it('is five processes with one check that runs', () => {
    given('true');
    const { env, started } = counted();
    expect(project.stopHook(undefined, { env }).status).toBe('passed');
    expect(started()).toEqual([...LOOK, GUARDIAN, '/bin/sh']);
  });

  it('is no gate where nothing has changed since it passed', () => {
    given('true').stopHook();
    const { env, started } = counted();
    expect(project.stopHook(undefined, { env: { ...env, ...ALWAYS } }).status).toBe('passed');
    expect(started()).toEqual(LOOK);
  });

  it.each([
    ['without config', '{}', 'no_config'],
    ['while it is active', '{"stop_hook_active":true}', 'stop_hook_active'],
    ['in the interval', '{}', 'interval_not_elapsed'],
  ])('is no process at all %s', (_name, input, status) => {
    given('true').stopHook();
    const { env, started } = counted();
    const cwd = status === 'no_config' ? project.rig.tmp : project.rig.repo;
    expect(project.stopHook(input, { env, cwd }).status).toBe(status);
    expect(started()).toEqual([]);
  });
});
