import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHeadCommit } from '../../src/git/head';
import { type AskGit, askGit } from '../../src/git/run-git';
import { readGitHead } from './read-git-head';
import { makeScratch, type Scratch } from './scratch-repo';

let scratch: Scratch;
beforeAll(() => {
  scratch = makeScratch();
});
afterAll(() => scratch.remove());

describe('a reftable repository', () => {
  const COMMIT = 'c'.repeat(40);

  function reftable(name: string, head = 'ref: refs/heads/.invalid\n'): string {
    const root = join(scratch.dir, name);
    mkdirSync(join(root, '.git/reftable'), { recursive: true });
    mkdirSync(join(root, '.git/refs'));
    writeFileSync(join(root, '.git/refs/heads'), 'this repository uses the reftable format\n');
    writeFileSync(join(root, '.git/HEAD'), head);
    return root;
  }

  function recording(answers: Record<string, string>): { asked: string[]; ask: AskGit } {
    const asked: string[] = [];
    return {
      asked,
      ask(dir, args) {
        asked.push(`${dir}: ${args.join(' ')}`);
        return answers[args.join(' ')];
      },
    };
  }

  it('has its branch and commit asked from git', () => {
    const root = reftable('reftable branch');
    const { ask, asked } = recording({
      'symbolic-ref --quiet HEAD': 'refs/heads/feature/x\n',
      'rev-parse --verify --quiet refs/heads/feature/x': `${COMMIT}\n`,
    });
    const head = readGitHead(root, ask);
    expect(head?.position).toEqual({ kind: 'branch', branch: 'feature/x' });
    expect(head && readHeadCommit(head, ask)).toBe(COMMIT);
    expect(asked).toEqual([
      `${root}: symbolic-ref --quiet HEAD`,
      `${root}: rev-parse --verify --quiet refs/heads/feature/x`,
    ]);
  });

  it('is asked as well when HEAD looks like that of any repository', () => {
    const root = reftable('reftable plain head', 'ref: refs/heads/stale\n');
    const { ask } = recording({ 'symbolic-ref --quiet HEAD': 'refs/heads/real' });
    expect(readGitHead(root, ask)?.position).toEqual({ kind: 'branch', branch: 'real' });
  });

  it('is asked when only HEAD says so', () => {
    const root = reftable('reftable head only');
    rmSync(join(root, '.git/reftable'), { recursive: true });
    mkdirSync(join(root, '.git/objects'));
    const { ask } = recording({ 'symbolic-ref --quiet HEAD': 'refs/heads/real' });
    expect(readGitHead(root, ask)?.position).toEqual({ kind: 'branch', branch: 'real' });
  });

  it('is detached when HEAD is no symbolic reference', () => {
    const { ask } = recording({ 'rev-parse --verify --quiet HEAD': COMMIT });
    expect(readGitHead(reftable('reftable detached'), ask)?.position).toEqual({
      kind: 'detached',
      commit: COMMIT,
    });
  });

  it('knows the branch that is being rebased', () => {
    const root = reftable('reftable rebase');
    mkdirSync(join(root, '.git/rebase-merge'));
    writeFileSync(join(root, '.git/rebase-merge/head-name'), 'refs/heads/topic\n');
    const { ask } = recording({ 'rev-parse --verify --quiet HEAD': COMMIT });
    expect(readGitHead(root, ask)?.position).toEqual({ kind: 'rebase', branch: 'topic', commit: COMMIT });
  });

  it('has no commit while its branch is unborn', () => {
    const { ask } = recording({ 'symbolic-ref --quiet HEAD': 'refs/heads/new' });
    const head = readGitHead(reftable('reftable unborn'), ask);
    expect(head && readHeadCommit(head, ask)).toBeUndefined();
  });

  it('is unreadable when git does not answer, and not taken for a branch', () => {
    const root = reftable('reftable mute');
    expect(readGitHead(root, () => undefined)?.position).toMatchObject({
      kind: 'unreadable',
      file: join(root, '.git/HEAD'),
    });
  });

  it('is unreadable when the installed git takes it for no repository', () => {
    const root = reftable('reftable real git');
    expect(readGitHead(root, askGit)?.position.kind).toBe('unreadable');
  });
});
