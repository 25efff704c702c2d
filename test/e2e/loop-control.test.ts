import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventsIn, OTHER_SESSION, SESSION } from './events';
import { AS_OTHER, type LoopProject, loopProject, OWN_LOG, STORE_LOG, storeLines } from './loop-project';
import { at, type Ended, heldBecause } from './rig';

const FALLBACK = '.claude/idle-loop.local.md';
const FALLBACK_TEXT = '---\nactive: true\nmode: loop\niteration: 5\nmax_iterations: 10\n---\nthe task\n';
const LONG_AGO = '2020-01-01T00:00:00Z';
let project: LoopProject;

beforeEach(() => {
  project = loopProject();
});
afterEach(() => project.rig.remove());

/** A command that must succeed without a word of complaint. */
function loop(...args: string[]): Ended {
  const ended = project.loop(args);
  expect(ended, ended.stderr).toMatchObject({ exitCode: 0, stderr: '' });
  return ended;
}

function stop(text = 'working', session = SESSION): Ended {
  const { rig } = project;
  const more = { session_id: session, last_assistant_message: text, prompt_id: `p${Math.random()}` };
  return rig.hook(eventsIn(rig).stop(false, more));
}

const statusOf = (env?: Record<string, string>) =>
  project.loop(['status', '--json'], { ...(env && { env }) }).json;

/** A state as another program may have written it. */
const state = (more: object = {}): object => ({
  schema: 1,
  event: 'STATE',
  run_id: 'loop-1-1',
  updated_at: new Date().toISOString(),
  stack: [{ id: 'loop-1-1', mode: 'loop', iter: 2, max: 10 }],
  ...more,
});

describe('loop status', () => {
  const NONE = {
    active: false,
    event: null,
    reason: null,
    run_id: null,
    session_id: null,
    updated_at: null,
    stack: [],
  };

  it('says that there is none, with the same keys', () => {
    expect(loop('status', '--json').json).toEqual(NONE);
    expect(loop('status').stdout).toBe('No loop is active here.\n');
  });

  it.each(['.idle-disabled', '.git/.idle-disabled'])('names what switches it off: %s', (name) => {
    loop('start', 'x');
    project.rig.write(name, '');
    const path = join(project.rig.repo, name);
    expect(loop('status').stdout).toContain(`switched off by ${path}, iteration 1/10`);
    expect(loop('status', '--json').json).toMatchObject({ active: false, switched_off: path });
    rmSync(path);
    expect(loop('status', '--json').json).toMatchObject({ active: true });
  });

  it('names a switch in the state', () => {
    project.rig.write(STORE_LOG, storeLines([state({ session_id: SESSION, config: { disabled: true } })]));
    expect(loop('status', '--json').json).toMatchObject({
      active: false,
      switched_off: 'config.disabled in its state',
    });
  });

  it('does not count a loop as active that a newer state without a session has replaced', () => {
    const own = state({ session_id: SESSION });
    const done = state({ event: 'DONE', reason: 'COMPLETE', stack: [] });
    project.rig.write(STORE_LOG, storeLines([own, done]));
    expect(loop('status').stdout).toContain('No loop is active here.');
    expect(loop('status', '--json', '--all').json).toMatchObject({
      loops: [{ active: false }, { active: false }],
    });
  });

  it('gives the counts of a loop file as numbers, and its pause as it was given', () => {
    project.rig.write(
      '.claude/idle-loop.local.md',
      '---\nactive: true\niteration: 2\nmax_iterations: 9\n---\nx\n',
    );
    loop('pause', 'ask "Ann" in C:\\new');
    expect(loop('status', '--json').json).toMatchObject({
      stack: [{ iter: 2, max: 9 }],
      paused: 'ask "Ann" in C:\\new',
    });
  });

  it('has exactly the keys that scripts read', () => {
    loop('start', 'x');
    const { json } = loop('status', '--json');
    expect(Object.keys(json as object)).toEqual(Object.keys(NONE));
    const { run_id, updated_at, stack } = project.newest();
    expect(json).toEqual({
      active: true,
      event: 'STATE',
      reason: null,
      session_id: SESSION,
      run_id,
      updated_at,
      stack,
    });
  });

  it('shows at a glance how far it is, what is left and what ends it', () => {
    loop('start', '--max', '7', '--max-minutes=60', '--max-tokens=5000', '--verify', 'npm test', 'x');
    const { stdout } = loop('status');
    for (const part of [
      'cad0ac4d (this one): active, iteration 1/7 in mode loop',
      'started just now',
      '6 more iterations, 60 of 60 minutes, 5000 of 5000 tokens',
      'npm test',
      '<loop-done>COMPLETE</loop-done> on a line of its own',
      'holdpoint loop cancel',
      OWN_LOG,
    ])
      expect(stdout).toContain(part);
  });

  it('shows the outer frames of a stack', () => {
    loop('start', '--mode', 'grind', 'all');
    loop('start', '--push', '--issue', 'x-1', 'one');
    const { stdout } = loop('status');
    expect(stdout).toContain('iteration 1/10 in mode issue');
    expect(stdout).toMatch(/inside +iteration 1\/100 in mode grind/);
    expect(stdout).toContain('<issue-complete>DONE</issue-complete>');
  });

  it('tells how the last one ended', () => {
    loop('start', 'x');
    loop('cancel');
    expect(loop('status').stdout).toMatch(
      /^No loop is active here\.\n.*cad0ac4d ended: cancelled \(USER_CANCELLED\), just now/,
    );
    const ended = (reason: string) =>
      project.rig.write(
        STORE_LOG,
        storeLines([state({ session_id: SESSION, event: 'DONE', reason, stack: [] })]),
      );
    ended('MAX_ITERATIONS');
    expect(loop('status').stdout).toContain('ended: it reached its limit of iterations (MAX_ITERATIONS), ');
    ended('REASON_OF_ANOTHER');
    expect(loop('status').stdout).toContain('ended: DONE REASON_OF_ANOTHER, ');
  });

  it('says of a session without a loop that it has none, and not that nobody has', () => {
    loop('start', 'x');
    expect(loop('status', '--session', 'other').stdout).toBe('No loop is active in session other.\n');
    expect(loop('log', '--session', 'other').stdout).toBe('No loop has been started in session other.\n');
  });

  it('lists those of all sessions with --all, and asks for one with --session', () => {
    loop('start', '--max=3', 'x');
    project.loop(['start', '--max=4', 'y'], { env: AS_OTHER });
    const { json } = loop('status', '--json', '--all');
    expect(at(json, 'session_id')).toBe(SESSION);
    expect((at(json, 'loops') as object[]).map((one) => at(one, 'session_id'))).toEqual([
      OTHER_SESSION,
      SESSION,
    ]);
    expect(loop('status', '--session', OTHER_SESSION.slice(0, 8), '--json').json).toMatchObject({
      session_id: OTHER_SESSION,
    });
    const { stdout } = loop('status', '--session', OTHER_SESSION);
    expect(stdout).toContain('1/4');
    expect(stdout).not.toContain('1/3');
  });

  it('is part of the status of everything', () => {
    loop('start', '--max=3', 'x');
    const { stdout } = project.rig.holdpoint(['status']);
    expect(stdout).toMatch(/session cad0ac4d +active +iteration 1\/3 in mode loop/);
    expect(stdout).toMatch(/^Rules +loop \(off\)$/m);
    const { json } = project.rig.holdpoint(['status', '--json']);
    expect(at(json, 'loops')).toMatchObject([{ active: true, session_id: SESSION }]);
  });

  it('calls a state stale that nobody has touched for long', () => {
    project.rig.write(STORE_LOG, storeLines([state({ session_id: SESSION, updated_at: LONG_AGO })]));
    expect(statusOf()).toMatchObject({ active: false, event: 'STATE', stale: true });
    expect(loop('status').stdout).toContain('stale');
  });
});

describe('loop log', () => {
  it('says that there is nothing', () => {
    expect(loop('log').stdout).toBe('No loop has been started here.\n');
    expect(loop('log', '--json').stdout).toBe('');
  });

  it('shows what became of the loops, the newest last', () => {
    loop('start', '--max=3', 'x');
    loop('cancel');
    project.loop(['start', '--mode=grind', 'y'], { env: AS_OTHER });
    const lines = loop('log').stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/cad0ac4d +STATE +loop 1\/3/);
    expect(lines[1]).toMatch(/cad0ac4d +ABORT +USER_CANCELLED/);
    expect(lines[2]).toMatch(/aaaaaaaa +STATE +grind 1\/100/);
  });

  it('has a document a line, a limit and a session', () => {
    loop('start', 'x');
    loop('cancel');
    project.loop(['start', 'y'], { env: AS_OTHER });
    const entries = (...args: string[]): unknown[] =>
      loop('log', '--json', ...args)
        .stdout.trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    expect(entries()).toHaveLength(3);
    expect(entries('--limit', '1')).toMatchObject([{ state: { session_id: OTHER_SESSION } }]);
    expect(entries('--session', SESSION, '--limit=1')).toMatchObject([{ state: { event: 'ABORT' } }]);
    expect(at(entries()[0], 'id')).toMatch(/^[0-9A-Z]{26}$/);
  });

  it.each(['0', 'x', '-1', '1.5'])('refuses the limit %s', (limit) => {
    expect(project.loop(['log', `--limit=${limit}`])).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('shows what is no state as what it is', () => {
    project.rig.write(STORE_LOG, storeLines(['not\njson \u001b[31m', state()]));
    expect(loop('log').stdout).toContain('not a state: not json \\x1b[31m');
  });
});

describe('pause and resume', () => {
  it('a paused loop lets turns end, and goes on where it was', () => {
    loop('start', '--max=5', 'x');
    expect(heldBecause(stop())).toContain('[ITERATION 2/5]');
    expect(loop('pause', 'waiting for a review').stdout).toContain('paused');
    expect(statusOf()).toMatchObject({
      active: false,
      event: 'STATE',
      paused: { reason: 'waiting for a review' },
    });
    expect(stop()).toMatchObject({ exitCode: 0, stdout: '' });
    expect(loop('resume').stdout).toContain('iteration 2/5');
    expect(statusOf()).toMatchObject({ active: true });
    expect(project.newest()).not.toHaveProperty('paused');
    expect(heldBecause(stop())).toContain('[ITERATION 3/5]');
  });

  it('a loop that is paused already is named as such, beside others and by a person too', () => {
    loop('start', 'a');
    project.loop(['start', 'b'], { env: AS_OTHER });
    loop('pause');
    const again = project.loop(['pause', '--session', SESSION]);
    expect(again).toMatchObject({ exitCode: 1, stdout: '' });
    expect(again.stderr).toContain(`The loop of session ${SESSION} is already paused, at iteration 1/10`);
    expect(again.stderr).toContain('holdpoint loop resume');
    expect(again.stderr).not.toContain(OTHER_SESSION);
    loop('cancel', '--session', OTHER_SESSION);
    expect(project.person(['pause']).stderr).toContain('is already paused');
  });

  it('nothing is paused or resumed where nothing is', () => {
    expect(project.loop(['pause'])).toMatchObject({ exitCode: 1, stdout: '' });
    expect(project.loop(['resume'])).toMatchObject({ exitCode: 1, stdout: '' });
    loop('start', 'x');
    expect(project.loop(['resume'])).toMatchObject({ exitCode: 1, stdout: '' });
    expect(project.states()).toHaveLength(1);
  });

  it('a person at a terminal needs no session where there is one loop', () => {
    loop('start', 'x');
    expect(project.person(['pause']).exitCode).toBe(0);
    expect(project.person(['resume']).exitCode).toBe(0);
    expect(statusOf()).toMatchObject({ active: true, session_id: SESSION });
  });

  it('a new session takes over what an earlier one left, which then has it no more', () => {
    loop('start', '--max=5', 'x');
    loop('pause');
    const ended = project.loop(['resume'], { env: AS_OTHER });
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(statusOf(AS_OTHER)).toMatchObject({
      active: true,
      session_id: OTHER_SESSION,
      stack: [{ max: 5 }],
    });
    expect(statusOf()).toMatchObject({
      active: false,
      event: 'ABORT',
      reason: 'RESUMED_ELSEWHERE',
      stack: [],
    });
    expect(stop()).toMatchObject({ exitCode: 0, stdout: '' });
    expect(heldBecause(stop('working', OTHER_SESSION))).toContain('[ITERATION 2/5]');
  });

  it('an active loop of another session is taken over only by name', () => {
    loop('start', 'x');
    const offered = project.loop(['resume'], { env: AS_OTHER });
    expect(offered).toMatchObject({ exitCode: 1, stdout: '' });
    for (const part of [SESSION, '--from']) expect(offered.stderr).toContain(part);
    const ended = project.loop(['resume', '--from', SESSION], { env: AS_OTHER });
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(statusOf(AS_OTHER)).toMatchObject({ active: true });
    expect(statusOf()).toMatchObject({ active: false });
  });

  it('of several that could be meant none is guessed', () => {
    for (const id of ['one', 'two']) {
      loop('start', '--session', id, 'x');
      loop('pause', '--session', id);
    }
    const ended = project.loop(['resume']);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    for (const part of ['one', 'two', '--from']) expect(ended.stderr).toContain(part);
    expect(loop('resume', '--from', 'two').stdout).toContain('session two');
  });

  it('one that ends as stale is told of at the next start, and nobody reads that something was not checked', () => {
    const stack = [{ id: 'a', mode: 'loop', iter: 4, max: 9 }];
    project.rig.write(STORE_LOG, storeLines([state({ session_id: SESSION, updated_at: LONG_AGO, stack })]));
    const on = eventsIn(project.rig);
    expect(project.rig.hook(on.stop(false)).stderr).toContain('ended as stale');
    const { stdout } = project.rig.hook(on.start('startup'));
    expect(stdout).toMatch(/had a problem in an earlier session .*ended as stale/);
    expect(stdout).not.toContain('not checked');
  });

  it('a loop that went stale goes on from the stack that was kept, and pays nothing for the time', () => {
    const stack = [
      { id: 'a', mode: 'loop', iter: 4, max: 9, started_at: LONG_AGO, progress: { streak: 5 }, mine: 1 },
    ];
    const body = state({
      session_id: SESSION,
      event: 'DONE',
      reason: 'STALE',
      updated_at: LONG_AGO,
      stack: [],
      archived_stack: stack,
    });
    project.rig.write(STORE_LOG, storeLines([body]));
    loop('resume');
    const resumed = project.newest(STORE_LOG);
    expect(resumed).toMatchObject({ event: 'STATE', run_id: 'loop-1-1', session_id: SESSION });
    expect(resumed).not.toHaveProperty('archived_stack');
    expect(resumed).not.toHaveProperty('reason');
    expect(resumed.stack).toHaveLength(1);
    expect(resumed.stack[0]).toMatchObject({ iter: 4, max: 9, mine: 1 });
    expect(resumed.stack[0]).not.toHaveProperty('progress');
    expect(Math.abs(Date.parse(String(resumed.stack[0]?.['started_at'])) - Date.now())).toBeLessThan(60_000);
  });

  it('what came to its bound is not resumed', () => {
    project.rig.write(
      STORE_LOG,
      storeLines([state({ session_id: SESSION, event: 'DONE', reason: 'MAX_ITERATIONS', stack: [] })]),
    );
    expect(project.loop(['resume'])).toMatchObject({ exitCode: 1, stdout: '' });
  });
});

describe('loop cancel', () => {
  it('ends it with all its frames, and the turn with it', () => {
    loop('start', '--mode=grind', 'x');
    loop('start', '--push', '--issue=y', 'y');
    heldBecause(stop());
    expect(loop('cancel').stdout).toContain('cancelled');
    expect(project.newest()).toMatchObject({
      event: 'ABORT',
      reason: 'USER_CANCELLED',
      session_id: SESSION,
      stack: [],
    });
    expect(project.newest().run_id).toBe(project.states()[0]?.run_id);
    expect(stop()).toMatchObject({ exitCode: 0, stdout: '' });
    expect(existsSync(join(project.rig.repo, '.git/holdpoint/loop-live.json'))).toBe(false);
  });

  it('is no mistake where there is nothing to cancel', () => {
    expect(loop('cancel').stdout).toContain('nothing to cancel');
    loop('start', 'x');
    loop('cancel');
    loop('cancel');
    expect(project.states()).toHaveLength(2);
  });

  it('ends only the own one; others are named', () => {
    loop('start', 'x');
    const ended = project.loop(['cancel'], { env: AS_OTHER });
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain(SESSION);
    expect(statusOf()).toMatchObject({ active: true });
  });

  it('ends all of them with --all, paused ones too', () => {
    loop('start', 'x');
    project.loop(['start', 'y'], { env: AS_OTHER });
    loop('pause');
    loop('cancel', '--all');
    expect(statusOf()).toMatchObject({ active: false, event: 'ABORT' });
    expect(statusOf(AS_OTHER)).toMatchObject({ active: false, event: 'ABORT' });
  });

  it('needs no session where there is one loop, and names them where there are two', () => {
    loop('start', 'x');
    expect(project.person(['cancel']).exitCode).toBe(0);
    loop('start', 'x');
    project.loop(['start', 'y'], { env: AS_OTHER });
    const ended = project.person(['cancel']);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    for (const part of [SESSION, OTHER_SESSION, '--session']) expect(ended.stderr).toContain(part);
    project.rig.write(FALLBACK, FALLBACK_TEXT);
    expect(project.person(['cancel'])).toMatchObject({ exitCode: 1, stdout: '' });
    loop('cancel');
    expect(existsSync(join(project.rig.repo, FALLBACK))).toBe(false);
  });

  it('ends the loop of the file of the older program', () => {
    project.rig.write(FALLBACK, FALLBACK_TEXT);
    expect(heldBecause(stop())).toContain('[ITERATION 6/10]');
    loop('cancel');
    expect(existsSync(join(project.rig.repo, FALLBACK))).toBe(false);
    expect(stop()).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('leaves a line in the journal, without the task', () => {
    loop('start', 'a secret task');
    loop('cancel');
    const journal = readFileSync(join(project.rig.repo, '.git/holdpoint/journal.jsonl'), 'utf8');
    expect(journal).toContain('loop start');
    expect(journal).toContain('loop cancel');
    expect(journal).not.toContain('secret');
  });
});

describe('a loop that is nobody’s', () => {
  beforeEach(() => project.rig.write(STORE_LOG, storeLines([state()])));

  it('is everybody’s: it stands in the way, and is cancelled for all', () => {
    expect(statusOf()).toMatchObject({ active: true, session_id: null });
    expect(project.loop(['start', 'x'])).toMatchObject({ exitCode: 1 });
    loop('cancel');
    expect(project.newest(STORE_LOG)).toMatchObject({ event: 'ABORT', stack: [] });
    expect(project.newest(STORE_LOG)).not.toHaveProperty('session_id');
    expect(statusOf(AS_OTHER)).toMatchObject({ active: false });
  });

  it('is ended for the others too when it is replaced', () => {
    loop('start', '--force', 'x');
    expect(statusOf()).toMatchObject({ active: true, session_id: SESSION });
    expect(statusOf(AS_OTHER)).toMatchObject({ active: false, event: 'ABORT' });
  });
});

describe('the file of the older program', () => {
  beforeEach(() => project.rig.write(FALLBACK, FALLBACK_TEXT));
  const text = (): string => readFileSync(join(project.rig.repo, FALLBACK), 'utf8');

  it('is shown, and stands in the way', () => {
    expect(statusOf()).toMatchObject({ active: true, stack: [{ mode: 'loop' }] });
    expect(loop('status').stdout).toContain('iteration 5/10');
    expect(project.loop(['start', 'x'])).toMatchObject({ exitCode: 1 });
    expect(project.loop(['start', '--push', 'x'])).toMatchObject({ exitCode: 1 });
  });

  it('stands in the way of other sessions too, which would silence it', () => {
    project.rig.write(FALLBACK, FALLBACK_TEXT.replace('10\n', `10\nsession_id: ${SESSION}\n`));
    const ended = project.loop(['start', 'x'], { env: AS_OTHER });
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain(`The loop of session ${SESSION} is already active`);
    expect(heldBecause(stop())).toContain('[ITERATION 6/10]');
  });

  it('is paused and resumed in its own lines', () => {
    loop('pause', 'later');
    expect(text()).toBe(FALLBACK_TEXT.replace('10\n', '10\npaused: later\n'));
    expect(stop()).toMatchObject({ exitCode: 0, stdout: '' });
    loop('resume');
    expect(text()).toBe(FALLBACK_TEXT);
    heldBecause(stop());
  });

  it.each(['paused: false', 'paused:'])('is not paused by the line `%s`', (line) => {
    project.rig.write(FALLBACK, FALLBACK_TEXT.replace('10\n', `10\n${line}\n`));
    expect(statusOf()).toMatchObject({ active: true });
    expect(heldBecause(stop())).toContain('[ITERATION 6/10]');
  });

  it('gives way to --force', () => {
    loop('start', '--force', 'x');
    expect(statusOf()).toMatchObject({ active: true, session_id: SESSION });
    expect(heldBecause(stop())).toContain('[ITERATION 2/10]');
  });
});
