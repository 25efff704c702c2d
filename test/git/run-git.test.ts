import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askGit, runGit } from '../../src/git/run-git';
import { makeScratch, type Scratch } from './scratch-repo';

let scratch: Scratch;
const before = { ...process.env };
beforeAll(() => {
  scratch = makeScratch();
});
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
afterAll(() => scratch.remove());

describe('askGit', () => {
  it('gives what git printed, without the line end', () => {
    const root = scratch.repo('plain');
    expect(askGit(root, ['rev-parse', 'HEAD'])).toBe(scratch.git(root, 'rev-parse', 'HEAD'));
  });

  it('keeps an empty answer apart from none', () => {
    const root = scratch.repo('silent');
    expect(askGit(root, ['rev-parse', '--verify', '--quiet', 'refs/heads/none'])).toBeUndefined();
    expect(askGit(root, ['tag', '--list'])).toBe('');
  });

  it('asks about the directory and not about what the environment names', () => {
    const root = scratch.repo('asked');
    const other = scratch.repo('other');
    process.env['GIT_DIR'] = join(other, '.git');
    process.env['GIT_WORK_TREE'] = other;
    expect(askGit(root, ['rev-parse', '--show-toplevel'])).toBe(root);
  });

  it('takes an argument for an argument', () => {
    const root = scratch.repo('no shell');
    expect(askGit(root, ['rev-parse', '--sq-quote', '$(id); `id`'])).toBe(` '$(id); \`id\`'`);
  });

  it('has no answer outside of a repository', () => {
    expect(askGit(scratch.dir, ['rev-parse', 'HEAD'])).toBeUndefined();
  });

  it('has no answer for a directory that is not there', () => {
    expect(askGit(join(scratch.dir, 'gone'), ['version'])).toBeUndefined();
  });

  it('has no answer where git is not installed', () => {
    process.env['PATH'] = scratch.dir;
    expect(askGit(scratch.dir, ['version'])).toBeUndefined();
  });

  it('gives up on a git that does not end', () => {
    withSlowGit();
    expect(askGit(scratch.dir, ['version'])).toBeUndefined();
  });
});

/** From now on, `git` takes ten minutes. */
function withSlowGit(): void {
  const bin = mkdtempSync(join(scratch.dir, 'bin-'));
  writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
  process.env['PATH'] = `${bin}:${process.env['PATH']}`;
}

describe.each([
  ['in a process that waits', () => undefined],
  ['in a server', () => new AbortController().signal],
])('runGit %s', (_, signal) => {
  const call = (...args: string[]) => ({ cwd: scratch.dir, env: process.env, signal: signal(), args });

  it('tells how git ended, what it printed and what it complained of', async () => {
    const root = scratch.repo(`told-${signal() === undefined}`);
    const head = scratch.git(root, 'rev-parse', 'HEAD');
    const good = await runGit({ ...call('rev-parse', 'HEAD'), cwd: root });
    expect(good).toEqual({ code: 0, printed: `${head}\n`, said: '' });
    const bad = await runGit({ ...call('rev-parse', 'HEAD'), cwd: scratch.dir });
    expect(bad).toMatchObject({ code: 128, said: expect.stringMatching(/^fatal: /) });
    const read = await runGit({ ...call('hash-object', '--stdin'), cwd: root, input: '' });
    expect(read.printed).toBe('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n');
  });

  it('ends git when its time is over', async () => {
    withSlowGit();
    const { code, said } = await runGit({ ...call('version'), env: process.env, until: Date.now() + 50 });
    expect(code).toBe(-1);
    expect(said).not.toBe('');
  });

  it('says why git could not be started', async () => {
    process.env['PATH'] = scratch.dir;
    const gone = join(scratch.dir, 'gone');
    expect(await runGit({ ...call('version'), cwd: gone })).toMatchObject({
      code: -1,
      said: `the directory ${gone} is gone`,
    });
    expect(await runGit(call('version'))).toMatchObject({ code: -1, said: 'git was not found on the PATH' });
  });
});
