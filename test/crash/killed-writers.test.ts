import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { updateDocuments } from '../../src/state/update';
import type { Scratch } from '../state/scratch';
import { change, json, makeScratch } from '../state/scratch';
import { STRESS, times } from '../stress';
import type { Ended, Rig } from './rig';
import { buildRig } from './rig';

const ROUNDS = times(8, 200);
const ref = json('requirements/main.json');
let rig: Rig;
let scratch: Scratch;
beforeAll(() => {
  rig = buildRig();
  scratch = makeScratch();
  writeFileSync(join(scratch.dir, 'go'), '');
});
afterAll(async () => {
  await rig.remove();
  scratch.remove();
});

/** What a round showed: updates that were acknowledged, and the longest that a survivor took for one. */
interface Round {
  readonly acknowledged: readonly string[];
  readonly survivors: readonly Ended[];
  readonly slowestMs: number;
  readonly nextMs: number;
}

/**
 * Three writers at once, one of them killed somewhere in its work. This process writes next, before it
 * has looked after the killed one, which is a zombie until then.
 */
async function killOne(round: number): Promise<Round> {
  const writers = [0, 1, 2].map((n) => rig.start('insert', scratch.dir, `r${round}w${n}`, 12));
  const victim = writers[round % 3]!;
  await victim.ready;
  await after(Math.random() * 20);
  victim.child.kill('SIGKILL');
  const begin = Date.now();
  const own = `r${round}next`;
  const next = updateDocuments(
    scratch.layout,
    [change(ref, (now) => ({ ...(now as object), [own]: 1 }))],
    5_000,
  );
  const nextMs = Date.now() - begin;
  expect(next).toMatchObject({ ok: true, value: { failures: [], setAside: [] } });
  const ended = await Promise.all(writers.map((writer) => writer.ended));
  const lines = ended.flatMap((one) => one.lines);
  return {
    acknowledged: [own, ...lines.map((line) => line.split(' ')[0]!)],
    survivors: ended.filter((one) => one.signal === null),
    slowestMs: Math.max(...lines.map((line) => Number(line.split(' ')[1]))),
    nextMs,
  };
}

/** Starts the next round with an empty document; a large one would only make the test slow. */
function empty(): void {
  updateDocuments(scratch.layout, [change(ref, () => ({}))], 5_000);
}

test('writers killed at any moment lose nothing that was acknowledged and hold up nobody', async () => {
  const reader = rig.start('read', scratch.dir);
  let killed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    empty();
    const { acknowledged, survivors, slowestMs, nextMs } = await killOne(round);
    const keys = new Set(Object.keys(JSON.parse(readFileSync(join(scratch.layout.git, ref.path), 'utf8'))));
    expect(acknowledged.filter((key) => !keys.has(key))).toEqual([]);
    for (const one of survivors) expect(one).toMatchObject({ code: 0, stderr: '' });
    // Whoever waits for a dead one's lock gives up after five seconds.
    expect(Math.max(slowestMs, nextMs)).toBeLessThan(5_000);
    killed += 3 - survivors.length;
  }
  writeFileSync(join(scratch.dir, 'stop'), '');
  const read = await reader.ended;
  expect(read).toMatchObject({ code: 0, stderr: '' });
  expect(Number(read.lines[0])).toBeGreaterThan(ROUNDS);
  // In a few rounds it is luck how many are struck before they end.
  if (STRESS) expect(killed).toBeGreaterThan(ROUNDS / 4);
}, 120_000);
