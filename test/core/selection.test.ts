import { describe, expect, test } from 'vitest';
import { GUARD_NAMES, isDisabled, selectGuards, WORKFLOW_RULES } from '../../src/core/guard';

const ALL = [...GUARD_NAMES];
type Environment = Readonly<Record<string, string>>;

describe('--only', () => {
  test.each<[string, string[], { guards: readonly string[]; rules?: string[]; unknown?: string[] }]>([
    ['left out: everybody', [], { guards: ALL }],
    ['one guard', ['loop'], { guards: ['loop'] }],
    [
      'several, in the order in which they speak',
      ['loop', 'requirements'],
      { guards: ['requirements', 'loop'] },
    ],
    [
      'a rule: its guard with that rule alone',
      ['branch-guard'],
      { guards: ['workflow'], rules: ['branch-guard'] },
    ],
    [
      'a rule beside another guard',
      ['test-watcher', 'gates'],
      { guards: ['workflow', 'gates'], rules: ['test-watcher'] },
    ],
    [
      'a rule beside its whole guard: the whole guard',
      ['branch-guard', 'workflow'],
      { guards: ['workflow'], rules: [] },
    ],
    ['a name nobody knows, alone: everybody', ['lop'], { guards: ALL, unknown: ['lop'] }],
    ['a name nobody knows, beside a known one', ['lop', 'gates'], { guards: ['gates'], unknown: ['lop'] }],
    ['a name that every object has', ['constructor'], { guards: ALL, unknown: ['constructor'] }],
  ])('%s', (_, only, { guards, rules = [], unknown = [] }) => {
    expect(selectGuards(only, {})).toEqual({ guards, rules, unknown });
  });

  test.each(WORKFLOW_RULES)('knows %s', (rule) => {
    expect(selectGuards([rule], {})).toEqual({ guards: ['workflow'], rules: [rule], unknown: [] });
  });
});

describe('a variable switches its guard off, and no other', () => {
  test.each<[string, Environment, string[]]>([
    ['CLAUDE_SKIP_REQUIREMENTS', { CLAUDE_SKIP_REQUIREMENTS: '1' }, ['requirements']],
    ['CLAUDE_SKIP_REQUIREMENTS with any word', { CLAUDE_SKIP_REQUIREMENTS: 'yes' }, ['requirements']],
    ['an empty CLAUDE_SKIP_REQUIREMENTS does not', { CLAUDE_SKIP_REQUIREMENTS: '' }, []],
    ['GAUNTLET_STOP_HOOK_ACTIVE', { GAUNTLET_STOP_HOOK_ACTIVE: '1' }, ['gates']],
    ['IDLE_LOOP_DISABLE=1', { IDLE_LOOP_DISABLE: '1' }, ['loop']],
    ['IDLE_LOOP_DISABLE=0 does not', { IDLE_LOOP_DISABLE: '0' }, []],
    ['two at once', { IDLE_LOOP_DISABLE: '1', GAUNTLET_STOP_HOOK_ACTIVE: '1' }, ['gates', 'loop']],
  ])('%s', (_, env, off) => {
    expect(selectGuards([], env).guards).toEqual(ALL.filter((name) => !off.includes(name)));
  });

  test('even one that was named', () => {
    expect(selectGuards(['loop'], { IDLE_LOOP_DISABLE: '1' }).guards).toEqual([]);
  });
});

test.each<[string | undefined, boolean]>([
  ['1', true],
  ['true', true],
  ['0', false],
  ['', false],
  ['no', false],
  [undefined, false],
])('HOLDPOINT_DISABLE=%s switches everything off: %s', (value, expected) => {
  expect(isDisabled(value === undefined ? {} : { HOLDPOINT_DISABLE: value })).toBe(expected);
});
