import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/event';
import type { JsonObject } from '../../../src/core/json';
import { runEffect } from '../../../src/guards/loop/effects';
import * as ctx from './context';

const { DONE, OWN_DIR, decide, grind, looping, ours, saying, sentence, stop } = ctx;
const VERIFY = { verify: 'npm test' };
const SET = { 'loop-1': { command: 'npm test', at: 1 } };
const SAID = { command: 'npm test', tail: '' };
const given = (verified: JsonObject, iter = 1, more: JsonObject = {}): ctx.Given =>
  looping([ours(iter, 10, VERIFY)], more, { vouched: SET, verified: { ...SAID, ...verified } });

describe('a frame with a command that proves its completion', () => {
  const FAILED = { how: 'ended with exit code 3', tail: 'one\ntwo' };
  const REFUSED = `${sentence(2, 10)}\n\nYour completion signal was not accepted: \`npm test\` ended with exit code 3. Its last lines:\none\ntwo`;
  const ASKED = [{ name: 'verify', input: { command: 'npm test' } }];
  const STUCK = '<loop-done>STUCK</loop-done>';
  test.each<[string, string, ctx.Given, object]>([
    ['is complete when it ends well', DONE, given({}), { next: { reason: 'COMPLETE' }, asked: ASKED }],
    ['goes on when it does not', DONE, given(FAILED), { reason: REFUSED, next: { stack: [{ iter: 2 }] } }],
    ['ends when it fails at the bound', DONE, given(FAILED, 10), { next: { reason: 'MAX_ITERATIONS' } }],
    ['has nothing run without a signal', 'x', given(FAILED), { reason: sentence(2, 10), asked: [] }],
    ['has nothing run to give up', STUCK, given(FAILED), { next: { reason: 'STUCK' }, asked: [] }],
    ['has nothing run while it is paused', DONE, given({}, 1, { paused: true }), { changes: [], asked: [] }],
  ])('%s', async (_what, text, found, expected) => {
    expect(await decide(saying(text), found)).toMatchObject(expected);
  });

  test('has it run in its worktree', async () => {
    const vouched = { 'loop-1': { command: 'npm test', cwd: '/w/t', at: 1 } };
    const stack = [ours(1, 10, { ...VERIFY, worktree_path: '/w/t' })];
    const { asked } = await decide(saying(DONE), { ...given({}), ...looping(stack), vouched });
    expect(asked).toMatchObject([{ input: { command: 'npm test', cwd: '/w/t' } }]);
  });

  test('ends at its last iteration with the person told why the signal did not count', async () => {
    const { toPerson } = await decide(saying(DONE), given(FAILED, 10));
    expect(toPerson).toContain(
      "The loop's completion signal was not accepted: `npm test` ended with exit code 3",
    );
  });

  test('tells it where an outer loop goes on', async () => {
    const stack = [grind(1, { on_child_done: 'resume' }), ours(10, 10, VERIFY)];
    const { reason } = await decide(saying(DONE), { ...given(FAILED), ...looping(stack) });
    expect(reason).toContain(`${sentence(2, 100)}\n\nThe inner loop's completion signal was not accepted: `);
  });

  test('does not take another command’s word', async () => {
    await expect(decide(saying(DONE), given({ command: 'true' }))).rejects.toThrow(
      'the wrong verify command',
    );
  });
});

describe('a command that `loop start` did not set on this machine', () => {
  const BROKEN = { 'own:loop-verify.json': { kind: 'unreadable', file: 'x', why: 'is not JSON' } } as const;
  test.each<[string, JsonObject, ctx.Given]>([
    ['nobody has set any', {}, {}],
    ['set for another frame', {}, { vouched: { 'loop-2': SET['loop-1'] } }],
    ['another one was set', {}, { vouched: { 'loop-1': { command: 'npm  test' } } }],
    ['set for another directory', { worktree_path: '/w/t' }, { vouched: SET }],
    ['set for a worktree', {}, { vouched: { 'loop-1': { command: 'npm test', cwd: '/w/t' } } }],
    ['a frame without a name', { id: null }, { vouched: { null: { command: 'npm test' } } }],
    ['a frame named like a member of all objects', { id: 'constructor' }, { vouched: SET }],
    ['what was set cannot be read', {}, { documents: BROKEN }],
    ['without git', {}, { vouched: SET, git: undefined }],
  ])('is not run, and the person is told in one line: %s', async (_why, more, found) => {
    const outcome = await decide(saying(DONE), looping([ours(1, 10, { ...VERIFY, ...more })], {}, found));
    expect(outcome.next).toMatchObject({ event: 'DONE', reason: 'COMPLETE' });
    expect(outcome.toPerson).toMatch(/^The loop: its verify command "npm test" was not run, because .*\.$/);
  });

  test('is shown short and on one line', async () => {
    const stack = [ours(1, 10, { verify: `a\nb${'x'.repeat(500)}` })];
    expect((await decide(saying(DONE), looping(stack))).toPerson).toMatch(/^[^\n]{1,300}$/);
  });

  test('is told of where an outer loop goes on, too', async () => {
    const stack = [grind(1, { on_child_done: 'resume' }), ours(1, 10, VERIFY)];
    const { reason, odd } = await decide(saying(DONE), looping(stack));
    expect([reason, odd.join()]).toEqual([sentence(2, 100), expect.stringContaining('was not run')]);
  });
});

test('a command ends well, fails, hangs, is killed, is interrupted or does not start', async () => {
  const projectRoot = realpathSync(tmpdir());
  const context = { projectRoot, env: { PATH: process.env['PATH'] } };
  const run = (command: string, more: JsonObject = {}, ms = 20_000, signal?: AbortSignal) =>
    runEffect('verify', { command, ...more }, { ...context, deadline: Date.now() + ms, signal });
  expect(await run('echo fine; pwd')).toEqual({ command: 'echo fine; pwd', tail: `fine\n${projectRoot}` });
  const lines = 'i=0; while [ $i -lt 50 ]; do i=$((i+1)); echo line $i; done; echo bad >&2; exit 7';
  const { how, tail } = (await run(lines)) as { how: string; tail: string };
  expect([how, tail.split('\n').length]).toEqual(['ended with exit code 7', 20]);
  expect(tail).toMatch(/line 50\nbad$/);
  expect(await run('sleep 60', {}, 300)).toMatchObject({
    how: expect.stringContaining('did not end within'),
  });
  expect(await run('kill -9 $$')).toMatchObject({ how: 'was ended by SIGKILL' });
  expect(await run('sleep 60', {}, 20_000, AbortSignal.timeout(100))).toMatchObject({
    how: 'was interrupted',
  });
  const gone = { cwd: '/gone/from/here' };
  expect(await run('true', gone)).toMatchObject({ how: expect.stringContaining('could not be started') });
  await expect(runEffect('other', {}, { ...context, deadline: 0 })).rejects.toThrow('no effect');
});

describe('what a frame that is over leaves behind', () => {
  const task = (prompt_file: string, more: JsonObject = {}) =>
    looping([ours(1, 10, { prompt_file, ...more })]);
  const OWN = `${OWN_DIR}/loop-prompts/loop-1.txt`;
  test.each<[string, Event, ctx.Given, string[]]>([
    ['goes at a bound', stop(), task(OWN, { iter: 10 }), ['own:loop-prompts/loop-1.txt']],
    ['goes when its counts are none', stop(), task(OWN, { iter: 'x' }), ['own:loop-prompts/loop-1.txt']],
    ['stays while the loop goes on', stop(), task(OWN), []],
    ['stays where others wrote the frame', saying(DONE), task(OWN, { origin: 'x' }), []],
    ['stays elsewhere', saying(DONE), task('/etc/loop-prompts/a.txt'), []],
    ['is no other file of ours', saying(DONE), task(`${OWN_DIR}/loop.jsonl`), []],
    ['is not reached by dots', saying(DONE), task(`${OWN_DIR}/loop-prompts/../lock`), []],
  ])('as a task %s', async (_how, event, found, keys) => {
    const { changes } = await decide(event, found);
    const removed = changes.filter(({ what }) => what === 'removed a task');
    expect(removed.map(({ document: { base, path } }) => `${base}:${path}`)).toEqual(keys);
    for (const { apply } of removed) expect(apply('the task')).toBeUndefined();
  });

  test('as a command goes, and the last one takes the file along', async () => {
    const change = ctx.changeOf(await decide(saying(DONE), given({})), 'loop-verify.json');
    expect(change?.apply({ commands: SET })).toBeUndefined();
    const other = { 'loop-2': SET['loop-1'] };
    expect(change?.apply({ commands: { ...SET, ...other } })).toEqual({ commands: other });
  });
});
