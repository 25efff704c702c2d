import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import { passBranches } from '../../../src/guards/requirements/passes';
import * as counts from '../../../src/guards/requirements/view';
import {
  bash,
  blocking,
  call,
  calling,
  configOf,
  decide,
  FILE,
  METRICS,
  NOW,
  SESSION,
  SESSION_ID,
  state,
} from './context';

const { branchesIn, closeMetrics, noteSkill, openMetrics } = counts;
const owner = { key: SESSION, sessionId: SESSION_ID, project: '/p', branch: 'feature/auth', now: NOW };
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const countTool = (metrics: JsonObject, use: counts.ToolUse): JsonObject => {
  return { ...metrics, ...counts.countCall(metrics, use, [], NOW) };
};
const countPlan = (metrics: JsonObject, blocked: boolean, now: number): JsonObject => {
  return { ...metrics, ...counts.countCall(metrics, { tool: 'Edit', blocked }, ['plan'], now) };
};
const edit = (file: string) => ({ tool: 'Edit', blocked: false, file });

describe('the counts of a session', () => {
  test('begin with a header, keep what they do not know, and follow the branch', () => {
    const fresh = openMetrics(undefined, owner);
    expect(fresh).toEqual({
      version: '1.0',
      session_id: SESSION,
      full_session_id: SESSION_ID,
      project_dir: '/p',
      branch: 'feature/auth',
      branches: ['feature/auth'],
      started_at: NOW,
      compaction_count: 0,
      tools: {},
      requirements: {},
      errors: [],
      skills: [],
    });
    const known = { ...fresh, started_at: 5, note: 'of another program' };
    const branches = ['feature/auth', 'other'];
    const there = openMetrics(known, { ...owner, branch: 'other' });
    expect(there).toMatchObject({ started_at: 5, note: 'of another program', branch: 'other', branches });
  });

  test.each<[string, JsonObject]>([
    ['as they are', {}],
    ['with what they do not know', { note: 'of another program', '7': 8 }],
    ['of another branch', { branch: 'other' }],
    ['with a branch that is none', { branches: [7, 'feature/auth'] }],
  ])('that are written and read again, %s, come out in the same order', (_sentence, odd) => {
    const known = JSON.parse(JSON.stringify({ ...openMetrics(undefined, owner), ...odd })) as JsonObject;
    const { version, ...rest } = known;
    const opened = openMetrics(known, owner);
    expect(opened['branches']).toEqual(['feature/auth']);
    // Whoever has put the header elsewhere gets it back in front.
    expect(Object.keys(openMetrics({ ...rest, version }, owner))).toEqual(Object.keys(opened));
  });

  test.each<Json>([
    [1],
    'x',
    { tools: [], requirements: 7, branches: {}, skills: 'x', started_at: 'x' },
    { tools: { Edit: 7 }, requirements: { plan: [] } },
  ])('begin anew in place of %j', (current) => {
    const all = noteSkill(countPlan(openMetrics(current, owner), true, NOW), 's', ['plan'], owner);
    expect(closeMetrics(all, NOW)).toMatchObject({
      branches: ['feature/auth'],
      tools: { Edit: { count: 1 } },
      requirements: { plan: { blocked_count: 1, satisfied_by: 'skill:s' } },
      skills: [{ name: 's', timestamp: NOW }],
      ended_at: NOW,
    });
  });

  test('tell how long the session took, never less than nothing', () => {
    const durations = [NOW - 60, NOW + 60].map(
      (started_at) => closeMetrics({ started_at }, NOW)['duration_seconds'],
    );
    expect(durations).toEqual([60, 0]);
  });

  test('have each tool by itself, held or not, with every file once', () => {
    const uses = [
      edit('a'),
      edit('a'),
      { ...edit('b'), blocked: true },
      { tool: 'Bash', blocked: false, command: 'ls' },
    ];
    const metrics = uses.reduce<JsonObject>(countTool, {});
    expect(metrics['tools']).toEqual({
      Edit: { count: 3, blocked_count: 1, files: ['a', 'b'], commands: [] },
      Bash: { count: 1, blocked_count: 0, files: [], commands: ['ls'] },
    });
  });

  test('are bounded: files and commands, skills, branches, and the length of every word', () => {
    const many = times(100, (at) => ({ ...edit(`f${at}`), command: `c${at}` })).reduce<JsonObject>(
      countTool,
      {},
    );
    const { Edit } = many['tools'] as { Edit: { count: number; files: string[]; commands: string[] } };
    expect([Edit.count, Edit.files.length, Edit.commands.length]).toEqual([100, 50, 30]);
    expect([Edit.files.at(-1), Edit.commands.at(-1)]).toEqual(['f99', 'c99']);
    const skills = times(80, String).reduce<JsonObject>((one, name) => noteSkill(one, name, [], owner), {})[
      'skills'
    ];
    expect((skills as { name: string }[]).map(({ name }) => name)).toEqual(
      times(50, (at) => String(at + 30)),
    );
    const branches = times(30, (at) => ({ ...owner, branch: `b${at}` })).reduce<JsonObject>(openMetrics, {});
    expect(branchesIn(branches)).toEqual(times(20, (at) => `b${at + 10}`));
    expect(branchesIn(openMetrics(branches, { ...owner, branch: 'b15' }))).toHaveLength(20);
    for (const none of [undefined, ['x'], { branches: 'x' }]) expect(branchesIn(none)).toEqual([]);
    const long = 'x'.repeat(1_000_000);
    const wordy = countTool({}, { tool: long, blocked: false, file: long, command: long });
    expect(JSON.stringify(noteSkill(wordy, long, [], owner)).length).toBeLessThan(3000);
    expect(openMetrics(undefined, { ...owner, sessionId: long })['full_session_id']).toHaveLength(200);
  });

  test.each(['__proto__', 'constructor', 'toString'])('have a tool called %s', (tool) => {
    const metrics = times(2, () => ({ tool, blocked: false })).reduce<JsonObject>(countTool, {});
    const { tools } = JSON.parse(JSON.stringify(metrics));
    expect(Object.entries(tools)).toEqual([[tool, expect.objectContaining({ count: 2 })]]);
  });

  test('have a requirement from the first time it was set off to its satisfaction by a skill', () => {
    const held = countPlan(countPlan({}, true, NOW), false, NOW + 5);
    const twice = countPlan(held, true, NOW + 9);
    expect(twice['requirements']).toEqual({ plan: { triggered_at: NOW, blocked_count: 2 } });
    const satisfied = { satisfied_at: NOW + 30, satisfied_by: 'skill:team:plan' };
    expect(noteSkill(twice, 'team:plan', ['plan', 'adr'], { ...owner, now: NOW + 30 })).toMatchObject({
      skills: [{ name: 'team:plan', timestamp: NOW + 30 }],
      requirements: { plan: { ...satisfied, time_to_satisfy_seconds: 30 }, adr: satisfied },
    });
  });
});

describe('one call', () => {
  const plan = blocking('plan');
  const event = (callId?: string) => calling(call(callId === undefined ? {} : { callId }));
  const SATISFIED = { [FILE]: state({ plan: { satisfied: true } }) };
  const outcome = (made: ReturnType<typeof event>, files: Record<string, Json> = {}) =>
    decide(made, [plan], { files });
  const counting = async (...args: Parameters<typeof outcome>) =>
    (await outcome(...args)).changes.find(({ document }) => document.path === METRICS)!;
  const counted = (...changes: Awaited<ReturnType<typeof counting>>[]): JsonObject =>
    changes.reduce<Json | undefined>((value, change) => change.apply(value), undefined) as JsonObject;

  test('that several processes see counts once, however long its id is', async () => {
    const denied = await counting(event('call-1'));
    const metrics = counted(denied, denied, await counting(event('call-2'), SATISFIED));
    expect(metrics['tools']).toMatchObject({ Edit: { count: 2, blocked_count: 1 } });
    expect(metrics['requirements']).toMatchObject({ plan: { blocked_count: 1 } });
    const long = await counting(event('x'.repeat(100)), SATISFIED);
    expect(counted(long, long)['tools']).toMatchObject({ Edit: { count: 1 } });
    const nameless = await counting(event(), SATISFIED);
    expect(counted(nameless, nameless)['tools']).toMatchObject({ Edit: { count: 2 } });
  });

  test('that several processes deny is told in the same words by all of them', async () => {
    const isRepeated = async (callId: string, metrics: JsonObject) =>
      (await outcome(event(callId), { [METRICS]: metrics })).reason.includes('Still held');
    const first = counted(await counting(event('call-1')));
    expect(await isRepeated('call-1', first)).toBe(false);
    expect(await isRepeated('call-2', first)).toBe(true);
    const both = (await counting(event('call-2'), { [METRICS]: first })).apply(first) as JsonObject;
    expect(await isRepeated('call-2', both)).toBe(true);
    const allowed = (await counting(event('call-3'), { ...SATISFIED, [METRICS]: both })).apply(both);
    expect(await isRepeated('call-4', allowed as JsonObject)).toBe(false);
  });

  test('of a subagent names it', async () => {
    const of = (callId: string) => ({ ...event(callId), agent: { id: 'a1' } });
    const changes = await Promise.all(['c1', 'c2'].map((id) => counting(of(id), SATISFIED)));
    expect(counted(...changes)['agents']).toEqual(['a1']);
  });

  const CHECKOUTS = 'git checkout -b x; git commit -m y; git switch z; echo git checkout no; git merge main';
  const taken = (branch: string): JsonObject => ({ plan: { taken: { [branch]: { by: 'c1' }, other: 5 } } });
  test.each<[string, JsonObject | undefined, string, string[], string?]>([
    ['the one it was judged on', { requirements: taken('then'), branch: 'later' }, '', ['then']],
    ['that of now, where nothing is known', undefined, '', ['now']],
    ['the last known one and that of now, where its call is not', { branch: 'last' }, '', ['last', 'now']],
    ['those that the line goes to', { requirements: taken('then') }, CHECKOUTS, ['then', 'x', 'z']],
    ['each once', { requirements: taken('x') }, 'git checkout x; git checkout -', ['x']],
    ['the last known one, without an id', { requirements: taken('a'), branch: 'b' }, '', ['b', 'now'], ''],
  ])('uses up its pass on %s', (_sentence, metrics, line, expected, callId = 'c1') => {
    const commit = { ...bash('git commit'), ...(callId && { callId }) };
    const lines = line.split('; ').map((command) => command.split(' '));
    const config = configOf([blocking('plan')]);
    expect(passBranches(commit, { config, metrics, branch: 'now' }, lines)).toEqual(expected);
  });
});
