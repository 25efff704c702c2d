import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readDocument } from '../../src/state/documents';
import { logFiles, readJournal } from '../../src/state/journal';
import type { Scratch } from '../state/scratch';
import { json, makeScratch } from '../state/scratch';
import { times } from '../stress';
import type { Rig } from './rig';
import { buildRig } from './rig';

let rig: Rig;
let scratch: Scratch;
beforeAll(() => {
  rig = buildRig();
});
afterAll(() => rig.remove());
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => scratch.remove());

/** Starts processes of one job, lets them go together and waits for all. */
async function runTogether(processes: number, job: string, ...args: number[]) {
  const running = Array.from({ length: processes }, (_, n) => rig.start(job, scratch.dir, `p${n}`, ...args));
  await Promise.all(running.map((one) => one.ready));
  writeFileSync(join(scratch.dir, 'go'), '');
  return Promise.all(running.map((one) => one.ended));
}

const MANY = times(8, 32);
const SOME = times(4, 8);

const well = (count: number) => Array.from({ length: count }, () => ({ code: 0, stderr: '' }));

test('many processes with 20 updates each lose none of them', async () => {
  const ended = await runTogether(MANY, 'insert', 20);
  expect(ended).toMatchObject(well(MANY));
  const acknowledged = ended.flatMap((one) => one.lines.map((line) => line.split(' ')[0]!));
  const found = readDocument(scratch.layout, json('requirements/main.json'));
  expect(found.kind === 'present' && Object.keys(found.value as object).sort()).toEqual(acknowledged.sort());
  expect(acknowledged).toHaveLength(MANY * 20);
  expect(readdirSync(join(scratch.layout.git, 'requirements'))).toEqual(['main.json']);
  expect(readdirSync(scratch.layout.own)).toEqual([]);
});

test('many processes with 100 journal lines each lose none of them', async () => {
  expect(await runTogether(MANY, 'journal', 100, 50)).toMatchObject(well(MANY));
  const ids = [...readJournal(scratch.layout)].map((line) => line['id']);
  expect(ids).toHaveLength(MANY * 100);
  expect(new Set(ids).size).toBe(MANY * 100);
});

test('rotation under many writers loses nothing while all of it fits', async () => {
  expect(await runTogether(SOME, 'journal', 800 / SOME, 15_000)).toMatchObject(well(SOME));
  expect(new Set([...readJournal(scratch.layout)].map((line) => line['id'])).size).toBe(800);
  expect(statSync(logFiles(scratch.layout, 'journal')[1]!).size).toBeGreaterThan(0);
});

/** Half as much again as the journal wants to have in one. */
const LARGEST_FILE = 6 * 1024 * 1024;

test('rotation drops the oldest lines only, and the journal stays bounded', async () => {
  const each = 2400 / SOME;
  expect(await runTogether(SOME, 'journal', each, 15_000)).toMatchObject(well(SOME));
  const kept = new Map<string, number[]>();
  for (const { by, n } of readJournal(scratch.layout)) {
    kept.set(String(by), [...(kept.get(String(by)) ?? []), Number(n)]);
  }
  expect([...kept.values()].flat().length).toBeGreaterThan(700);
  expect([...kept.values()].flat().length).toBeLessThan((4 * LARGEST_FILE) / 15_000);
  for (const numbers of kept.values()) {
    expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, index) => each - numbers.length + index));
  }
  // The others go on appending while one puts the file away, so that the limit is passed by a little.
  for (const file of logFiles(scratch.layout, 'journal')) {
    expect(statSync(file).size).toBeLessThan(LARGEST_FILE);
  }
});

const DYING = times(6, 16);

test('processes that die with the lock in hand are followed by one at a time', async () => {
  const dead = JSON.stringify({ pid: 2 ** 22 + 1, host: '', nonce: 'dead', at: 0 });
  mkdirSync(scratch.layout.own);
  writeFileSync(join(scratch.layout.own, 'lock'), dead);
  writeFileSync(join(scratch.layout.own, 'lock.steal'), dead);
  const ended = await runTogether(DYING, 'section', 40);
  expect(ended).toMatchObject(Array.from({ length: DYING }, () => ({ signal: 'SIGKILL', stderr: '' })));
  expect(overlaps()).toEqual([]);
});

/** Pairs of log lines that are not one process entering and the same one leaving. */
function overlaps(): string[] {
  const lines = readFileSync(join(scratch.dir, 'log'), 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(DYING * 40 * 2);
  return lines.filter((line, index) => {
    const [what, who] = line.split(' ');
    return index % 2 === 0 ? what !== 'enter' : what !== 'leave' || lines[index - 1] !== `enter ${who}`;
  });
}
