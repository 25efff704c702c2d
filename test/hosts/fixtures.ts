import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import type { Decision } from '../../src/core/verdict';

const root = join(import.meta.dirname, '../fixtures');

/** Every event of a host, captured or (`claude-doc-` and so on) written after its documentation. */
export function fixturesOf(prefix: string): string[] {
  return readdirSync(join(root, 'events'))
    .filter((file) => file.startsWith(`${prefix}-`))
    .map((file) => basename(file, '.json'));
}

export function readEvent(name: string): JsonObject {
  return JSON.parse(readFileSync(join(root, 'events', `${name}.json`), 'utf8'));
}

/** Compares with a committed file, which only `UPDATE_GOLDEN=1` rewrites. */
export function expectGolden(file: string, actual: unknown): void {
  const path = join(root, 'golden', file);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, `${JSON.stringify(actual, null, 2)}\n`);
  expect(actual).toStrictEqual(JSON.parse(readFileSync(path, 'utf8')));
}

const silent = { toAgent: [], toPerson: [] };
const report = { status: 'failed', message: 'Gates failed: 1 of 2.' };

/** One decision of each kind, and those variants that have a form of their own. */
export const decisions: Readonly<Record<string, Decision>> = {
  nothing: { kind: 'nothing', ...silent },
  'nothing, with a report': {
    kind: 'nothing',
    ...silent,
    report: { status: 'passed', message: 'Gates passed.' },
  },
  advise: {
    kind: 'advise',
    id: 'd1',
    toAgent: ['Plan first.', '', 'Then review.'],
    toPerson: ['One requirement is unmet.'],
  },
  'advise, with a changed input': {
    kind: 'advise',
    id: 'd1',
    ...silent,
    updatedInput: { prompt: 'go', model: 'haiku' },
  },
  'hold by requirements': {
    kind: 'hold',
    id: 'd1',
    by: ['requirements'],
    reason: 'Not reviewed: "src/a.ts".',
    toAgent: ['Review it.'],
    toPerson: ['The stop was refused.'],
  },
  'hold by the loop alone': {
    kind: 'hold',
    id: 'd1',
    by: ['loop'],
    reason: '[ITERATION 2/10] Continue "working".',
    toAgent: [],
    toPerson: ['Iteration 2.'],
  },
  'hold by the gates, with a report': {
    kind: 'hold',
    id: 'd1',
    by: ['gates'],
    reason: 'GATES FAILED\nlint',
    ...silent,
    report,
  },
  ask: {
    kind: 'ask',
    id: 'd1',
    by: ['workflow'],
    reason: 'Where does this push to?',
    toAgent: ['Name the branch.'],
    toPerson: [],
  },
  deny: {
    kind: 'deny',
    id: 'd1',
    by: ['requirements', 'workflow'],
    reason: 'No plan yet.\nRun: req satisfy commit_plan',
    toAgent: ['See the plan.'],
    toPerson: ['Denied once.'],
  },
};
