import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import type { Requirement } from '../../../src/guards/requirements/config';
import { findingsOf, inquiryFor, keyOf, standingOf } from '../../../src/guards/requirements/standing';
import { viewOf } from '../../../src/guards/requirements/view';
import * as scene from './scene';

const BRANCH = 'feature/auth';
const satisfied = { sessions: { [scene.SESSION]: { satisfied: true } } };
const evident = scene.blocking('plan', { evidence: { dirs: ['.claude/plans'], markers: [] } });
const size = scene.dynamic('size', { block: 10 });
const value = (number: number): JsonObject => ({ kind: 'value', value: number, summary: 's', base: 'main' });

function standing(requirement: Requirement, entry: JsonObject = {}, brought?: Json, branch = BRANCH) {
  const path = `requirements/${branch.replace('/', '-')}.json`;
  const files = { [path]: scene.state({ [requirement.name]: entry }, branch) };
  const snapshot = scene.snapshotOf({ files, branch });
  const view = viewOf(scene.before(), snapshot);
  if (view === undefined) throw new Error('no view');
  const known = brought === undefined ? undefined : { [keyOf(branch, requirement.name)]: brought };
  const findings = findingsOf(undefined, known, [requirement], branch, scene.NOW);
  return standingOf(requirement, { view, snapshot, findings, subject: 'Edit' });
}

describe('how a requirement stands', () => {
  const rows: [
    sentence: string,
    requirement: Requirement,
    entry: JsonObject,
    brought: Json | undefined,
    kind: string,
  ][] = [
    ['nobody said that it is done', scene.blocking('plan'), {}, undefined, 'obstacle'],
    ['somebody said so', scene.blocking('plan'), satisfied, undefined, 'clear'],
    ['nobody said so, whatever could be shown', evident, {}, { kind: 'shown' }, 'obstacle'],
    ['somebody said so, and it has to be looked for', evident, satisfied, undefined, 'open'],
    ['somebody said so, and it is shown', evident, satisfied, { kind: 'shown' }, 'clear'],
    ['somebody said so, and it is not', evident, satisfied, { kind: 'lacking', why: 'no file' }, 'obstacle'],
    ['a value has to be computed', size, {}, undefined, 'open'],
    ['a value is below its limit', size, {}, value(9), 'clear'],
    ['a value has reached its limit', size, {}, value(10), 'obstacle'],
    ['a value is approved', size, satisfied, value(99), 'clear'],
    ['a value is approved, whatever the scope', { ...size, scope: 'branch' }, satisfied, value(99), 'clear'],
    ['a value is approved and need not be computed', size, satisfied, undefined, 'clear'],
    [
      'an approval has expired',
      size,
      { sessions: { [scene.SESSION]: { satisfied: true, expires_at: scene.NOW - 1 } } },
      value(99),
      'obstacle',
    ],
    ['there is nothing to measure', size, {}, { kind: 'none' }, 'clear'],
    ['a value could not be found', size, {}, { kind: 'failed', why: 'no git' }, 'untold'],
    ['a condition does not hold', scene.protectedBranch(['main']), {}, undefined, 'clear'],
    ['a condition holds', scene.protectedBranch(['feature/*']), {}, undefined, 'obstacle'],
    ['a condition is waived', scene.protectedBranch(['feature/*']), satisfied, undefined, 'clear'],
  ];

  test.each(rows)('%s', (_sentence, requirement, entry, brought, kind) => {
    expect(standing(requirement, entry, brought).kind).toBe(kind);
  });

  test.each<[string, Requirement, JsonObject, Json | undefined, string]>([
    [
      'the value, its limit and what it is made of',
      size,
      {},
      value(30),
      'Edit is held because `size` is 30 against main and 10 is the limit (s)',
    ],
    [
      'the words of the config in place of that',
      {
        ...size,
        warn: 5,
        blockingMessage: '{total} of {block_threshold} lines\n(warn {warn_threshold}) {else}',
      },
      {},
      value(30),
      '30 of 10 lines (warn 5) {else}',
    ],
    [
      'what could not be shown',
      evident,
      satisfied,
      { kind: 'lacking', why: 'no file contains "x"' },
      'Edit is held because `plan` is said to be done but no file contains "x"',
    ],
  ])('an obstacle says %s', (_sentence, requirement, entry, brought, fact) => {
    expect(standing(requirement, entry, brought)).toMatchObject({ fact });
  });
});

describe('what has to be found out', () => {
  test('is asked for by name: values by their calculators, evidence as the config has it', () => {
    expect(inquiryFor([size, evident, scene.blocking('adr')], BRANCH)).toEqual({
      branch: BRANCH,
      values: [{ name: 'size', calculator: 'branch_size' }],
      evidence: [{ name: 'plan', evidence: evident.evidence }],
    });
  });
});
