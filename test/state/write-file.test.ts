import { lutimesSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeLeftovers, temporaryBeside } from '../../src/state/files';
import { makeScratch, type Scratch } from './scratch';

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => scratch.remove());

test('only our own temporary files go, and only after an hour', () => {
  const dir = scratch.outside;
  const ours = temporaryBeside(join(dir, 'main.json'));
  const fresh = temporaryBeside(join(dir, 'fresh.json'));
  const theirs = join(dir, 'notes.tmp');
  for (const file of [ours, fresh, theirs]) writeFileSync(file, 'x');
  mkdirSync(temporaryBeside(join(dir, 'directory')));
  const now = Date.now();
  for (const file of [ours, theirs]) utimesSync(file, now / 1000 - 3601, now / 1000 - 3601);
  const aside = temporaryBeside(join(dir, 'lock.steal'));
  symlinkSync('a stamp', aside);
  lutimesSync(aside, now / 1000 - 3601, now / 1000 - 3601);
  expect(removeLeftovers(dir, now, 'lock.')).toEqual([aside]);
  expect(removeLeftovers(dir, now)).toEqual([ours]);
  expect(readdirSync(dir)).toHaveLength(3);
});

test('a directory that is not there has no leftovers', () => {
  expect(removeLeftovers(join(scratch.dir, 'nowhere'), Date.now())).toEqual([]);
});
