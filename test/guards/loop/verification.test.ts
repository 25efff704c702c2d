import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { runEffect } from '../../../src/guards/loop/effects';
import * as scene from './scene';

const { S, looping, ours, outcomeOf, saying, sentence, stepOf, stop } = scene;
const vouched = { 'loop-1': { command: 'npm test', at: 1 } };
const VERIFIED = looping([ours(1, 10, { verify: 'npm test' })], {}, { vouched });
const result = (more: object) => ({ effectResult: { command: 'npm test', tail: '', ...more } });

describe('a frame with a command that proves its completion', () => {
  test('asks for it only when a signal claims success', () => {
    expect(stepOf(saying(S), VERIFIED)).toEqual({
      kind: 'effect',
      name: 'verify',
      input: { command: 'npm test' },
    });
    expect(outcomeOf(stop(), VERIFIED).reason).toBe(sentence(2, 10));
    expect(outcomeOf(saying(`\`${S}\``), VERIFIED).reason).not.toBe('');
    expect(outcomeOf(saying('<loop-done>STUCK</loop-done>'), VERIFIED).next).toMatchObject({
      reason: 'STUCK',
    });
  });

  test('has it run in the worktree of the frame', () => {
    const known = { 'loop-1': { command: 'npm test', cwd: '/w/t', at: 1 } };
    const stack = [ours(1, 10, { verify: 'npm test', worktree_path: '/w/t' })];
    const world = looping(stack, {}, { vouched: known });
    expect(stepOf(saying(S), world)).toMatchObject({ input: { command: 'npm test', cwd: '/w/t' } });
  });

  test('is complete when it ends well', () => {
    expect(outcomeOf(saying(S), VERIFIED, scene.CONFIG, result({})).next).toMatchObject({
      reason: 'COMPLETE',
    });
  });

  test('goes on when it does not, counts, and says what failed', () => {
    const failed = result({ how: 'ended with exit code 3', tail: 'one\ntwo' });
    const { reason, next } = outcomeOf(saying(S), VERIFIED, scene.CONFIG, failed);
    expect(reason).toBe(
      `${sentence(2, 10)}\n\nYour completion signal was not accepted: \`npm test\` ended with exit code 3. Its last lines:\none\ntwo`,
    );
    expect(next).toMatchObject({ event: 'STATE', stack: [{ iter: 2 }] });
  });

  test('is at its bound when it does not end well in the last iteration', () => {
    const world = looping([ours(10, 10, { verify: 'npm test' })], {}, { vouched });
    const failed = result({ how: 'ended with exit code 1' });
    expect(outcomeOf(saying(S), world, scene.CONFIG, failed).next).toMatchObject({
      reason: 'MAX_ITERATIONS',
    });
  });

  test('does not take another command’s word', () => {
    const other = { effectResult: { command: 'true', tail: '' } };
    expect(stepOf(saying(S), VERIFIED, scene.CONFIG, other).kind).toBe('effect');
  });

  test.each([
    ['paused', { paused: true }],
    ['disabled', { config: { disabled: true } }],
  ])('is left alone while it is %s', (_how, more) => {
    const world = looping([ours(1, 10, { verify: 'npm test' })], more, { vouched });
    expect(stepOf(saying(S), world).kind).toBe('outcome');
  });
});

describe('a command that `loop start` did not set on this machine', () => {
  const NO_GIT = { kind: 'unreadable', file: 'x', why: 'is not JSON' } as const;
  test.each<[string, JsonObject, scene.World]>([
    ['nobody has set any', {}, {}],
    ['of another frame', {}, { vouched: { 'loop-2': { command: 'npm test' } } }],
    ['another one was set', {}, { vouched: { 'loop-1': { command: 'npm  test' } } }],
    ['for another directory', { worktree_path: '/w/t' }, { vouched }],
    ['for a worktree', {}, { vouched: { 'loop-1': { command: 'npm test', cwd: '/w/t' } } }],
    ['of a frame without a name', { id: null }, { vouched: { null: { command: 'npm test' } } }],
    ['for a frame that is named like a member of all objects', { id: 'constructor' }, { vouched }],
    ['what was set cannot be read', {}, { documents: { 'own:loop-verify.json': NO_GIT } }],
  ])('is not run (%s), and the person is told in one line', (_why, more, world) => {
    const outcome = outcomeOf(saying(S), looping([ours(1, 10, { verify: 'npm test', ...more })], {}, world));
    expect(outcome.next).toMatchObject({ event: 'DONE', reason: 'COMPLETE' });
    expect(scene.toPerson(outcome)).toMatch(/^The loop: its command "npm test" was not run, since .*\.$/);
  });

  test('is not run without git, whatever stands in the file', () => {
    const world = { ...VERIFIED, git: undefined };
    expect(outcomeOf(saying(S), world).next).toMatchObject({ reason: 'COMPLETE' });
  });

  test('is shown short and on one line', () => {
    const verify = `a\nb${'x'.repeat(500)}`;
    const told = scene.toPerson(outcomeOf(saying(S), looping([ours(1, 10, { verify })])));
    expect([told.includes('\n'), told.length < 300]).toEqual([false, true]);
  });

  test('is told of where an outer loop goes on, too', () => {
    const outer = scene.grind(1, 100, { on_child_done: 'resume' });
    const outcome = outcomeOf(saying(S), looping([outer, ours(1, 10, { verify: 'npm test' })]));
    expect(outcome.reason).toBe(sentence(2, 100));
    expect(outcome.odd.join()).toContain('"npm test" was not run');
  });
});

describe('the command', () => {
  let dir = '';
  beforeAll(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-verify-')));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const verify = (command: string, more: object = {}, ms = 20_000) =>
    runEffect(
      'verify',
      { command, ...more },
      { projectRoot: dir, env: { PATH: process.env['PATH'] }, deadline: Date.now() + ms },
    );

  test('ends well', async () => {
    expect(await verify('echo fine; pwd')).toEqual({ command: 'echo fine; pwd', tail: `fine\n${dir}` });
  });

  test('fails with its code and its last twenty lines', async () => {
    const command = 'i=0; while [ $i -lt 50 ]; do i=$((i+1)); echo line $i; done; echo bad >&2; exit 7';
    const { how, tail } = (await verify(command)) as { how: string; tail: string };
    expect(how).toBe('ended with exit code 7');
    expect(tail.split('\n')).toHaveLength(20);
    expect(tail.endsWith('line 50\nbad')).toBe(true);
  });

  test('that hangs is ended at the deadline', async () => {
    expect(await verify('sleep 60', {}, 300)).toMatchObject({
      how: expect.stringContaining('did not end within'),
    });
  });

  test('that kills itself, or has no directory, is refused too', async () => {
    expect(await verify('kill -9 $$')).toMatchObject({ how: 'was ended by SIGKILL' });
    expect(await verify('true', { cwd: join(dir, 'gone') })).toMatchObject({
      how: expect.stringContaining('could not be started'),
    });
  });

  test('is the only effect there is', async () => {
    await expect(runEffect('other', {}, { projectRoot: dir, env: {}, deadline: 0 })).rejects.toThrow(
      'no effect',
    );
  });
});
