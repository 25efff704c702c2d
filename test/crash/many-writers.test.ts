import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readDocument } from '../../src/state/documents';
import { journalFiles, readJournal } from '../../src/state/journal';
import type { Scratch } from '../state/scratch';
import { json, makeScratch } from '../state/scratch';
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

const well = (count: number) => Array.from({ length: count }, () => ({ code: 0, stderr: '' }));

test('32 processes with 20 updates each lose none of them', async () => {
  const ended = await runTogether(32, 'insert', 20);
  expect(ended).toMatchObject(well(32));
  const acknowledged = ended.flatMap((one) => one.lines.map((line) => line.split(' ')[0]!));
  const found = readDocument(scratch.layout, json('requirements/main.json'));
  expect(found.kind === 'present' && Object.keys(found.value as object).sort()).toEqual(acknowledged.sort());
  expect(acknowledged).toHaveLength(640);
  expect(readdirSync(join(scratch.layout.git, 'requirements'))).toEqual(['main.json']);
  expect(readdirSync(scratch.layout.own)).toEqual([]);
});

test('32 processes with 100 journal lines each lose none of them', async () => {
  expect(await runTogether(32, 'journal', 100, 50)).toMatchObject(well(32));
  const ids = [...readJournal(scratch.layout)].map((line) => line['id']);
  expect(ids).toHaveLength(3_200);
  expect(new Set(ids).size).toBe(3_200);
});

test('rotation under many writers loses nothing while all of it fits', async () => {
  expect(await runTogether(8, 'journal', 100, 15_000)).toMatchObject(well(8));
  expect(new Set([...readJournal(scratch.layout)].map((line) => line['id'])).size).toBe(800);
  expect(statSync(journalFiles(scratch.layout)[1]!).size).toBeGreaterThan(0);
});

/** Half as much again as the journal wants to have in one. */
const LARGEST_FILE = 6 * 1024 * 1024;

test('rotation drops the oldest lines only, and the journal stays bounded', async () => {
  expect(await runTogether(8, 'journal', 300, 15_000)).toMatchObject(well(8));
  const kept = new Map<string, number[]>();
  for (const { by, n } of readJournal(scratch.layout)) {
    kept.set(String(by), [...(kept.get(String(by)) ?? []), Number(n)]);
  }
  expect([...kept.values()].flat().length).toBeGreaterThan(700);
  expect([...kept.values()].flat().length).toBeLessThan((4 * LARGEST_FILE) / 15_000);
  for (const numbers of kept.values()) {
    expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, index) => 300 - numbers.length + index));
  }
  // The others go on appending while one puts the file away, so that the limit is passed by a little.
  for (const file of journalFiles(scratch.layout)) {
    expect(statSync(file).size).toBeLessThan(LARGEST_FILE);
  }
});

test('16 processes that die with the lock in hand are followed by one at a time', async () => {
  const dead = JSON.stringify({ pid: 2 ** 22 + 1, host: '', nonce: 'dead', at: 0 });
  mkdirSync(scratch.layout.own);
  writeFileSync(join(scratch.layout.own, 'lock'), dead);
  writeFileSync(join(scratch.layout.own, 'lock.steal'), dead);
  const ended = await runTogether(16, 'section', 40);
  expect(ended).toMatchObject(Array.from({ length: 16 }, () => ({ signal: 'SIGKILL', stderr: '' })));
  expect(overlaps()).toEqual([]);
});

/** Pairs of log lines that are not one process entering and the same one leaving. */
function overlaps(): string[] {
  const lines = readFileSync(join(scratch.dir, 'log'), 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(16 * 40 * 2);
  return lines.filter((line, index) => {
    const [what, who] = line.split(' ');
    return index % 2 === 0 ? what !== 'enter' : what !== 'leave' || lines[index - 1] !== `enter ${who}`;
  });
}
