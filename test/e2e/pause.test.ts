import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EDIT, eventsIn, KEY, OTHER_SESSION, SESSION } from './events';
import { at, deniedBecause, type Ended, heldBecause, makeRig, type Rig, runNow } from './rig';

const SILENT = { stdout: '', stderr: '', exitCode: 0 };

let rig: Rig;
afterEach(() => rig.remove());

const CONFIG = '.holdpoint/config.yaml';
const PAUSED = `.git/requirements/sessions/${KEY}.paused`;
const PLAN = 'requirements:\n  plan: {enabled: true, trigger_tools: [Edit]}\n';
const GATES =
  'gates: {checks: {t: {command: "touch ran; false"}}, entry_points: [{path: ".", checks: [t]}]}\n';

const on = () => eventsIn(rig);
const open = (config: string): void => {
  rig = makeRig(config, CONFIG);
  rig.hook(on().start('startup'), { env: { CLAUDE_PID: String(process.pid) } });
};
const edit = (more = {}): Ended => rig.hook(on().pre('Edit', EDIT, more));
const pause = (...more: string[]): Ended => rig.holdpoint(['pause', '--session', SESSION, ...more]);
const resume = (...more: string[]): Ended => rig.holdpoint(['resume', '--session', SESSION, ...more]);
const stop = (): Ended => rig.hook(on().stop(false));

describe.each([
  ['holdpoint pause', 'holdpoint'],
  ['req pause', 'req'],
] as const)('%s holds nothing in that session until it is resumed', (_name, program) => {
  const run = (verb: string): Ended => rig[program]([verb, '--session', SESSION]);

  it('by a requirement, while another session is held', () => {
    open(PLAN);
    deniedBecause(edit());
    expect(run('pause')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(edit()).toMatchObject(SILENT);
    expect(stop()).toMatchObject(SILENT);
    deniedBecause(edit({ session_id: OTHER_SESSION }));
    expect(run('resume')).toMatchObject({ exitCode: 0, stderr: '' });
    deniedBecause(edit());
  });

  it('by gates, which are not run', () => {
    open(GATES);
    rig.write('new.txt', 'x');
    run('pause');
    expect(stop()).toMatchObject(SILENT);
    expect(existsSync(join(rig.repo, 'ran'))).toBe(false);
    run('resume');
    heldBecause(stop());
    expect(existsSync(join(rig.repo, 'ran'))).toBe(true);
  });

  it('by a loop, which does not count', () => {
    open(PLAN);
    rig.holdpoint(['loop', 'start', '--session', SESSION, '--max', '5', 'go']);
    run('pause');
    expect(stop()).toMatchObject(SILENT);
    run('resume');
    expect(stop()).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('[ITERATION 2/5]') });
  });

  it('by a workflow, also in a project without a config', () => {
    rig = makeRig('');
    expect(rig.holdpoint(['flow', 'start', 'fix']).exitCode).toBe(0);
    const order = { subagent_type: 'software-developer', prompt: 'go', description: 'x' };
    const delegate = (): Ended => rig.hook(on().pre('Task', order));
    deniedBecause(delegate());
    run('pause');
    expect(delegate()).toMatchObject(SILENT);
    run('resume');
    deniedBecause(delegate());
  });
});

it('the gates’ own command says that they are paused', () => {
  open(GATES);
  rig.write('new.txt', 'x');
  pause();
  const told = runNow('holdpoint', ['gates', 'stop-hook'], JSON.stringify(on().stop(false)), {
    cwd: rig.repo,
    env: rig.environment(),
  });
  expect(told.json).toMatchObject({ decision: 'approve', status: 'stop_hook_disabled' });
  expect(existsSync(join(rig.repo, 'ran'))).toBe(false);
});

describe('a pause', () => {
  it('is over when its time is', () => {
    open(PLAN);
    pause('--for', '1s');
    expect(edit()).toMatchObject(SILENT);
    const mark = rig.readJson(PAUSED) as Record<string, string>;
    expect(Date.parse(mark['until'] ?? '') - Date.parse(mark['paused_at'] ?? '')).toBe(1000);
    rig.write(PAUSED, JSON.stringify({ ...mark, until: new Date(Date.now() - 1).toISOString() }));
    deniedBecause(edit());
    expect(rig.holdpoint(['status']).stdout).toMatch(/^Holdpoint on\n/);
    expect(rig.req(['status', '--session', SESSION]).stdout).not.toMatch(/paused/i);
  });

  it('ends with its session, also where there are no requirements', () => {
    open(GATES);
    pause();
    rig.hook(on().end());
    expect(existsSync(join(rig.repo, PAUSED))).toBe(false);
  });

  it('is told to a session that goes on: who, how long, and how it ends, but not to the agent', () => {
    open(PLAN);
    pause('--for', '2h');
    for (const source of ['resume', 'compact']) {
      const told = rig.hook(on().start(source)).json;
      expect(at(told, 'systemMessage')).toMatch(
        new RegExp(
          `^Holdpoint is paused by ${userInfo().username} until (?:\\w{3} \\d+ )?[\\d:]{5}\\. \`holdpoint resume\` ends it\\.$`,
        ),
      );
      expect(at(told, 'hookSpecificOutput', 'additionalContext')).toBe(
        'Holdpoint is paused in this session: nothing is held until a person resumes it.',
      );
    }
  });

  it('is shown to programs, explained, and kept in the log', () => {
    open(PLAN);
    expect(pause('--for', '90m', '--reason', 'release', '--json').json).toMatchObject({
      session: KEY,
      paused: true,
      reason: 'release',
      by: userInfo().username,
      until: expect.stringMatching(/Z$/),
    });
    const { json } = rig.holdpoint(['status', '--json']);
    expect(json).toMatchObject({
      state: 'paused',
      paused: { reason: 'release', by: userInfo().username },
      session_states: [{ id: KEY, state: 'paused' }],
    });
    expect(rig.req(['explain', 'Edit', '{}', '--session', SESSION]).stdout).toMatch(
      /^paused +this session by /m,
    );
    expect(resume('--json').json).toEqual({ session: KEY, paused: false, was_paused: true });
    expect(resume('--json').json).toMatchObject({ was_paused: false });
    const journal = rig.holdpoint(['log', '--json']).stdout;
    for (const event of ['holdpoint pause', 'holdpoint resume']) expect(journal).toContain(event);
  });

  it.each(['pause', 'resume'])('is not for an agent: %s', (verb) => {
    open(PLAN);
    for (const program of ['holdpoint', 'req'] as const) {
      const refused = rig[program]([verb, '--session', SESSION], { env: { CLAUDECODE: '1' } });
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
      expect(refused.stderr).toContain(`Only a person can ${verb} Holdpoint: ask the user to run`);
    }
    deniedBecause(edit());
  });

  it.each(['30', 'm', '0m', '-5m', '30 m', 'soon', '99999d', ''])('takes no --for %j', (time) => {
    open(PLAN);
    const refused = rig.holdpoint(['pause', '--session', SESSION, `--for=${time}`]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toMatch(/--for takes (?:a time such as 30m, 2h or 1h30m|at most 30d), not '/);
    deniedBecause(edit());
  });
});

describe('the session to pause', () => {
  it('is the only live one of the project', () => {
    open(PLAN);
    expect(rig.holdpoint(['pause']).stdout).toContain(`Holdpoint is paused in session ${KEY}.`);
    expect(edit()).toMatchObject(SILENT);
  });

  it('has to be given where several could be meant, from a list', () => {
    open(PLAN);
    rig.hook(on().start('startup', { session_id: OTHER_SESSION }), {
      env: { CLAUDE_PID: String(process.pid) },
    });
    const refused = rig.holdpoint(['pause']);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^Which session\? .*--session ID\.\nKnown sessions:\n {2}\w{8} +feature\/auth +\S/,
    );
    for (const key of [KEY, OTHER_SESSION.slice(0, 8)]) expect(refused.stderr).toContain(key);
  });

  it('is one that is known', () => {
    open(PLAN);
    const refused = rig.holdpoint(['pause', '--session', 'nobody']);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      new RegExp(`^holdpoint pause: unknown session 'nobody'\\.\\nKnown sessions:\\n {2}${KEY} `),
    );
  });

  it('is told to be missing where none is known', () => {
    rig = makeRig(PLAN, CONFIG);
    const refused = rig.holdpoint(['pause']);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('No session is known in this project');
  });
});
