import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { scratchDirectory } from '../../src/git/scratch-directory';

let gitDir: string;
beforeEach(() => {
  gitDir = mkdtempSync(join(tmpdir(), 'holdpoint-scratch-'));
});
afterEach(() => rmSync(gitDir, { recursive: true, force: true }));

const make = (): string => scratchDirectory({ root: gitDir, gitDir, commonDir: gitDir });
const own = (name = ''): string => join(gitDir, 'holdpoint', name);

/** A process number that was somebody's a moment ago. */
const deadPid = (): number => spawnSync('/bin/sh', ['-c', 'exit 0']).pid;

/** What another process would have left under its number, or one on another machine. */
function leftover(pid: number, space?: string): string {
  const name = basename(make()).replace(
    /^index-\d+-(.*)-[^-]+$/,
    (_all, here: string) => `index-${pid}-${space ?? here}-abcdef`,
  );
  mkdirSync(own(name));
  writeFileSync(own(`${name}/index.lock`), '');
  return name;
}

it('lies in the repository, for its owner alone, and no two are the same', () => {
  const [one, two] = [make(), make()];
  expect(dirname(one)).toBe(own().replace(/\/$/, ''));
  expect(one).not.toBe(two);
  expect(statSync(one).mode & 0o777).toBe(0o700);
});

it('of a dead process goes with everything in it', () => {
  const name = leftover(deadPid());
  make();
  expect(existsSync(own(name))).toBe(false);
});

it('of a process that lives stays', () => {
  const name = leftover(process.ppid);
  make();
  expect(readdirSync(own(name))).toEqual(['index.lock']);
});

it('of another machine stays for a day', () => {
  const name = leftover(deadPid(), 'elsewhere.pid1');
  make();
  expect(existsSync(own(name))).toBe(true);
  const longAgo = Date.now() / 1000 - 25 * 60 * 60;
  utimesSync(own(name), longAgo, longAgo);
  make();
  expect(existsSync(own(name))).toBe(false);
});

it('is not confused with anything else that lies there', () => {
  for (const name of ['index', 'index-1', 'journal.jsonl']) {
    mkdirSync(own(), { recursive: true });
    writeFileSync(own(name), '');
  }
  make();
  expect(readdirSync(own()).filter((name) => !name.startsWith(`index-${process.pid}-`))).toEqual([
    'index',
    'index-1',
    'journal.jsonl',
  ]);
});
