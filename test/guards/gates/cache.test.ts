import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import type { CheckGate, EntryPoint, ReviewGate } from '../../../src/guards/gates/config';
import { findJobs, type Job } from '../../../src/guards/gates/detect';
import {
  CACHE_NAME,
  needsNoRun,
  readGateCache,
  recordOutcomes,
  treesOf,
} from '../../../src/guards/gates/run/cache';
import { check, entry, gates, review } from './configs';

const TREE = 'a'.repeat(40);
const AT = new Date('2026-02-03T04:05:06Z');

let logs = '';
beforeEach(() => {
  logs = mkdtempSync(join(tmpdir(), 'holdpoint-cache-'));
});
afterEach(() => rmSync(logs, { recursive: true, force: true }));

function jobOf(gate: CheckGate | ReviewGate, parts: Partial<EntryPoint> = {}, changed = ['src/a']): Job {
  const isCheck = 'command' in gate;
  const point = entry({ path: 'src', ...parts, [isCheck ? 'checks' : 'reviews']: [gate.name] });
  const config = gates({ entryPoints: [point], ...(isCheck ? { checks: [gate] } : { reviews: [gate] }) });
  const [job] = findJobs(config, changed, { root: '/', mode: 'run', ci: false }, () => 'directory').jobs;
  if (job === undefined) throw new Error('there is no job');
  return job;
}

/** Lets one job pass and asks whether another needs a run after these changes. */
function isCached(
  passed: Job,
  asked: Job,
  changed: readonly string[] = [],
  bases: readonly string[] = [],
): boolean {
  recordOutcomes(logs, [{ job: passed, passed: true }], TREE, AT, bases[0]);
  const since = new Map([[TREE, changed]]);
  return needsNoRun(readGateCache(logs), asked, since, bases[1] ?? bases[0]);
}

describe('a gate that has passed', () => {
  type Case = { readonly job: Job; readonly changed: readonly string[]; readonly cached: boolean };
  const CASES: Readonly<Record<string, Case>> = {
    'needs no run if nothing changed': { job: jobOf(check('c')), changed: [], cached: true },
    'needs none if something changed elsewhere': {
      job: jobOf(check('c')),
      changed: ['docs/x', 'srcs/y'],
      cached: true,
    },
    'runs if something in its scope changed': { job: jobOf(check('c')), changed: ['src/x'], cached: false },
    'needs none if what changed is excluded': {
      job: jobOf(check('c'), { exclude: ['**/*.md'] }),
      changed: ['src/x.md'],
      cached: true,
    },
    'runs for any change if it is for the root': {
      job: jobOf(check('c'), { path: '.' }),
      changed: ['x'],
      cached: false,
    },
    'runs if something changed where it works': {
      job: jobOf(check('c', { workingDirectory: 'lib' }), { exclude: ['lib'] }),
      changed: ['lib/x'],
      cached: false,
    },
    'runs for any change if it works at the root': {
      job: jobOf(check('c', { workingDirectory: '.' })),
      changed: ['elsewhere'],
      cached: false,
    },
    'runs if a pattern of its scope matches': {
      job: jobOf(check('c'), { path: '**/*.ts' }, ['a.ts']),
      changed: ['b/c.ts'],
      cached: false,
    },
    'needs none if no pattern of its scope matches': {
      job: jobOf(check('c'), { path: '**/*.ts' }, ['a.ts']),
      changed: ['b/c.js'],
      cached: true,
    },
    'runs if it is said to': { job: jobOf(check('c', { cache: false })), changed: [], cached: false },
    'is a review as well': { job: jobOf(review('q')), changed: ['docs/x'], cached: true },
    'is a review that runs for a change': { job: jobOf(review('q')), changed: ['src/x'], cached: false },
  };
  test.each(Object.entries(CASES))('%s', (_, { job, changed, cached }) => {
    expect(isCached(job, job, changed)).toBe(cached);
  });

  const OTHERS: Readonly<Record<string, readonly [before: Job, after: Job, cached: boolean]>> = {
    'another command': [jobOf(check('c')), jobOf(check('c', { command: 'false' })), false],
    'another place': [jobOf(check('c')), jobOf(check('c', { workingDirectory: 'lib' })), false],
    'another time limit': [jobOf(check('c')), jobOf(check('c', { timeout: 5, parallel: true })), true],
    'another entry point': [jobOf(check('c')), jobOf(check('c'), { path: 'lib' }, ['lib/x']), false],
    'another name': [jobOf(check('c')), jobOf(check('d')), false],
    'another prompt': [jobOf(review('q')), jobOf(review('q', { prompt: 'Look twice.' })), false],
    'another model': [jobOf(review('q')), jobOf(review('q', { model: 'big' })), false],
    'other reviewers': [jobOf(review('q')), jobOf(review('q', { preference: ['codex'] })), false],
    'more reviewers': [jobOf(review('q')), jobOf(review('q', { numReviews: 2 })), false],
    'another time limit of a review': [jobOf(review('q')), jobOf(review('q', { timeout: 5 })), true],
  };
  test.each(Object.entries(OTHERS))('and has %s by now', (_, [before, after, cached]) => {
    expect(isCached(before, after)).toBe(cached);
  });

  it('runs if its base has moved, should its command name it', () => {
    const plain = jobOf(check('c'));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: so it is written in the config.
    const based = jobOf(check('d', { command: 'diff ${BASE_BRANCH}' }));
    expect(isCached(plain, plain, [], ['b1', 'b2'])).toBe(true);
    expect(isCached(based, based, [], ['b1', 'b2'])).toBe(false);
    expect(isCached(based, based, [], ['b1', 'b1'])).toBe(true);
  });

  it('runs if its base has moved, should it be a review: it looks at a difference', () => {
    const job = jobOf(review('q'));
    expect(isCached(job, job, [], ['b1', 'b2'])).toBe(false);
    expect(isCached(job, job, [], ['b1', 'b1'])).toBe(true);
  });

  it('runs if git does not know any more what it passed on', () => {
    const job = jobOf(check('c'));
    recordOutcomes(logs, [{ job, passed: true }], TREE, AT);
    expect(needsNoRun(readGateCache(logs), job, new Map())).toBe(false);
  });

  it('is forgotten when it fails', () => {
    const job = jobOf(check('c'));
    recordOutcomes(logs, [{ job, passed: true }], TREE, AT);
    recordOutcomes(logs, [{ job, passed: false }], TREE, AT);
    expect(readGateCache(logs)).toEqual({});
  });
});

it('asks git only about trees on which the wanted gates have passed', () => {
  const [one, two, other] = [jobOf(check('one')), jobOf(check('two')), jobOf(check('other'))];
  const later = 'b'.repeat(40);
  recordOutcomes(
    logs,
    [one, other].map((job) => ({ job, passed: true })),
    TREE,
    AT,
  );
  recordOutcomes(logs, [{ job: two, passed: true }], later, AT);
  const cache = readGateCache(logs);
  expect(treesOf(cache, [one, two])).toEqual([TREE, later]);
  expect(treesOf(cache, [one, other])).toEqual([TREE]);
  expect(treesOf(cache, [jobOf(check('one', { command: 'changed' }))])).toEqual([]);
});

describe('the file', () => {
  const job = jobOf(check('c'));

  it('says what passed on which tree, and when', () => {
    recordOutcomes(logs, [{ job, passed: true }], TREE, AT);
    expect(JSON.parse(readFileSync(join(logs, CACHE_NAME), 'utf8'))).toEqual({
      passes: {
        'check:src:c': {
          definition: expect.any(String),
          tree: TREE,
          at: '2026-02-03T04:05:06.000Z',
        },
      },
    });
    expect(readdirSync(logs)).toEqual([CACHE_NAME]);
  });

  it('is not touched if nothing ran', () => {
    recordOutcomes(logs, [], TREE, AT);
    expect(readdirSync(logs)).toEqual([]);
  });

  test.each(['', '{', '[]', 'null', '{"passes": []}', '{"passes": {"check:src:c": {"tree": 5}}}'])(
    'holds nothing if it is %j, and is written anew',
    (text) => {
      writeFileSync(join(logs, CACHE_NAME), text);
      expect(readGateCache(logs)).toEqual({});
      expect(isCached(job, job)).toBe(true);
    },
  );

  it('may be out of reach', () => {
    mkdirSync(join(logs, CACHE_NAME));
    recordOutcomes(logs, [{ job, passed: true }], TREE, AT);
    expect(readGateCache(logs)).toEqual({});
    expect(readdirSync(logs)).toEqual([CACHE_NAME]);
  });

  it('does not grow without end: the oldest go first', () => {
    const jobs = Array.from({ length: 600 }, (_, at) => jobOf(check(`c${at}`)));
    recordOutcomes(
      logs,
      jobs.map((one) => ({ job: one, passed: true })),
      TREE,
      AT,
    );
    const kept = Object.keys(readGateCache(logs));
    expect(kept).toHaveLength(500);
    expect(kept).toContain('check:src:c599');
    expect(kept).not.toContain('check:src:c0');
  });
});
