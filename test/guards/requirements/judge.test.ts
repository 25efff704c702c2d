import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import type { HeadPosition } from '../../../src/git/head';
import { evaluateRequirement, findingKey, findingsOf } from '../../../src/guards/requirements/judge';
import type { Requirement } from '../../../src/guards/requirements/section';
import { viewOf } from '../../../src/guards/requirements/view';
import * as ctx from './context';

const { BRANCH, FILE, NOW, SESSION, blocking, calling, decide, dynamic, protectedBranch, state } = ctx;
const satisfied = { sessions: { [SESSION]: { satisfied: true } } };
const NO_LIMITS = { verdict: undefined, maxAgeSeconds: undefined, command: undefined };
const EVIDENCE = { dirs: ['.claude/plans'], markers: [], ...NO_LIMITS };
const evident = blocking('plan', { evidence: EVIDENCE });
const size = dynamic('size');
const value = (number: number, more: JsonObject = {}): JsonObject => {
  return { kind: 'value', value: number, summary: 's', base: 'main', ...more };
};

describe('how a requirement stands', () => {
  function standing(requirement: Requirement, entry: JsonObject, brought?: Json) {
    const context = ctx.contextOf({ files: { [FILE]: state({ [requirement.name]: entry }) } });
    const view = viewOf(calling(), ctx.configOf([requirement]), context);
    const known = brought === undefined ? undefined : { [findingKey(BRANCH, requirement.name)]: brought };
    const findings = findingsOf(undefined, known, [requirement], BRANCH, NOW);
    return evaluateRequirement(requirement, view, findings, 'Edit');
  }

  const expired = { sessions: { [SESSION]: { satisfied: true, expires_at: NOW - 1 } } };
  const on = protectedBranch(['feature/*']);
  test.each<[string, Requirement, JsonObject, Json | undefined, string]>([
    ['nobody said that it is done', blocking('plan'), {}, undefined, 'obstacle'],
    ['somebody said so', blocking('plan'), satisfied, undefined, 'done'],
    ['nobody said so, whatever could be shown', evident, {}, { kind: 'shown' }, 'obstacle'],
    ['somebody said so, and it has to be looked for', evident, satisfied, undefined, 'unmeasured'],
    ['somebody said so, and it is shown', evident, satisfied, { kind: 'shown' }, 'done'],
    ['somebody said so, and it is not', evident, satisfied, { kind: 'lacking', why: 'x' }, 'obstacle'],
    ['a value has to be computed', size, {}, undefined, 'unmeasured'],
    ['a value is below its limit', size, {}, value(9), 'done'],
    ['a value has reached its limit', size, {}, value(10), 'obstacle'],
    ['a value is between warning and limit', { ...size, warn: 5 }, {}, value(9), 'near'],
    ['a value is approved, whatever the scope', { ...size, scope: 'branch' }, satisfied, value(99), 'done'],
    ['a value is approved and need not be computed', size, satisfied, undefined, 'done'],
    ['an approval has expired', size, expired, value(99), 'obstacle'],
    ['there is nothing to measure', size, {}, { kind: 'none' }, 'done'],
    ['a value could not be found', size, {}, { kind: 'failed', why: 'no git' }, 'failed'],
    ['a condition does not hold', protectedBranch(['main']), {}, undefined, 'done'],
    ['a condition holds', on, {}, undefined, 'obstacle'],
    ['a condition is waived', on, satisfied, undefined, 'done'],
  ])('%s', (_sentence, requirement, entry, brought, kind) => {
    expect(standing(requirement, entry, brought).kind).toBe(kind);
  });

  const blockingMessage = '{total} of {block_threshold} lines\n(warn {warn_threshold}) {else}';
  const lacking = { kind: 'lacking', why: 'no file contains "x"' };
  test.each<[Requirement, JsonObject, Json, string]>([
    [size, {}, value(30), 'Edit is held because `size` is 30 against main, and the limit is 10 (s)'],
    [{ ...size, warn: 5, blockingMessage }, {}, value(30), '30 of 10 lines (warn 5) {else}'],
    [
      evident,
      satisfied,
      lacking,
      'Edit is held because `plan` is marked as satisfied, but no file contains "x"',
    ],
  ])('and in which words: %#', (requirement, entry, brought, fact) => {
    expect(standing(requirement, entry, brought)).toMatchObject({ fact });
  });
});

describe('what was found out', () => {
  const under = (one: Json, name = 'size', branch = BRANCH): JsonObject => ({
    [findingKey(branch, name)]: one,
  });

  test.each<[string, Json | undefined, Json | undefined, number | undefined]>([
    ['while it is fresh', under(value(7, { at: NOW - 59 })), undefined, 7],
    ['not when its time is over', under(value(7, { at: NOW - 60 })), undefined, undefined],
    ['not when it comes from the future', under(value(7, { at: NOW + 1 })), undefined, undefined],
    ['not without a time', under(value(7)), undefined, undefined],
    ['not from another branch', under(value(7, { at: NOW }), 'size', 'other'), undefined, undefined],
    ['not under another name', under(value(7, { at: NOW }), 'sizes'), undefined, undefined],
    ['the new one before the kept one', under(value(7, { at: NOW })), under(value(8)), 8],
    ['the new one without a time', undefined, under(value(8)), 8],
    ['not where it is no number', undefined, under({ kind: 'value', value: '8' }), undefined],
    ['not in a list', [], [], undefined],
  ])('counts as a value: %s', (_sentence, kept, brought, expected) => {
    const computed = findingsOf(kept, brought, [size], BRANCH, NOW)('size');
    expect(computed?.kind === 'value' ? computed.value : computed).toBe(expected);
    expect(findingsOf({}, {}, [size], '', NOW)('constructor')).toBeUndefined();
  });

  const shown = under({ kind: 'shown', at: NOW }, 'plan');
  const lacking = under({ kind: 'lacking', why: 'x', at: NOW }, 'plan');
  test.each<[string, Json, Json | undefined, string | undefined]>([
    ['not what was there a moment ago', shown, undefined, undefined],
    ['not what was lacking, which is looked for again at once', lacking, undefined, undefined],
    ['what lacks now, whatever was there', shown, lacking, 'lacking'],
  ])('counts as evidence: %s', (_sentence, kept, brought, expected) => {
    expect(findingsOf(kept, brought, [evident], BRANCH, NOW)('plan')?.kind).toBe(expected);
  });

  test('is asked for by name, kept with its time, and leaves what others found for a day', async () => {
    const young = under(value(2, { at: NOW - 86_399 }), 'size', 'young');
    const old = under(value(3, { at: NOW - 86_400 }), 'size', 'old');
    const files = {
      [FILE]: state({ plan: satisfied }),
      'values.json': { ...under(value(1, { at: NOW - 60 })), ...young, ...old, broken: 7 },
    };
    const brought = { ...under(value(9)), ...under({ kind: 'shown' }, 'plan') };
    const outcome = await decide(calling(), [size, evident], { files, brought });
    const asks = [
      { name: 'size', calculator: 'branch_size' },
      { name: 'plan', evidence: EVIDENCE },
    ];
    expect(outcome.asked).toEqual([
      { name: 'gather', input: { branch: BRANCH, asks }, rules: ['size', 'plan'] },
    ]);
    const plan = under({ kind: 'shown', at: NOW }, 'plan');
    expect(outcome.written('values.json')).toEqual({ ...young, ...under(value(9, { at: NOW })), ...plan });
  });

  const untold = { code: 'rule.failed', rule: 'size', detail: 'not measured: no git' };
  test.each<[string, Json, string, object[]]>([
    ['and is at its limit denies the call', value(10), 'deny', []],
    ['and is below its limit lets it pass', value(3), 'nothing', []],
    ['in vain lets it pass, and is told', { kind: 'failed', why: 'no git' }, 'nothing', [untold]],
  ])('%s', async (_sentence, found, kind, troubles) => {
    const outcome = await decide(calling(), [size], { brought: under(found) });
    expect(outcome).toMatchObject({ kind, troubles });
    expect(outcome.written(FILE) !== undefined).toBe(kind === 'nothing');
  });

  test('is not asked for while it is fresh, or for another tool', async () => {
    const fresh = { 'values.json': under(value(3, { at: NOW - 59 })) };
    expect((await decide(calling(), [size], { files: fresh })).kind).toBe('nothing');
    expect((await decide(calling(ctx.named('Read')), [size])).changes).toEqual([]);
  });
});

describe('a condition', () => {
  test('protects a branch while it is being rebased', async () => {
    const position: HeadPosition = { kind: 'rebase', branch: 'main', commit: 'c0ffee' };
    expect((await decide(calling(), [protectedBranch(['main'])], { position })).kind).toBe('deny');
    expect((await decide(calling(), [protectedBranch([])], { position })).kind).toBe('nothing');
  });

  const own = { id: SESSION, startedAt: 100 };
  test.each<[string, NonNullable<ctx.Given['sessions']>, string]>([
    ['alone', [own], 'nothing'],
    ['beside an earlier one', [own, { id: 'aaaaaaaa', startedAt: 99 }], 'session aaaaaaaa'],
    ['beside a later one', [own, { startedAt: 101 }], 'nothing'],
    ['not yet registered, beside any', [{ startedAt: 101 }], 'session other'],
    ['beside an earlier one that is dead', [own, { startedAt: 99, alive: false }], 'nothing'],
    ['beside an earlier one elsewhere', [own, { startedAt: 99, projectDir: '/elsewhere' }], 'nothing'],
    ['beside one of its second with a smaller key', [own, { id: 'aa', startedAt: 100 }], 'session aa'],
    ['beside one of its second with a greater key', [own, { id: 'ff', startedAt: 100 }], 'nothing'],
  ])('holds all sessions but the first: %s', async (_sentence, sessions, held) => {
    const { kind, reason } = await decide(calling(), [ctx.singleSession()], { sessions });
    expect(kind === 'deny' ? reason : kind).toContain(held);
  });
});
