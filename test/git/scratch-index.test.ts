import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { scratchIndex, takeSnapshot } from '../../src/git/snapshot-tree';

let gitDir: string;
beforeEach(() => {
  gitDir = mkdtempSync(join(tmpdir(), 'holdpoint-scratch-'));
});
afterEach(() => rmSync(gitDir, { recursive: true, force: true }));

const make = (now = Date.now()): string => scratchIndex({ root: gitDir, gitDir, commonDir: gitDir }, now);
const own = (name = ''): string => join(gitDir, 'holdpoint', name);

/** What a killed process would have left, of this version or of an earlier one. */
function leftovers(): string[] {
  make();
  const names = ['index-1-abcdef', 'index-1-host.pid4026531836-abcdef'].flatMap((name) => [
    name,
    `${name}.lock`,
  ]);
  for (const name of names) writeFileSync(own(name), '');
  mkdirSync(own('index-2-host.pid1-abcdef'));
  return [...names, 'index-2-host.pid1-abcdef'].sort();
}

it('lies in the repository, in a directory for its owner alone, and no two are the same', () => {
  const [one, two] = [make(), make()];
  expect(dirname(one)).toBe(own().replace(/\/$/, ''));
  expect(one).not.toBe(two);
  expect(statSync(dirname(one)).mode & 0o777).toBe(0o700);
});

it('of another process stays for an hour, and then goes with everything beside it', () => {
  const names = leftovers();
  make(Date.now() + 59 * 60_000);
  expect(readdirSync(own()).sort()).toEqual(names);
  make(Date.now() + 61 * 60_000);
  expect(readdirSync(own())).toEqual([]);
});

it('is not confused with anything else that lies there', () => {
  for (const name of ['index', 'index-1', 'journal.jsonl']) {
    mkdirSync(own(), { recursive: true });
    writeFileSync(own(name), '');
  }
  make(Date.now() + 61 * 60_000);
  expect(readdirSync(own())).toEqual(['index', 'index-1', 'journal.jsonl']);
});

it.each(['index', 'config'])('a pipe in the place of %s does not keep us waiting', async (name) => {
  spawnSync('git', ['init', '-q', gitDir]);
  const git = { root: gitDir, gitDir: join(gitDir, '.git'), commonDir: join(gitDir, '.git') };
  if (name === 'config') writeFileSync(join(git.gitDir, 'index'), 'x');
  rmSync(join(git.gitDir, name), { force: true });
  spawnSync('mkfifo', [join(git.gitDir, name)]);
  const taken = await takeSnapshot(git, { env: process.env, leaveOut: [], until: Date.now() + 500 });
  expect(taken.ok).toBe(false);
});
