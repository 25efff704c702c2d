import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acquireLock } from '../../src/state/files';
import { eventsIn, OTHER_SESSION, SESSION } from './events';
import { type LoopProject, loopProject, OWN_LOG, STORE_LOG, type State, storeLines } from './loop-project';
import { type Circumstances, type Ended, type HostDocument, makeRig, runNow } from './rig';

const S = '<loop-done>COMPLETE</loop-done>';
const FALLBACK = '.claude/idle-loop.local.md';

let project: LoopProject;
beforeAll(() => {
  project = loopProject();
});
afterAll(() => project.rig.remove());
beforeEach(() => {
  for (const path of ['.jwz', '.zawinski', '.git/holdpoint', '.claude', '.idle-disabled', 'sub']) {
    rmSync(join(project.rig.repo, path), { recursive: true, force: true });
  }
});

/** A time so many seconds ago. Scenarios tell times as distances, since the clock is the real one. */
function ago(seconds: number): string {
  return `${new Date(Date.now() - seconds * 1000).toISOString().slice(0, 19)}Z`;
}

function frame(iter: unknown, max: unknown, more: object = {}): object {
  return { id: 'loop-1', mode: 'loop', iter, max, ...more };
}

const grind = (iter: number, more: object = {}): object => ({
  id: 'g',
  mode: 'grind',
  iter,
  max: 100,
  ...more,
});
const issue = (iter: number, more: object = {}): object => ({
  id: 'i',
  mode: 'issue',
  iter,
  max: 10,
  ...more,
});

function state(stack: readonly object[], more: object = {}): object {
  return { schema: 1, event: 'STATE', run_id: 'run-1', updated_at: ago(60), stack, ...more };
}

function put(...bodies: (object | string)[]): void {
  project.rig.write(STORE_LOG, storeLines(bodies));
}

function stop(text: string | undefined, more: HostDocument = {}, how: Circumstances = {}): Ended {
  const words = text === undefined ? {} : { last_assistant_message: text };
  return project.rig.hook(eventsIn(project.rig).stop(false, { ...words, ...more }), how);
}

/** The exact bytes of a refused stop. */
function block(n: number, max: number): string {
  return `{"decision": "block", "reason": "[ITERATION ${n}/${max}] Continue working on the task. Check your progress and either complete the task or keep iterating."}\n`;
}

function stored(): State[] {
  return project.states(STORE_LOG);
}

/** Nothing was said to the host, and whether somebody reading along was warned. */
function expectPassed(ended: Ended, warned = false): void {
  expect([ended.stdout, ended.exitCode]).toEqual(['', 0]);
  expect(ended.stderr !== '').toBe(warned);
}

function expectHeld(ended: Ended, n: number, max: number): void {
  expect([ended.stdout, ended.exitCode]).toEqual([block(n, max), 2]);
  expect(ended.stderr).toContain(`[ITERATION ${n}/${max}] Continue working`);
}

describe('a refused stop', () => {
  test.each<[string, object, string, number, number, object]>([
    ['an active loop', state([frame(1, 10)]), 'working', 2, 10, { event: 'STATE', run_id: 'run-1' }],
    ['the last iteration', state([frame(9, 10)]), 'x', 10, 10, {}],
    ['two hours of silence', state([frame(1, 10)], { updated_at: ago(7195) }), 'x', 2, 10, {}],
    ['an offset', state([frame(1, 10)], { updated_at: ago(60).replace('Z', '+00:00') }), 'x', 2, 10, {}],
    ['no stamp', { schema: 1, event: 'STATE', stack: [frame(1, 10)] }, 'x', 2, 10, {}],
    ['no counts', state([{ mode: 'loop' }]), 'x', 1, 10, { stack: [{ mode: 'loop', iter: 1, max: 10 }] }],
    ['another mode’s signal', state([frame(1, 10)]), '<issue-complete>DONE</issue-complete>', 2, 10, {}],
    ['an issue’s signal to a grind', state([grind(1)]), '<issue-complete>DONE</issue-complete>', 2, 100, {}],
    [
      'an inner loop at its bound, whose outer one resumes',
      state([grind(1, { on_child_done: 'resume' }), issue(10)]),
      'x',
      2,
      100,
      { event: 'STATE', stack: [{ mode: 'grind', iter: 2 }] },
    ],
  ])('%s', (_name, body, text, n, max, next) => {
    put(body);
    expectHeld(stop(text), n, max);
    expect(stored()).toHaveLength(2);
    expect(stored()[1]).toMatchObject(next);
    expect(stored()[1]?.stack.at(-1)).toMatchObject({ iter: n });
    expect(Date.now() - Date.parse(stored()[1]?.updated_at ?? '')).toBeLessThan(60_000);
  });

  test.each([
    ['S in a fence', `x\n\`\`\`\n${S}\n\`\`\``],
    ['S inside prose', `I will say ${S} later`],
  ])('%s: the sentence, and one that says why it did not count', (_name, text) => {
    put(state([frame(1, 10)]));
    const { stdout, exitCode } = stop(text);
    expect(exitCode).toBe(2);
    const { reason } = JSON.parse(stdout) as { reason: string };
    const [first, second, ...more] = reason.split('\n\n');
    expect(block(2, 10)).toContain(first);
    expect(second).toContain('on a line of its own');
    expect(more).toEqual([]);
    expect(stored()[1]?.stack).toMatchObject([{ iter: 2 }]);
  });

  test('in a turn that was continued before', () => {
    put(state([frame(1, 10)]));
    expectHeld(stop('x', { stop_hook_active: true }), 2, 10);
  });

  test('with a mode that nobody knows: held, and told', () => {
    put(state([frame(1, 10, { mode: 'weird' })]));
    const ended = stop(S);
    expectHeld(ended, 2, 10);
    expect(ended.stderr).toContain('weird');
  });

  test('with a worktree: the block follows, and every field is kept', () => {
    const path = join(project.rig.repo, 'sub');
    mkdirSync(path);
    const top = issue(1, { worktree_path: path, branch: 'idle/issue/7', issue_id: '7', base_ref: 'main' });
    put(state([top]));
    const { reason } = stop('x').json as { reason: string };
    expect(reason).toContain(
      `\n\nWORKTREE CONTEXT:\n- Working directory: ${path}\n- Branch: idle/issue/7\n- Issue: 7\n`,
    );
    expect(stored()[1]?.stack).toEqual([{ ...top, iter: 2 }]);
  });

  test('IDLE_LOOP_DISABLE=true is not the switch', () => {
    put(state([frame(1, 10)]));
    expectHeld(stop('x', {}, { env: { IDLE_LOOP_DISABLE: 'true' } }), 2, 10);
  });

  test('goes on from stop to stop until the bound', () => {
    put(state([frame(1, 3)]));
    expectHeld(stop('a'), 2, 3);
    expectHeld(stop('b'), 3, 3);
    expectPassed(stop('c'));
    expect(stored().map(({ event }) => event)).toEqual(['STATE', 'STATE', 'STATE', 'DONE']);
    expectPassed(stop('d'));
    expect(stored()).toHaveLength(4);
  });
});

describe('a stop that passes', () => {
  const done = (reason: string) => ({ event: 'DONE', reason, run_id: 'run-1', stack: [] });

  test.each<[string, object, string, object, boolean]>([
    ['complete', state([frame(1, 10)]), `x\n${S}`, done('COMPLETE'), false],
    ['stuck', state([frame(1, 10)]), '<loop-done>STUCK</loop-done>', done('STUCK'), false],
    [
      'given up',
      state([frame(1, 10)]),
      '<loop-done>MAX_ITERATIONS</loop-done>',
      done('MAX_ITERATIONS'),
      false,
    ],
    ['at the bound', state([frame(10, 10)]), 'x', done('MAX_ITERATIONS'), false],
    [
      'stale',
      state([frame(1, 10)], { updated_at: ago(7205) }),
      'x',
      { ...done('STALE'), archived_stack: [frame(1, 10)] },
      true,
    ],
    ['no time', state([frame(1, 10)], { updated_at: 'soon' }), 'x', done('STALE'), true],
    ['iter is a word', state([frame('abc', 10)]), 'x', { event: 'ABORT', stack: [] }, true],
    ['iter is negative', state([frame(-1, 10)]), 'x', { event: 'ABORT', stack: [] }, true],
    ['iter is a fraction', state([frame(1.5, 10)]), 'x', { event: 'ABORT', stack: [] }, true],
    [
      'aborted with frames',
      state([frame(1, 10)], { event: 'ABORT' }),
      'x',
      { event: 'ABORT', stack: [] },
      false,
    ],
    [
      'an issue is complete',
      state([issue(1)]),
      '<issue-complete>DONE</issue-complete>',
      done('COMPLETE'),
      false,
    ],
    [
      'the inner loop is complete',
      state([grind(1), issue(2)]),
      S,
      { event: 'STATE', run_id: 'run-1', stack: [grind(1)] },
      false,
    ],
    [
      'no more issues',
      state([grind(1)]),
      '<grind-done>NO_MORE_ISSUES</grind-done>',
      done('NO_MORE_ISSUES'),
      false,
    ],
    ['the inner loop is at its bound', state([grind(1), issue(10)]), 'x', done('MAX_ITERATIONS'), false],
  ])('%s: with a new state', (_name, body, text, next, warned) => {
    put(body);
    expectPassed(stop(text), warned);
    expect(stored()).toHaveLength(2);
    expect(stored()[1]).toMatchObject(next);
    expect(readFileSync(join(project.rig.repo, STORE_LOG), 'utf8').split('\n')).toHaveLength(4);
  });

  test.each<[string, object | string, string, HostDocument, boolean]>([
    ['over', state([], { event: 'DONE' }), 'x', {}, false],
    ['not JSON', '{"schema":', 'x', {}, true],
    ['DONE with frames', state([frame(1, 10)], { event: 'DONE' }), 'x', {}, false],
    ['another session’s', state([frame(1, 10)], { session_id: OTHER_SESSION }), 'x', {}, false],
    [
      'work in the background',
      state([frame(1, 10)]),
      S,
      { background_tasks: [{ status: 'running' }] },
      false,
    ],
    ['plan mode', state([frame(1, 10)]), S, { permission_mode: 'plan' }, false],
    ['a subagent', state([frame(1, 10)]), S, { agent_id: 'a1' }, false],
    ['config.disabled', state([frame(1, 10)], { config: { disabled: true } }), S, {}, false],
    ['paused', state([frame(1, 10)], { paused: { reason: 'x' } }), S, {}, false],
    ['a schema of the future', state([frame(1, 10)], { schema: 3 }), S, {}, true],
  ])('%s: with everything as it was', (_name, body, text, more, warned) => {
    put(body);
    const before = readFileSync(join(project.rig.repo, STORE_LOG));
    expectPassed(stop(text, more), warned);
    expect(readFileSync(join(project.rig.repo, STORE_LOG))).toEqual(before);
  });

  test('no store, no file: and nothing is made', () => {
    expectPassed(stop('x'));
    expect(existsSync(join(project.rig.repo, '.git/holdpoint'))).toBe(false);
  });

  test.each(['.idle-disabled', '.jwz/.idle-disabled'])('switched off by %s', (file) => {
    put(state([frame(1, 10)]));
    project.rig.write(file, '');
    expectPassed(stop(S));
    expect(stored()).toHaveLength(1);
  });

  test('IDLE_LOOP_DISABLE=1: the store is not opened', () => {
    put(state([frame(1, 10)]));
    expectPassed(stop('x', {}, { env: { IDLE_LOOP_DISABLE: '1' } }));
    expect(stored()).toHaveLength(1);
  });

  test('the lock is held by a living process: told, and everything as it was', () => {
    put(state([frame(1, 10)]));
    mkdirSync(join(project.rig.repo, '.git/holdpoint'));
    const lock = acquireLock(join(project.rig.repo, '.git/holdpoint/lock'), 1000);
    if (!lock.ok) throw new Error('the lock is not to be had');
    const ended = stop('x');
    lock.value.release();
    expect([ended.stdout.includes('"decision"'), ended.exitCode]).toEqual([false, 0]);
    expect(ended.stderr).toContain('was locked by');
    expect(stored()).toHaveLength(1);
  });

  test.runIf(process.getuid?.() !== 0)(
    'the store is read-only: told, and everything as it was (not as root, who may write all)',
    () => {
      put(state([frame(1, 10)]));
      chmodSync(join(project.rig.repo, STORE_LOG), 0o444);
      const ended = stop('x');
      expect([ended.stdout.includes('block'), ended.exitCode]).toEqual([false, 0]);
      expect(ended.stderr).toContain(STORE_LOG);
      expect(stored()).toHaveLength(1);
    },
  );

  test('the store’s file is a directory: told', () => {
    mkdirSync(join(project.rig.repo, STORE_LOG), { recursive: true });
    expectPassed(stop('x'), true);
  });
});

describe('the transcript', () => {
  const line = (type: string, text: string, more: object = {}): string =>
    `${JSON.stringify({ type, isSidechain: false, message: { id: 'm1', role: type, content: [{ type: 'text', text }] }, ...more })}\n`;

  function transcript(...lines: string[]): string {
    const file = join(project.rig.dir, 'transcript.jsonl');
    writeFileSync(file, lines.join(''));
    return file;
  }
  afterEach(() => rmSync(join(project.rig.dir, 'transcript.jsonl'), { force: true }));

  test('is asked where the event has no words', () => {
    put(state([frame(1, 10)]));
    const transcript_path = transcript(
      line('user', 'go'),
      line('assistant', S),
      '{"type":"system","subtype":"stop_hook_summary"}\n',
      '{"type":"last-prompt"}\n',
    );
    expectPassed(stop(undefined, { transcript_path }));
    expect(stored()[1]).toMatchObject({ event: 'DONE', reason: 'COMPLETE' });
  });

  test('is not asked where it has', () => {
    put(state([frame(1, 10)]));
    expectHeld(stop('not yet', { transcript_path: transcript(line('assistant', S)) }), 2, 10);
  });

  test.each([
    ['in what the user said', line('assistant', 'hm') + line('user', S)],
    ['in a side chain', line('assistant', 'hm') + line('assistant', S, { isSidechain: true })],
    ['in a torn line', line('assistant', 'hm') + line('assistant', S).slice(0, -4)],
  ])('%s a signal does not count', (_where, text) => {
    put(state([frame(1, 10)]));
    expectHeld(stop(undefined, { transcript_path: transcript(text) }), 2, 10);
  });

  test.each([
    ['before it began does not count', 60, 2],
    ['since it began counts', 0, 0],
  ])('a signal of %s', (_when, begun, exitCode) => {
    put(state([frame(1, 10, { started_at: ago(30) })]));
    const transcript_path = transcript(line('assistant', S, { timestamp: ago(begun) }));
    expect(stop(undefined, { transcript_path })).toMatchObject({ exitCode });
  });

  test.each([
    [999, { event: 'STATE', stack: [{ used: { tokens: 999 } }] }],
    [1000, { event: 'DONE', reason: 'MAX_TOKENS' }],
  ])('tells that the first iteration used %i tokens, without what was before', (output_tokens, next) => {
    put(state([frame(1, 10, { started_at: ago(30), budget: { tokens: 1000 } })]));
    const cost = (id: string, tokens: number, before: number): string =>
      line('assistant', 'x', { timestamp: ago(before), message: { id, usage: { output_tokens: tokens } } });
    stop('x', {
      transcript_path: transcript(cost('m1', 5000, 60), line('user', 'x'), cost('m2', output_tokens, 20)),
    });
    expect(stored()[1]).toMatchObject(next);
  });

  test('that is not there is no completion', () => {
    put(state([frame(1, 10)]));
    expect(stop(undefined, { transcript_path: '/nowhere/t.jsonl' }).stdout).toBe(block(2, 10));
  });

  test('does not complete an outer loop with the signal of the inner one', () => {
    put(state([frame(1, 10), frame(1, 10)]));
    const transcript_path = transcript(line('assistant', S));
    expectPassed(stop(undefined, { transcript_path, prompt_id: 'p1' }));
    expect(stored()[1]?.stack).toHaveLength(1);
    expectHeld(stop(undefined, { transcript_path, prompt_id: 'p2' }), 2, 10);
  });
});

describe('where the state is', () => {
  const HEAD = '---\nactive: true\nmode: loop\niteration: 5\nmax_iterations: 10\n---\n\nThe task\n';

  test('in the fallback file: one line changes, mode and body stay', () => {
    project.rig.write(FALLBACK, HEAD);
    const file = join(project.rig.repo, FALLBACK);
    chmodSync(file, 0o640);
    expectHeld(stop('x'), 6, 10);
    expect(readFileSync(file, 'utf8')).toBe(HEAD.replace('iteration: 5', 'iteration: 6'));
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expectPassed(stop(S));
    expect(existsSync(file)).toBe(false);
  });

  test('in a fallback file that is not active: it is removed', () => {
    project.rig.write(FALLBACK, HEAD.replace('true', 'false'));
    expectPassed(stop('x'));
    expect(existsSync(join(project.rig.repo, FALLBACK))).toBe(false);
  });

  test('in a fallback file beside a topic: the topic speaks alone', () => {
    project.rig.write(FALLBACK, HEAD);
    put(state([], { event: 'DONE' }));
    expectPassed(stop('x'));
    expect(readFileSync(join(project.rig.repo, FALLBACK), 'utf8')).toBe(HEAD);
  });

  test('in a store above the event’s directory, or above the host’s project', () => {
    put(state([frame(1, 10)]));
    const sub = join(project.rig.repo, 'sub', 'deep');
    mkdirSync(sub, { recursive: true });
    expectHeld(stop('x', { cwd: sub }), 2, 10);
    expectHeld(stop('y', { cwd: project.rig.tmp }, { env: { CLAUDE_PROJECT_DIR: sub } }), 3, 10);
  });

  test('in the older store’s directory', () => {
    project.rig.write('.zawinski/messages.jsonl', storeLines([state([frame(1, 10)])]));
    expectHeld(stop('x'), 2, 10);
    expect(project.newest('.zawinski/messages.jsonl').stack).toMatchObject([{ iter: 2 }]);
  });

  test('in our own log', () => {
    project.rig.write(OWN_LOG, storeLines([state([frame(1, 10)], { session_id: SESSION })]));
    expectHeld(stop('x'), 2, 10);
    expect(project.newest()).toMatchObject({ session_id: SESSION, stack: [{ iter: 2 }] });
  });

  test.each(['', null])('of no session, where its id is %j', (session_id) => {
    put(state([frame(1, 10)], { session_id }));
    expectHeld(stop('x'), 2, 10);
    expect(project.newest(STORE_LOG).stack).toMatchObject([{ iter: 2 }]);
  });

  test('of two sessions side by side: each drives its own', () => {
    put(state([frame(1, 10)], { session_id: SESSION }), state([frame(7, 10)], { session_id: OTHER_SESSION }));
    expectHeld(stop('x'), 2, 10);
    expectHeld(stop('x', { session_id: OTHER_SESSION }), 8, 10);
    expectHeld(stop('y'), 3, 10);
    expect(stored().map(({ session_id, stack }) => [session_id, stack[0]?.['iter']])).toEqual([
      [SESSION, 1],
      [OTHER_SESSION, 7],
      [SESSION, 2],
      [OTHER_SESSION, 8],
      [SESSION, 3],
    ]);
  });

  test('without git: the store is enough', () => {
    const bare = makeRig('');
    try {
      rmSync(join(bare.repo, '.git'), { recursive: true });
      bare.write(STORE_LOG, storeLines([state([frame(1, 10)])]));
      expectHeld(bare.hook(eventsIn(bare).stop(false, { last_assistant_message: 'x' })), 2, 10);
      const done = bare.hook(eventsIn(bare).stop(true, { last_assistant_message: S }));
      expectPassed(done);
      expect(bare.listing().filter((name) => name.startsWith('w/'))).toEqual(['w/.jwz']);
    } finally {
      bare.remove();
    }
  });
});

describe('a session with a loop', () => {
  test('a prompt cancels it before the model runs', () => {
    put(state([frame(1, 10)]));
    const { repo } = project.rig;
    const ended = project.rig.hook({
      session_id: SESSION,
      hook_event_name: 'UserPromptSubmit',
      prompt: '/cancel-loop',
      cwd: repo,
    });
    expect(ended.json).toMatchObject({
      hookSpecificOutput: { additionalContext: expect.stringContaining('cancelled') },
    });
    expect(stored()[1]).toMatchObject({ event: 'ABORT', reason: 'USER_CANCELLED', stack: [] });
    expectPassed(stop('x'));
  });

  test('an error of the host pauses it, and the next stop passes', () => {
    put(state([frame(1, 10)], { session_id: SESSION }));
    const { rig } = project;
    rig.hook({ session_id: SESSION, hook_event_name: 'StopFailure', error: 'rate_limit', cwd: rig.repo });
    expect(stored()[1]).toMatchObject({
      event: 'STATE',
      paused: { reason: 'rate_limit' },
      stack: [{ iter: 1 }],
    });
    expectPassed(stop(S));
  });

  test('that StopFailure has paused it is told once, at the next prompt', () => {
    put(state([frame(1, 10)], { session_id: SESSION }));
    const { rig } = project;
    rig.hook({ session_id: SESSION, hook_event_name: 'StopFailure', error: 'rate_limit', cwd: rig.repo });
    const prompt = { ...eventsIn(rig).stop(false), hook_event_name: 'UserPromptSubmit', prompt: 'on' };
    expect(rig.hook(prompt).json).toMatchObject({
      systemMessage: expect.stringContaining('The loop is paused (rate_limit).'),
    });
    expect(rig.hook(prompt).stdout).toBe('');
    expect(stored().at(-1)).toMatchObject({ paused: { reason: 'rate_limit' } });
  });

  test('<loop-pause> pauses it, and the person is told', () => {
    put(state([frame(1, 10)]));
    const ended = stop('<loop-pause>which one?</loop-pause>');
    expect(ended.exitCode).toBe(0);
    expect(ended.json).toMatchObject({ systemMessage: expect.stringContaining('which one?') });
    expect(stored()[1]).toMatchObject({ paused: { reason: 'which one?' } });
  });

  test('tools keep it alive beyond its time', () => {
    put(state([frame(1, 10)], { session_id: SESSION }));
    expectHeld(stop('x'), 2, 10);
    const live = project.rig.readJson('.git/holdpoint/loop-live.json');
    expect(live).toMatchObject({ sessions: { [SESSION]: { wrote: false } } });
    project.rig.hook(eventsIn(project.rig).post('Bash', { command: 'make' }));
    expect(project.rig.readJson('.git/holdpoint/loop-live.json')).toMatchObject({
      sessions: { [SESSION]: { wrote: true } },
    });
    put(state([frame(2, 10)], { session_id: SESSION, updated_at: ago(9000) }));
    expectHeld(stop('y'), 3, 10);
    expectPassed(stop(S));
    expect(existsSync(join(project.rig.repo, '.git/holdpoint/loop-live.json'))).toBe(false);
  });

  test('a command proves its completion', () => {
    const verify = 'test -f done.txt || { echo not there >&2; exit 4; }';
    put(state([frame(1, 10, { verify })]));
    project.rig.write(
      '.git/holdpoint/loop-verify.json',
      JSON.stringify({ commands: { 'loop-1': { command: verify } } }),
    );
    const { reason } = stop(S).json as { reason: string };
    expect(reason).toContain('ended with exit code 4. Its last lines:\nnot there');
    project.rig.write('done.txt', '');
    expectPassed(stop(S));
    expect(stored().at(-1)).toMatchObject({ event: 'DONE', reason: 'COMPLETE' });
    rmSync(join(project.rig.repo, 'done.txt'));
  });

  test('lets go before the host’s cap, and its state stays', () => {
    put(state([frame(1, 100)]));
    for (let n = 2; n <= 8; n++)
      expectHeld(stop(`round ${n}`, { stop_hook_active: n > 2, prompt_id: 'p' }), n, 100);
    const last = stop('again', { stop_hook_active: true, prompt_id: 'p' });
    expect(last.exitCode).toBe(0);
    expect(last.json).toMatchObject({ systemMessage: expect.stringContaining('7 stops in a row') });
    expect(stored().at(-1)?.stack).toMatchObject([{ iter: 8 }]);
  });

  test('runs to its bound when tools are used in between', () => {
    put(state([frame(1, 12)]));
    for (let n = 2; n <= 12; n++) {
      expectHeld(stop(`round ${n}`, { stop_hook_active: n > 2, prompt_id: 'p' }), n, 12);
      project.rig.hook(eventsIn(project.rig).post('Edit', { file_path: 'a' }));
    }
    expectPassed(stop('x', { stop_hook_active: true, prompt_id: 'p' }));
    expect(stored().at(-1)).toMatchObject({ event: 'DONE', reason: 'MAX_ITERATIONS' });
  });
});

test('a finished loop stays finished when git has merged an older state below it', () => {
  const [done, older] = [state([], { event: 'DONE', reason: 'COMPLETE' }), state([frame(1, 10)])];
  const [record, newest] = storeLines([done], 2000).trimEnd().split('\n');
  const merged = storeLines([older], 1000).trimEnd().split('\n')[1];
  project.rig.write(STORE_LOG, `${[record, newest, merged].join('\n')}\n`);
  expectPassed(stop('x'));
  expect(project.person(['status', '--json']).json).toMatchObject({ active: false, event: 'DONE' });
});

test('the hook alone, asked only for the loop, says the same', () => {
  put(state([frame(1, 10)]));
  const event = eventsIn(project.rig).stop(false, { last_assistant_message: 'x' });
  const options = { cwd: project.rig.dir, env: project.rig.environment() };
  expectHeld(runNow('hook', ['--only', 'loop'], JSON.stringify(event), options), 2, 10);
});

describe('beside other guards', () => {
  const rig = makeRig('requirements: {notes: {enabled: true, stop_only: true, scope: session}}\n');
  afterAll(() => rig.remove());
  const event = (text: string, active: boolean): HostDocument =>
    eventsIn(rig).stop(active, { last_assistant_message: text, prompt_id: 'p' });

  test('a stop that a requirement refuses is not counted, nor its signal accepted', () => {
    rig.write(STORE_LOG, storeLines([state([frame(1, 10)])]));
    rig.hook(eventsIn(rig).pre('Edit', { file_path: 'a' }));
    const held = rig.hook(event(S, false));
    expect([held.exitCode, held.json]).toMatchObject([
      0,
      { decision: 'block', reason: expect.not.stringContaining('ITERATION') },
    ]);
    expect(project.states(join(rig.repo, STORE_LOG))).toHaveLength(1);
    expectHeld(rig.hook(event('x', true)), 2, 10);
  });

  test('where the config wants it, a refused stop is told by exit code 0', () => {
    rig.write('.holdpoint/config.yaml', 'loop: {output: exit0-json, max_iterations: 7}\n');
    rig.write(STORE_LOG, storeLines([state([{ mode: 'loop' }])]));
    const { stdout, exitCode } = rig.hook(event('y', true));
    expect([JSON.parse(stdout), exitCode]).toEqual([JSON.parse(block(1, 7)), 0]);
  });
});
