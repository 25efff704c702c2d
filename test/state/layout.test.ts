import { describe, expect, test } from 'vitest';
import type { GitHead } from '../../src/git/head';
import { containerOf, documentFile, layoutOf, projectLockFile } from '../../src/state/documents';

const head: GitHead = {
  root: '/w/tree',
  gitDir: '/w/main/.git/worktrees/tree',
  commonDir: '/w/main/.git',
  worktree: 'tree',
  position: { kind: 'branch', branch: 'b' },
};

describe('layoutOf', () => {
  test('a linked work tree keeps its state in the shared git directory', () => {
    const layout = layoutOf('/w/tree', head, '/h', false);
    expect(layout).toEqual({
      root: '/w/tree',
      git: '/w/main/.git',
      own: '/w/main/.git/holdpoint',
      home: '/h',
    });
  });

  test('without git our own directory serves, where there is one', () => {
    const own = { root: '/w', git: '/w/.holdpoint', own: '/w/.holdpoint/state', home: '/h' };
    expect(layoutOf('/w', undefined, '/h', true)).toEqual(own);
    expect(layoutOf('/w', undefined, '/h', false)).toBeUndefined();
  });
});

describe('documentFile', () => {
  const layout = layoutOf('/w/tree', head, '/h', false)!;
  const at = (base: 'git' | 'own' | 'project' | 'home', path: string) =>
    documentFile(layout, { base, path, format: 'json', durability: 'durable' });

  test.each([
    ['git', 'requirements/main.json', '/w/main/.git/requirements/main.json'],
    ['own', 'loop.jsonl', '/w/main/.git/holdpoint/loop.jsonl'],
    ['project', '.isdlc/state.json', '/w/tree/.isdlc/state.json'],
    ['home', '.claude/sessions.json', '/h/.claude/sessions.json'],
    ['git', 'a/../b.json', '/w/main/.git/b.json'],
    ['git', '..b.json', '/w/main/.git/..b.json'],
  ] as const)('%s and %s is %s', (base, path, file) => {
    expect(at(base, path)).toBe(file);
  });

  test.each(['/etc/passwd', '..', '../x', 'a/../../x', '.', 'a/..', ''])(
    '%j leaves its base and throws',
    (path) => {
      expect(() => at('git', path)).toThrow('leaves its base');
    },
  );

  test('lock and journal are in our own directory', () => {
    expect(projectLockFile(layout)).toBe('/w/main/.git/holdpoint/lock');
  });
});

test('a directory that came with the project is contained by the project', () => {
  const bare = layoutOf('/w', undefined, '/h', true)!;
  expect(containerOf(bare, 'own')).toBe('/w');
  expect(containerOf(bare, 'git')).toBe('/w');
  expect(containerOf(layoutOf('/w/tree', head, '/h', false)!, 'own')).toBe('/w/main/.git');
});
