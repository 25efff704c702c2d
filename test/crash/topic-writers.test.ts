import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { updateDocuments } from '../../src/state/update';
import { bodiesIn, makeTopicScratch, post, type TopicScratch, topicRef } from '../state/topic-rig';
import { STRESS, times } from '../stress';
import type { Rig } from './rig';
import { buildRig } from './rig';

const ROUNDS = times(20, 200);
let rig: Rig;
let scratch: TopicScratch;
beforeAll(() => {
  rig = buildRig();
});
afterAll(() => rig.remove());
beforeEach(() => {
  scratch = makeTopicScratch();
});
afterEach(() => scratch.remove());

/** The file as the older program reads it: each line by itself, one that is no JSON passed over. */
function linesOf(file: string): { whole: Record<string, unknown>[]; broken: string[] } {
  const whole: Record<string, unknown>[] = [];
  const broken: string[] = [];
  const text = readFileSync(file, 'utf8');
  for (const line of text.split('\n').filter((one) => one !== '')) {
    try {
      whole.push(JSON.parse(line));
    } catch {
      broken.push(line);
    }
  }
  return { whole, broken };
}

const bodiesOf = (lines: Record<string, unknown>[]) =>
  lines
    .filter(({ type }) => type === 'message')
    .map(({ body }) => String(JSON.parse(String(body)).body))
    .sort();

test('a writer killed at any moment leaves whole lines, and the next one goes on', async () => {
  writeFileSync(join(scratch.dir, 'go'), '');
  const acknowledged: string[] = [];
  let killed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const name = `r${round}`;
    const writer = rig.start('topic', scratch.dir, name, 40, 20_000);
    await writer.ready;
    await after(Math.random() * 20);
    writer.child.kill('SIGKILL');
    const { lines, signal, stderr } = await writer.ended;
    expect(stderr).toBe('');
    killed += signal === 'SIGKILL' ? 1 : 0;
    const own = JSON.stringify({ session_id: name, body: `${name}-next` });
    const next = updateDocuments(scratch.layout, [post(own, topicRef(name))], 5_000);
    expect(next).toMatchObject({ ok: true, value: { failures: [] } });
    expect(bodiesIn(scratch.layout, topicRef(name))).toEqual([own]);
    acknowledged.push(...lines, `${name}-next`);
    const { whole, broken } = linesOf(scratch.file);
    // One write may have been cut in the middle; what it left is a line of its own.
    expect(broken.length).toBeLessThanOrEqual(round + 1);
    expect(whole[0]).toMatchObject({ type: 'topic', name: 'loop:current' });
    if (round % 20 === 19) {
      const there = new Set(bodiesOf(whole));
      expect(acknowledged.filter((body) => !there.has(body))).toEqual([]);
    }
  }
  // In a few rounds it is luck how many are struck before they end.
  if (STRESS) expect(killed).toBeGreaterThan(ROUNDS / 2);
  const { whole } = linesOf(scratch.file);
  expect(whole.filter(({ type }) => type === 'topic')).toHaveLength(1);
  expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
}, 120_000);

test('ten processes that post at once lose nothing, and begin the topic once', async () => {
  const running = Array.from({ length: 10 }, (_, n) => rig.start('topic', scratch.dir, `p${n}`, 20, 100));
  await Promise.all(running.map((one) => one.ready));
  writeFileSync(join(scratch.dir, 'go'), '');
  const ended = await Promise.all(running.map((one) => one.ended));
  expect(ended).toMatchObject(ended.map(() => ({ code: 0, stderr: '' })));
  const { whole, broken } = linesOf(scratch.file);
  expect(broken).toEqual([]);
  expect(bodiesOf(whole)).toEqual(ended.flatMap((one) => one.lines).sort());
  expect(whole.map(({ type }) => type)).toEqual(['topic', ...Array.from({ length: 200 }, () => 'message')]);
  const times = whole.slice(1).map(({ created_at: at }) => Number(at));
  expect(times.filter((at, index) => index > 0 && at <= (times[index - 1] ?? 0))).toEqual([]);
});
