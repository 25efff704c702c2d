import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { globMatcher } from '../../../src/core/text';
import type { EntryPoint } from '../../../src/guards/gates/config';
import {
  activeEntries,
  detectCi,
  findJobs,
  gateNames,
  type Job,
  type PathKind,
} from '../../../src/guards/gates/detect';
import { check, entry, gates, review } from './configs';

describe('a pattern', () => {
  const CASES: readonly [pattern: string, path: string, matches: boolean][] = [
    ['*.md', 'a.md', true],
    ['*.md', 'docs/a.md', false],
    ['**/*.md', 'a.md', true],
    ['**/*.md', 'docs/deep/a.md', true],
    ['docs/**/*.md', 'docs/a.md', true],
    ['docs/**', 'docs/a/b', true],
    ['docs/**', 'documents/a', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['?', '€', true],
    ['?', '😀', true],
    ['*', '.hidden', true],
    ['[a-c]x', 'bx', true],
    ['[a-c]x', 'dx', false],
    ['[!a-c]x', 'dx', true],
    ['[^a]x', 'ax', false],
    ['[]]x', ']x', true],
    ['[-a]x', '-x', true],
    ['[a', '[a', true],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['*.{ts,tsx}', 'a.js', false],
    ['{a,b{c,d}}/x', 'bd/x', true],
    ['{a,b{c,d}}/x', 'b/x', false],
    ['{a}', '{a}', true],
    ['\\*', '*', true],
    ['\\*', 'x', false],
    ['src/*.test.*', 'src/a.test.ts', true],
    ['ünï*', 'ünïcode', true],
  ];
  test.each(CASES)('%s on %s: %s', (pattern, path, matches) => {
    expect(globMatcher(pattern)(path)).toBe(matches);
  });

  it('cannot be made to hang', () => {
    const started = performance.now();
    expect(globMatcher(`${'*a'.repeat(50)}b`)('a'.repeat(5000))).toBe(false);
    expect(globMatcher(`${'**/a/'.repeat(50)}b`)('a/'.repeat(2000))).toBe(false);
    expect(globMatcher('{a,b}'.repeat(40))('a'.repeat(40))).toBe(false);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe('entry points', () => {
  type Case = {
    readonly entries: readonly (string | Partial<EntryPoint>)[];
    readonly changed: readonly string[];
    /** The active ones with their files. */
    readonly active: Readonly<Record<string, readonly string[]>>;
  };
  const CASES: Readonly<Record<string, Case>> = {
    'the root is active for any change': { entries: ['.'], changed: ['a'], active: { '.': ['a'] } },
    'nothing is active without changes': { entries: ['.', 'src', 'x/*', '**'], changed: [], active: {} },
    'the root is left out if all is excluded': {
      entries: [{ path: '.', exclude: ['docs', '*.md'] }],
      changed: ['docs/a.txt', 'README.md'],
      active: {},
    },
    'a directory is active for what is in it': {
      entries: ['app'],
      changed: ['app/x', 'app/y/z', 'lib/x'],
      active: { app: ['app/x', 'app/y/z'] },
    },
    'a directory is not active for one whose name is longer': {
      entries: ['app'],
      changed: ['apple/x', 'app.ts'],
      active: {},
    },
    'a file is active for itself': {
      entries: ['package.json'],
      changed: ['package.json', 'x/package.json'],
      active: { 'package.json': ['package.json'] },
    },
    'a directory whose files are all gone is active': {
      entries: ['old'],
      changed: ['old/gone'],
      active: { old: ['old/gone'] },
    },
    'every child of a directory is an entry of its own': {
      entries: [{ path: 'packages/*', exclude: ['**/*.md'] }],
      changed: ['packages/a/x.ts', 'packages/b/r.md', 'packages/c/y.ts', 'packages/a/z.ts', 'other/d/x'],
      active: { 'packages/a': ['packages/a/x.ts', 'packages/a/z.ts'], 'packages/c': ['packages/c/y.ts'] },
    },
    'a file among the children is one of them': {
      entries: ['packages/*'],
      changed: ['packages/loose.ts'],
      active: { 'packages/loose.ts': ['packages/loose.ts'] },
    },
    'a star alone means every child of the root': {
      entries: ['*'],
      changed: ['a/x', 'top.txt'],
      active: { a: ['a/x'], 'top.txt': ['top.txt'] },
    },
    'a star behind a name means the children whose names begin so': {
      entries: ['src*', 'libs/ui-*'],
      changed: ['src/a', 'src-gen/b', 'sr/c', 'libs/ui-x/d', 'libs/api/e'],
      active: { src: ['src/a'], 'src-gen': ['src-gen/b'], 'libs/ui-x': ['libs/ui-x/d'] },
    },
    'children with names that look like patterns stand for themselves': {
      entries: ['app/*'],
      changed: ['app/[slug]/page.tsx', 'app/s/page.tsx'],
      active: { 'app/[slug]': ['app/[slug]/page.tsx'], 'app/s': ['app/s/page.tsx'] },
    },
    'a directory with such a name can be named': {
      entries: ['app/[slug]'],
      changed: ['app/[slug]/page.tsx'],
      active: { 'app/[slug]': ['app/[slug]/page.tsx'] },
    },
    'a pattern stays one entry': {
      entries: ['docs/**/*.md'],
      changed: ['docs/a.md', 'docs/x/b.md', 'docs/c.txt', 'a.md'],
      active: { 'docs/**/*.md': ['docs/a.md', 'docs/x/b.md'] },
    },
    'a pattern may name directories': {
      entries: ['packages/*/src'],
      changed: ['packages/a/src/x.ts', 'packages/a/test/x.ts'],
      active: { 'packages/*/src': ['packages/a/src/x.ts'] },
    },
    'excludes without signs are files or directories': {
      entries: [{ path: 'src', exclude: ['src/gen', 'src/a.ts'] }],
      changed: ['src/gen/x', 'src/a.ts', 'src/generic', 'src/a.tsx'],
      active: { src: ['src/generic', 'src/a.tsx'] },
    },
    'excluded directories may have names that look like patterns': {
      entries: [{ path: '.', exclude: ['app/[slug]'] }],
      changed: ['app/[slug]/page.tsx'],
      active: {},
    },
    'names need not be plain': {
      entries: ['src'],
      changed: ['src/üñí "q".txt', 'src/new\nline'],
      active: { src: ['src/üñí "q".txt', 'src/new\nline'] },
    },
  };
  test.each(Object.entries(CASES))('%s', (_, { entries, changed, active }) => {
    const points = entries.map((one) => entry(typeof one === 'string' ? { path: one } : one));
    const found = activeEntries(points, changed).map(({ scope, files }) => [scope.path, files]);
    expect(Object.fromEntries(found)).toEqual(active);
    expect(found).toHaveLength(Object.keys(active).length);
  });

  it('for the root count all of them', () => {
    const points = [entry({ path: '.', checks: ['a'] }), entry({ path: '.', reviews: ['b'] })];
    expect(activeEntries(points, ['x'])).toHaveLength(2);
  });
});

describe('jobs', () => {
  const disk =
    (...directories: string[]) =>
    (path: string): PathKind => {
      if (path === '.' || directories.includes(path)) return 'directory';
      return path.endsWith('.gone') || path.startsWith('gone') ? 'missing' : 'file';
    };
  const everything = { root: '/', mode: 'run', ci: false } as const;
  const told = (jobs: readonly Job[]) =>
    jobs.map((job) => (job.kind === 'check' ? `${job.id} in ${job.cwd}` : job.id));

  type Case = {
    readonly config: Parameters<typeof gates>[0];
    readonly changed: readonly string[];
    readonly wanted?: Partial<Parameters<typeof findJobs>[2]>;
    readonly directories?: readonly string[];
    readonly jobs: readonly string[];
  };
  const src = { path: 'src', checks: ['c'], reviews: ['q'] };
  const CASES: Readonly<Record<string, Case>> = {
    'a gate of an entry point is a job': {
      config: { entryPoints: [entry(src)], checks: [check('c')], reviews: [review('q')] },
      changed: ['src/a'],
      directories: ['src'],
      jobs: ['check:src:c in src', 'review:src:q'],
    },
    'a child of a directory has its own': {
      config: { entryPoints: [entry({ path: 'p/*', checks: ['c'] })], checks: [check('c')] },
      changed: ['p/a/x', 'p/b/y'],
      directories: ['p', 'p/a', 'p/b'],
      jobs: ['check:p/a:c in p/a', 'check:p/b:c in p/b'],
    },
    'a file runs beside itself': {
      config: { entryPoints: [entry({ path: 'p/*', checks: ['c'] })], checks: [check('c')] },
      changed: ['p/loose.ts'],
      directories: ['p'],
      jobs: ['check:p/loose.ts:c in p'],
    },
    'a file at the top runs at the root, even if it was deleted': {
      config: {
        entryPoints: [
          entry({ path: 'package.json', checks: ['c'] }),
          entry({ path: 'x.gone', checks: ['d'] }),
        ],
        checks: [check('c'), check('d')],
      },
      changed: ['package.json', 'x.gone'],
      jobs: ['check:package.json:c in .', 'check:x.gone:d in .'],
    },
    'a pattern runs at the root': {
      config: { entryPoints: [entry({ path: 'docs/**/*.md', checks: ['c'] })], checks: [check('c')] },
      changed: ['docs/a.md'],
      directories: ['docs'],
      jobs: ['check:docs/**/*.md:c in .'],
    },
    'a submodule is a directory': {
      config: { entryPoints: [entry({ path: 'libs/*', checks: ['c'] })], checks: [check('c')] },
      changed: ['libs/sub'],
      directories: ['libs', 'libs/sub'],
      jobs: ['check:libs/sub:c in libs/sub'],
    },
    'a deleted directory has reviews, and checks that run above it': {
      config: {
        entryPoints: [entry({ path: 'gone', checks: ['c', 'd'], reviews: ['q'] })],
        checks: [check('c'), check('d', { workingDirectory: '.' })],
        reviews: [review('q')],
      },
      changed: ['gone/a'],
      jobs: ['check:gone:c in .', 'check:gone:d in .', 'review:gone:q'],
    },
    'the same check in the same place runs once': {
      config: {
        entryPoints: [entry({ path: 'a', checks: ['c'] }), entry({ path: 'b', checks: ['c'] })],
        checks: [check('c', { workingDirectory: '.' })],
      },
      changed: ['a/x', 'b/y'],
      directories: ['a', 'b'],
      jobs: ['check:a:c in .'],
    },
    'the same review of two entry points runs twice': {
      config: {
        entryPoints: [entry({ path: 'a', reviews: ['q'] }), entry({ path: 'b', reviews: ['q'] })],
        reviews: [review('q')],
      },
      changed: ['a/x', 'b/y'],
      jobs: ['review:a:q', 'review:b:q'],
    },
    'a gate that is named twice runs once': {
      config: {
        entryPoints: [
          entry({ path: '.', checks: ['c', 'c'] }),
          entry({ path: '.', checks: ['c'], reviews: ['q'] }),
        ],
        checks: [check('c')],
        reviews: [review('q')],
      },
      changed: ['x'],
      jobs: ['check:.:c in .', 'review:.:q'],
    },
    'a gate that is not in force is no job': {
      config: { entryPoints: [entry({ path: '.', checks: ['off', 'c'] })], checks: [check('c')] },
      changed: ['x'],
      jobs: ['check:.:c in .'],
    },
    'on a build server those that run there': {
      config: {
        entryPoints: [entry({ path: '.', checks: ['c', 'here'], reviews: ['q'] })],
        checks: [check('c', { runLocally: false }), check('here', { runInCi: false })],
        reviews: [review('q', { runInCi: false })],
      },
      changed: ['x'],
      wanted: { ci: true },
      jobs: ['check:.:c in .'],
    },
    'elsewhere those that run there': {
      config: {
        entryPoints: [entry({ path: '.', checks: ['c', 'here'], reviews: ['q'] })],
        checks: [check('c', { runLocally: false }), check('here', { runInCi: false })],
        reviews: [review('q', { runInCi: false })],
      },
      changed: ['x'],
      jobs: ['check:.:here in .', 'review:.:q'],
    },
    'only checks': {
      config: { entryPoints: [entry(src)], checks: [check('c')], reviews: [review('q')] },
      changed: ['src/a'],
      wanted: { mode: 'check' },
      directories: ['src'],
      jobs: ['check:src:c in src'],
    },
    'only reviews': {
      config: { entryPoints: [entry(src)], checks: [check('c')], reviews: [review('q')] },
      changed: ['src/a'],
      wanted: { mode: 'review' },
      jobs: ['review:src:q'],
    },
    'one gate by its whole name, wherever it is': {
      config: {
        entryPoints: [
          entry({ path: 'a', checks: ['lint', 'lint2'] }),
          entry({ path: 'b', checks: ['lint'] }),
        ],
        checks: [check('lint'), check('lint2')],
      },
      changed: ['a/x', 'b/y'],
      wanted: { gate: 'lint' },
      directories: ['a', 'b'],
      jobs: ['check:a:lint in a', 'check:b:lint in b'],
    },
  };
  test.each(Object.entries(CASES))('%s', (_, { config, changed, wanted, directories = [], jobs }) => {
    const found = findJobs(gates(config), changed, { ...everything, ...wanted }, disk(...directories));
    expect(told(found.jobs)).toEqual(jobs);
  });

  it('know the files that they are about, from all entry points that lead to them', () => {
    const config = gates({
      entryPoints: [
        entry({ path: 'a', checks: ['c'], exclude: ['**/*.md'] }),
        entry({ path: 'b', checks: ['c'] }),
      ],
      checks: [check('c', { workingDirectory: '.' })],
    });
    const { jobs } = findJobs(config, ['a/x', 'a/r.md', 'b/y', 'c/z'], everything, disk('a', 'b'));
    expect(jobs).toMatchObject([
      {
        files: ['a/x', 'b/y'],
        scopes: [
          { path: 'a', exclude: ['**/*.md'] },
          { path: 'b', exclude: [] },
        ],
      },
    ]);
  });

  it('say what had to be left out', () => {
    const config = gates({ entryPoints: [entry({ path: 'gone/*', checks: ['c'] })], checks: [check('c')] });
    expect(findJobs(config, ['gone/a/b'], everything, disk())).toEqual({
      jobs: [],
      notes: ['gone/a no longer exists, so the check c is not run there.'],
    });
  });

  it('run where the disk has a directory', () => {
    const root = mkdtempSync(join(tmpdir(), 'holdpoint-jobs-'));
    try {
      mkdirSync(join(root, 'p/a'), { recursive: true });
      mkdirSync(dirname(join(root, 'p/loose.ts')), { recursive: true });
      writeFileSync(join(root, 'p/loose.ts'), '');
      const config = gates({ entryPoints: [entry({ path: 'p/*', checks: ['c'] })], checks: [check('c')] });
      const changed = ['p/a/x', 'p/loose.ts', 'p/was/y'];
      const { jobs, notes } = findJobs(config, changed, { ...everything, root });
      expect(told(jobs)).toEqual(['check:p/a:c in p/a', 'check:p/loose.ts:c in p']);
      expect(notes).toHaveLength(1);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it('can be asked for by these names', () => {
    const config = gates({ checks: [check('a'), check('b')], reviews: [review('b'), review('c')] });
    expect(gateNames(config)).toEqual(['a', 'b', 'c']);
  });
});

test.each([
  [{}, { ci: false }],
  [{ GITHUB_BASE_REF: 'main', GITHUB_SHA: 'abc' }, { ci: false }],
  [{ CI: 'false' }, { ci: false }],
  [{ CI: 'true' }, { ci: true }],
  [
    { CI: '1', GITHUB_BASE_REF: '', GITHUB_SHA: 'abc' },
    { ci: true, sha: 'abc' },
  ],
  [
    { GITHUB_ACTIONS: 'true', GITHUB_BASE_REF: 'main' },
    { ci: true, baseRef: 'main' },
  ],
])('the environment %j is %j', (env, expected) => {
  expect(detectCi(env)).toEqual(expected);
});
