import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { scratchIndex } from '../../src/git/snapshot-tree';

let gitDir: string;
beforeEach(() => {
  gitDir = mkdtempSync(join(tmpdir(), 'holdpoint-scratch-'));
});
afterEach(() => rmSync(gitDir, { recursive: true, force: true }));

const make = (now = Date.now()): string => scratchIndex({ root: gitDir, gitDir, commonDir: gitDir }, now);
const own = (name = ''): string => join(gitDir, 'holdpoint', name);

/** A process number that was somebody's a moment ago. */
const deadPid = (): number => spawnSync('/bin/sh', ['-c', 'exit 0']).pid;

/** What another process would have left under its number, or one on another machine. */
function leftover(pid: number, space?: string): string {
  const name = basename(make()).replace(
    /^index-\d+-(.*)-[^-]+$/,
    (_all, here: string) => `index-${pid}-${space ?? here}-abcdef`,
  );
  for (const file of [name, `${name}.lock`, `${name}.steps`]) writeFileSync(own(file), '');
  return name;
}

it('lies in the repository, in a directory for its owner alone, and no two are the same', () => {
  const [one, two] = [make(), make()];
  expect(dirname(one)).toBe(own().replace(/\/$/, ''));
  expect(one).not.toBe(two);
  expect(statSync(dirname(one)).mode & 0o777).toBe(0o700);
});

it('of a dead process goes with everything beside it', () => {
  leftover(deadPid());
  make();
  expect(readdirSync(own())).toEqual([]);
});

it('of a dead process goes where an older version has made a directory for it', () => {
  const name = leftover(deadPid());
  rmSync(own(name));
  mkdirSync(own(name));
  writeFileSync(own(`${name}/index.lock`), '');
  make();
  expect(readdirSync(own())).toEqual([]);
});

it('of a process that lives stays', () => {
  const name = leftover(process.ppid);
  make();
  expect(readdirSync(own())).toEqual([name, `${name}.lock`, `${name}.steps`]);
});

it('of another machine stays for a day', () => {
  const name = leftover(deadPid(), 'elsewhere.pid1');
  make();
  expect(existsSync(own(name))).toBe(true);
  make(Date.now() + 25 * 60 * 60_000);
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
