import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askGit } from '../../src/git/run-git';
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
    const bin = join(scratch.dir, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
    process.env['PATH'] = `${bin}:${process.env['PATH']}`;
    expect(askGit(scratch.dir, ['version'])).toBeUndefined();
  });
});
