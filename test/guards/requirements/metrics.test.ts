import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import {
  branchesIn,
  closeMetrics,
  countCall,
  noteSkill,
  openMetrics,
  type ToolUse,
  toolUses,
} from '../../../src/guards/requirements/metrics';
import { NOW, SESSION, SESSION_ID } from './scene';

const owner = { session: SESSION, fullId: SESSION_ID, project: '/p', branch: 'feature/auth', now: NOW };
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const countTool = (metrics: JsonObject, use: ToolUse): JsonObject => ({
  ...metrics,
  ...countCall(metrics, use, [], NOW),
});
const countPlan = (metrics: JsonObject, blocked: boolean, now: number): JsonObject => ({
  ...metrics,
  ...countCall(metrics, { tool: 'Edit', blocked }, ['plan'], now),
});
const counted = (count: number, use: (index: number) => ToolUse, from: JsonObject = {}) =>
  times(count, use).reduce<JsonObject>(countTool, from);
const edit = (file: string) => ({ tool: 'Edit', blocked: false, file });

describe('the counts of a session', () => {
  test('begin with a header', () => {
    expect(openMetrics(undefined, owner)).toEqual({
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
  });

  test('keep when they began and what they do not know, and follow the branch', () => {
    const known = { ...openMetrics(undefined, owner), started_at: 5, note: 'of another program' };
    expect(openMetrics(known, { ...owner, branch: 'other' })).toMatchObject({
      started_at: 5,
      note: 'of another program',
      branch: 'other',
      branches: ['feature/auth', 'other'],
    });
  });

  test.each<[string, JsonObject, boolean]>([
    ['as they are', {}, true],
    ['with what they do not know', { note: 'of another program', '7': 8 }, false],
    ['of another branch', { branch: 'other' }, false],
    ['with a branch that is none', { branches: [7, 'feature/auth'] }, false],
    ['that lack a branch', { branches: ['other'] }, false],
  ])('that are written and read again, %s, come out in the same order', (_sentence, odd, isSame) => {
    const known = JSON.parse(JSON.stringify({ ...openMetrics(undefined, owner), ...odd })) as JsonObject;
    const { version, ...rest } = known;
    const opened = openMetrics(known, owner);
    expect(opened === known).toBe(isSame);
    expect(opened['branches']).toEqual(
      odd['branches']?.toString() === 'other' ? ['other', 'feature/auth'] : ['feature/auth'],
    );
    // Whoever has put the header elsewhere gets it back in front.
    expect(Object.keys(openMetrics({ ...rest, version }, owner))).toEqual(Object.keys(opened));
  });

  test.each<[string, Json | undefined]>([
    ['a list', [1]],
    ['a text', 'x'],
    ['parts of the wrong type', { tools: [], requirements: 7, branches: {}, skills: 'x', started_at: 'x' }],
    ['entries of the wrong type', { tools: { Edit: 7 }, requirements: { plan: [] } }],
  ])('begin anew in place of %s', (_sentence, current) => {
    const opened = openMetrics(current, owner);
    const all = noteSkill(countPlan(opened, true, NOW), 's', ['plan'], NOW);
    expect(closeMetrics(all, NOW)).toMatchObject({
      branches: ['feature/auth'],
      tools: { Edit: { count: 1 } },
      requirements: { plan: { blocked_count: 1, satisfied_by: 'skill:s' } },
      skills: [{ name: 's', timestamp: NOW }],
      ended_at: NOW,
    });
  });

  test('tell how long the session took, never less than nothing', () => {
    const { duration_seconds } = closeMetrics({ started_at: NOW - 60 }, NOW);
    expect([duration_seconds, closeMetrics({ started_at: NOW + 60 }, NOW)['duration_seconds']]).toEqual([
      60, 0,
    ]);
  });
});

describe('tools are counted', () => {
  test('each by itself, held or not, with every file once', () => {
    const metrics = [
      edit('a'),
      edit('a'),
      { ...edit('b'), blocked: true },
      { tool: 'Bash', blocked: false, command: 'ls' },
    ].reduce<JsonObject>(countTool, {});
    expect(metrics['tools']).toEqual({
      Edit: { count: 3, blocked_count: 1, files: ['a', 'b'], commands: [] },
      Bash: { count: 1, blocked_count: 0, files: [], commands: ['ls'] },
    });
    expect(toolUses(metrics)).toBe(4);
  });

  test('by the hundred, while files and commands are bounded to the latest', () => {
    const metrics = counted(100, (index) => ({ ...edit(`f${index}`), command: `c${index}` }));
    const tool = (metrics['tools'] as { Edit: { count: number; files: string[]; commands: string[] } }).Edit;
    expect([tool.count, tool.files.length, tool.commands.length]).toEqual([100, 50, 30]);
    expect([tool.files.at(-1), tool.commands.at(-1)]).toEqual(['f99', 'c99']);
  });

  test('however long their words are', () => {
    const long = 'x'.repeat(1_000_000);
    const metrics = noteSkill(
      countTool({}, { tool: long, blocked: false, file: long, command: long }),
      long,
      [],
      NOW,
    );
    expect(JSON.stringify(metrics).length).toBeLessThan(3000);
    expect(openMetrics(undefined, { ...owner, fullId: long })['full_session_id']).toHaveLength(200);
  });

  test.each(['__proto__', 'constructor', 'toString'])('also one that is called %s', (tool) => {
    const metrics = JSON.parse(JSON.stringify(counted(2, () => ({ tool, blocked: false })))) as JsonObject;
    expect(Object.entries(metrics['tools'] as JsonObject)).toEqual([
      [tool, expect.objectContaining({ count: 2 })],
    ]);
  });

  test.each<[string, Json | undefined, number]>([
    ['no counts', undefined, 0],
    ['counts of the wrong type', { tools: { Edit: { count: '3' }, Bash: 7 } }, 0],
  ])('%s are none', (_sentence, metrics, uses) => {
    expect(toolUses(metrics)).toBe(uses);
  });
});

describe('requirements are counted', () => {
  test('from the first time they were set off or held', () => {
    const first = countPlan({}, true, NOW);
    const second = countPlan(first, false, NOW + 5);
    expect(countPlan(second, true, NOW + 9)['requirements']).toEqual({
      plan: { triggered_at: NOW, blocked_count: 2 },
    });
  });

  test('with the time until a skill satisfied them', () => {
    const held = countPlan({}, true, NOW);
    expect(noteSkill(held, 'team:plan', ['plan', 'adr'], NOW + 30)).toMatchObject({
      skills: [{ name: 'team:plan', timestamp: NOW + 30 }],
      requirements: {
        plan: { satisfied_at: NOW + 30, satisfied_by: 'skill:team:plan', time_to_satisfy_seconds: 30 },
        adr: { satisfied_by: 'skill:team:plan' },
      },
    });
  });

  test('while skills are bounded to the latest fifty', () => {
    const metrics = times(80, String).reduce<JsonObject>((one, name) => noteSkill(one, name, [], NOW), {});
    expect((metrics['skills'] as { name: string }[]).map(({ name }) => name)).toEqual(
      times(50, (index) => String(index + 30)),
    );
  });
});

describe('the branches of a session', () => {
  test('are bounded to the latest twenty, each once', () => {
    const metrics = times(30, (index) => ({ ...owner, branch: `b${index}` })).reduce<JsonObject>(
      openMetrics,
      {},
    );
    expect(branchesIn(metrics)).toEqual(times(20, (index) => `b${index + 10}`));
    expect(branchesIn(openMetrics(metrics, { ...owner, branch: 'b15' }))).toHaveLength(20);
  });

  test.each<[string, Json | undefined]>([
    ['no counts', undefined],
    ['a list', ['x']],
    ['another type', { branches: 'x' }],
  ])('are none in %s', (_sentence, metrics) => {
    expect(branchesIn(metrics)).toEqual([]);
  });
});
