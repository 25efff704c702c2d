import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { at, type HostDocument, heldBecause, runNow } from './rig';
import { ALWAYS, type StopHookProject, stopHookProject } from './stop-hook-project';

let project: StopHookProject;
const given = (command: string): StopHookProject => {
  project = stopHookProject(command);
  return project;
};
afterEach(() => project.rig.remove());

const AGAIN = { stop_hook_active: true };
const status = (more?: HostDocument, env = {}): unknown => at(project.stop(more, { env }).json, 'status');

describe('a stop in a project with gates', () => {
  it('is held with the report beside the reason', () => {
    given('echo off by one; false');
    const { json, exitCode, stderr } = project.stop();
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(json).toMatchObject({ decision: 'block', status: 'failed' });
    expect(at(json, 'stopReason')).toBe(at(json, 'reason'));
    const reason = String(at(json, 'reason'));
    expect(reason).toContain('stop, the gates are automatically re-run to verify your fixes');
    expect(reason).toContain('    off by one');
    expect(reason).not.toContain('agent-gauntlet run');
    const id = /holdpoint why (\S+)`$/.exec(reason)?.[1] ?? '';
    const why = project.rig.holdpoint(['why', id]).stdout;
    expect(why).toContain('.gauntlet/checks/c.yml:1:1');
    expect(why).toContain('Exited with code 1');
    expect(why).toContain('GAUNTLET_STOP_HOOK_ENABLED=0');
  });

  it('is allowed with a report', () => {
    expect(given('true').stop()).toMatchObject({
      exitCode: 0,
      stderr: '',
      json: {
        decision: 'approve',
        status: 'passed',
        message: '✓ Gauntlet completed successfully — All gates passed.',
      },
    });
  });

  it('is verified again after a fix, and let go', () => {
    given('grep -q good a.txt');
    expect(status()).toBe('failed');
    expect(status(AGAIN)).toBe('failed');
    project.rig.write('src/a.txt', 'good\n');
    expect(status(AGAIN)).toBe('passed');
    expect(project.logs()).toEqual(['previous']);
  });

  it('sees what was committed after it was held', () => {
    given('grep -q good a.txt');
    expect(status()).toBe('failed');
    project.rig.git('commit', '-qam', 'hide it');
    expect(status(AGAIN)).toBe('failed');
    project.rig.write('src/a.txt', 'good\n');
    project.rig.git('commit', '-qam', 'mend it');
    expect(status(AGAIN)).toBe('passed');
  });

  it('sees it even where the base is the branch that is worked on', () => {
    given('grep -q good a.txt').config('base_branch: feat');
    expect(status()).toBe('failed');
    project.rig.git('commit', '-qam', 'hide it');
    expect(status(AGAIN)).toBe('failed');
  });

  it('is let go at the limit, and the person is told', () => {
    given('false').config('max_retries: 1');
    expect([status(), status(AGAIN)]).toEqual(['failed', 'retry_limit_exceeded']);
    const { json } = project.stop(AGAIN);
    expect(json).toMatchObject({ decision: 'approve', status: 'retry_limit_exceeded' });
    expect(at(json, 'systemMessage')).toContain('Retry limit exceeded');
  });

  it('is let go at the cap of the host, however many retries there may be', () => {
    given('false').config('max_retries: 20');
    const decisions = Array.from({ length: 8 }, (_, count) => {
      return at(project.stop(count === 0 ? {} : AGAIN).json, 'decision');
    });
    expect(decisions).toEqual([...Array(7).fill('block'), 'approve']);
    const { json } = project.stop(AGAIN);
    expect(json).toMatchObject({
      status: 'retry_limit_exceeded',
      message: expect.stringContaining('let this turn end although gates would hold it'),
    });
  });

  it('runs no gate a second time on the same files', () => {
    given('echo once >> ../../count').check('command: "echo once >> ../../count"\n');
    expect([status({}, ALWAYS), status({}, ALWAYS)]).toEqual(['passed', 'passed']);
    expect(project.logs('previous')).toEqual(['check_src_c.1.log', 'console.1.log']);
  });

  it.each([
    ['a subagent', { agent_id: 'a1', agent_type: 'Explore' }],
    ['a subagent in its own event', { hook_event_name: 'SubagentStop', agent_id: 'a1' }],
    ['a planning agent', { permission_mode: 'plan' }],
  ])('is not held for %s', (_name, more) => {
    given('false');
    expect(at(project.stop(more).json, 'decision')).not.toBe('block');
    expect(project.logs()).toEqual([]);
  });

  it('passes in silence inside of a reviewer', () => {
    given('false');
    expect(project.stop({}, { env: { GAUNTLET_STOP_HOOK_ACTIVE: '1' } }).stdout).toBe('');
  });

  it('does not ask the gates where another guard alone is called', () => {
    given('false');
    const options = { cwd: project.rig.repo, env: project.rig.environment() };
    const input = JSON.stringify(project.stopEvent());
    expect(runNow('hook', ['--only', 'requirements'], input, options).stdout).toBe('');
    expect(project.logs()).toEqual([]);
    expect(runNow('hook', ['--only', 'gates'], input, options).json).toMatchObject({ status: 'failed' });
  });
});

describe('beside the other guards', () => {
  const PLAN = '{inherit: false, requirements: {plan: {enabled: true, scope: session, stop_only: true}}}\n';
  const edit = (): unknown =>
    project.rig.hook({
      ...project.stopEvent(),
      hook_event_name: 'PreToolUse',
      tool_name: 'Edit',
      tool_input: { file_path: join(project.rig.repo, 'src/a.txt'), old_string: 'a', new_string: 'b' },
      tool_use_id: 't1',
    });

  it('requirements hold first, and no gate runs until they are met', () => {
    given('false').rig.write('.claude/requirements.yaml', PLAN);
    edit();
    const held = project.stop();
    expect(heldBecause(held)).toContain('plan');
    expect(at(held.json, 'status')).toBeUndefined();
    expect(project.logs()).toEqual([]);
    project.rig.req(['satisfy', 'plan', '--session', String(project.stopEvent()['session_id'])]);
    expect(status(AGAIN)).toBe('failed');
  });

  const startLoop = (): void => {
    const { exitCode } = project.rig.holdpoint(['loop', 'start', '--max', '3', 'Go on'], {
      env: { CLAUDE_CODE_SESSION_ID: String(project.stopEvent()['session_id']) },
    });
    expect(exitCode).toBe(0);
  };

  it('gates run while a loop is live; if they pass, only its own bytes are printed', () => {
    given('true');
    startLoop();
    const { stdout, exitCode } = project.stop({ last_assistant_message: 'more to do' });
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/^\{"decision": "block", "reason": "\[ITERATION 2\/3\][^"]+"\}\n$/);
    expect(project.logs('previous')).toContain('check_src_c.1.log');
  });

  it('a loop does not count a stop that the gates hold', () => {
    given('false');
    startLoop();
    const held = project.stop({ last_assistant_message: 'more to do' });
    expect(held).toMatchObject({ exitCode: 0, json: { status: 'failed' } });
    project.check('command: "true"\n');
    const { stdout } = project.stop({ ...AGAIN, last_assistant_message: 'still more' });
    expect(stdout).toContain('[ITERATION 2/3]');
  });
});

describe('trouble', () => {
  it.each([
    ['a config that is wrong', (p: StopHookProject) => p.check('comand: x\n'), 'error'],
    [
      'a program that is missing',
      (p: StopHookProject) => p.check('command: no-such-program\n'),
      'infrastructure_error',
    ],
  ])('with %s lets go, and is told to everybody', (_name, breakIt, expected) => {
    given('true');
    breakIt(project);
    const { json, stderr } = project.stop();
    expect(json).toMatchObject({ decision: 'approve', status: expected });
    expect(at(json, 'systemMessage')).toBe(at(json, 'message'));
    expect(stderr).toContain('gates could not finish');
    expect(project.rig.holdpoint(['log']).stdout).toMatch(
      /error .*effect\.failed: gates could not finish \(/,
    );
    const start = {
      ...project.stopEvent(),
      hook_event_name: 'SessionStart',
      source: 'startup',
      session_id: 'b',
    };
    expect(JSON.stringify(project.rig.hook(start).json)).toContain('some events were not checked');
  });

  it('in one gate does not let the others go', () => {
    given('false').config('', '[{ path: src, checks: [c, d] }]');
    project.check('comand: x\n', 'd');
    expect(heldBecause(project.stop())).toContain('check:src:c');
    project.check('command: "true"\n');
    for (let call = 0; call < 2; call++) {
      const { json } = project.stop();
      expect(json).toMatchObject({ decision: 'approve', status: 'error' });
      expect(at(json, 'message')).toMatch(
        /checks\/d\.yml:1:1: unknown key.*The other gates: All gates passed\.$/s,
      );
    }
    project.check('command: "true"\n', 'd');
    expect(project.stop({}, { env: ALWAYS }).json).toMatchObject({ status: 'passed' });
  });

  it('with the program of one gate is no failure of Holdpoint if another gate ran', () => {
    given('true').config('', '[{ path: src, checks: [c, d] }]');
    project.check('command: no-such-program\n', 'd');
    const { json, stderr } = project.stop();
    expect(json).toMatchObject({ decision: 'approve', status: 'infrastructure_error' });
    expect(at(json, 'systemMessage')).toBe(at(json, 'message'));
    expect(stderr).not.toContain('could not finish');
    expect(project.rig.holdpoint(['status']).stdout).not.toContain('could not finish');
  });

  it('holds the end of the turn once where `on_error` says so', () => {
    given('true').rig.write('.holdpoint/config.yaml', 'guards: {gates: {on_error: hold}}\n');
    project.rig.write('.git/index', 'no index');
    expect(heldBecause(project.stop())).toContain('gates');
    expect(project.stop({ stop_hook_active: true }).json).not.toHaveProperty('reason');
  });

  it('leaves both the beginning and the end of a run in the journal', () => {
    given('true').stop();
    const log = project.rig.holdpoint(['log', '--all']).stdout;
    expect(log).toMatch(/started .*Stop .*run started/);
    expect(log).toMatch(/passed .*Stop/);
  });

  it('explains without running anything', () => {
    given('false');
    project.rig.write('../tmp/stop.json', JSON.stringify(project.stopEvent()));
    const { stdout } = project.rig.holdpoint(['explain', join(project.rig.tmp, 'stop.json')]);
    expect(stdout).toMatch(/would run +gates: .*\ndecision +not known before that has run\n/);
    expect(stdout).not.toContain('would print');
    expect(project.logs()).toEqual([]);
  });
});
