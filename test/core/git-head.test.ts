import { describe, expect, test } from 'vitest';
import { branchLabel, type GitHead, type HeadPosition } from '../../src/git/head';

const at = (position: HeadPosition): GitHead => ({
  root: '/p',
  gitDir: '/p/.git',
  commonDir: '/p/.git',
  position,
});
const commit = 'a'.repeat(40);

describe('the branch under which state is kept', () => {
  test.each<[string, GitHead | undefined, string]>([
    ['on a branch, its name', at({ kind: 'branch', branch: 'feature/x' }), 'feature/x'],
    ['during a rebase, the branch being rebased', at({ kind: 'rebase', branch: 'topic', commit }), 'topic'],
    ['on a bare commit, a stand-in', at({ kind: 'detached', commit }), '_detached'],
    ['where HEAD cannot be read, a stand-in', at({ kind: 'unreadable', file: 'f', why: 'w' }), '_unreadable'],
    ['without git, a stand-in', undefined, '_no_git'],
  ])('%s', (_, git, expected) => {
    expect(branchLabel(git)).toBe(expected);
  });

  test('has stand-ins that differ from each other', () => {
    const labels = [
      branchLabel(undefined),
      branchLabel(at({ kind: 'detached', commit })),
      branchLabel(at({ kind: 'unreadable', file: 'f', why: 'w' })),
    ];
    expect(new Set(labels).size).toBe(3);
  });
});
