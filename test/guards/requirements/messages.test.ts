import { describe, expect, test } from 'vitest';
import type { RequirementsConfig } from '../../../src/guards/requirements/section';
import {
  BRANCH,
  blocking,
  calling,
  decide,
  FILE,
  type Given,
  NOW,
  PROJECT,
  ROOT,
  start,
  state,
} from './context';

const plan = blocking('plan');
type Requirements = RequirementsConfig['requirements'];

describe('what a denied agent reads', () => {
  const reasonFor = async (...requirements: Requirements) => (await decide(calling(), requirements)).reason;
  const of = (names: string) => [...names].map((name) => blocking(name));
  const alone = { ...plan, agentMaySatisfy: false };
  const skilled = (name: string) => blocking(name, { skill: 'team:plan' });

  test('the rule, the fact, its place in the config, and the command that clears it', async () => {
    expect(await reasonFor(plan)).toBe(
      [
        '## Blocked: plan',
        'Edit is held until `plan` is satisfied in this session on branch feature/auth (.holdpoint/config.yaml:2:3)',
        '**Action**: `req satisfy plan --session cad0ac4d`, once that is done',
        'Nothing was changed. Do this, or stop and tell the user what you need.',
        'Fallback (user action): `req satisfy plan --session cad0ac4d`',
      ].join('\n'),
    );
  });

  test.each<[string, Requirements, string]>([
    ['the reach of a branch', [{ ...plan, scope: 'branch' }], `is satisfied on branch ${BRANCH} (`],
    ['the reach of the project', [{ ...plan, scope: 'permanent' }], 'is satisfied in this project ('],
    ['the reach of one action', [{ ...plan, scope: 'single_use' }], 'is satisfied for this action ('],
    [
      'a description on one line',
      [{ ...plan, description: 'Say  it\nall.' }],
      '## Blocked: plan\nSay it all.\nEdit is held',
    ],
    ['a name in quotes', [blocking("it's $(ok)")], "req satisfy 'it'\\''s $(ok)' --session"],
    ['who has to act', [alone, blocking('adr')], '| plan | a person approves it |'],
    ['a skill', [skilled('plan')], '**Execute**: `/team:plan`'],
    ['one skill for several', [skilled('plan'), skilled('adr')], '/team:plan`\nSatisfies: plan, adr'],
    ['a table', of('abcd'), '| d | `req satisfy d` |\nNothing'],
    ['a table that is cut', of('abcdefgh'), '| c | `req satisfy c` |\nand d, e, f, g, h\n'],
  ])('%s', async (_what, requirements, words) => {
    const reason = await reasonFor(...requirements);
    expect(reason).toContain(words);
    expect(reason.includes('**Action**') && reason.includes('**Execute**')).toBe(false);
    // The line that refers to `why` comes as the tenth.
    expect(reason.split('\n').length).toBeLessThan(10);
  });

  test('the words of the config, with what is known filled in and the rest left', async () => {
    const message =
      ' Run /{auto_resolve_skill} for {req_name} in {session_id} on {branch} of {project_dir}, {else}. ';
    const [first] = (await reasonFor({ ...skilled('plan'), message })).split('\n');
    expect(first).toBe(`Run /plan for plan in cad0ac4d on feature/auth of ${ROOT}, {else}.`);
  });

  test('what is kept as grounds: the rule, what clears it, and who may waive it', async () => {
    const { verdict } = await decide(calling(), [
      { ...plan, agentMaySatisfy: false },
      blocking('adr', { skill: 's' }),
    ]);
    const approve = (name: string) => `req approve ${name} --session cad0ac4d`;
    const place = '.holdpoint/config.yaml:2:3';
    expect(verdict).toMatchObject({
      grounds: [
        {
          rule: 'plan',
          clear: `a person has to run ${approve('plan')}`,
          waive: 'only a person, the same way',
          place,
        },
        {
          rule: 'adr',
          clear: '/s, then req satisfy adr --session cad0ac4d',
          waive: `a person, with ${approve('adr')}`,
          place,
        },
      ],
    });
  });

  test.each<[string, NonNullable<Given['files']>, string]>([
    ['a broken file of the branch', { [FILE]: '/x/a.json' }, '/x/a.json is not JSON, so'],
    ['a list in its place', { [FILE]: [] }, `${FILE} in the git directory is not a JSON object, so`],
    ['a broken file of the project', { [PROJECT]: '/x/_project.json' }, '/x/_project.json is not JSON, so'],
    ['but not parts of odd types', { [FILE]: { requirements: [] } }, 'Edit is held until'],
  ])('which state counts for nothing: %s', async (_what, files, words) => {
    const { reason } = await decide(calling(), [{ ...plan, scope: 'permanent' }], { files });
    expect(reason).toContain(words);
    expect(reason.includes('counts')).toBe(words.endsWith(', so'));
  });
});

describe('what a session hears when it begins', () => {
  const tests = blocking('tests');
  const files = { [FILE]: state({ tests: { satisfied: true } }) };
  const heard = async (
    requirements: Requirements,
    given: Given = {},
    over: Partial<RequirementsConfig> = {},
  ) => (await decide(start('clear'), requirements, given, over)).verdict;

  test('what is open, by what clears it, or that all is well', async () => {
    const open = [blocking('plan', { skill: 'team:plan' }), blocking('adr', { skill: 'team:plan' }), tests];
    expect(await heard(open)).toEqual({
      kind: 'advise',
      toAgent: [
        '## Requirements: 0/3 satisfied (enforcing 3)',
        '**Run `/plan`** -> `plan`, `adr`',
        '**req satisfy tests** -> `tests`',
        '**Fallback**: `req satisfy plan adr tests --session cad0ac4d`',
      ].join('\n'),
      grounds: [],
    });
    const toAgent = '## Requirements: 1/1 satisfied (enforcing 1)';
    expect(await heard([tests], { files })).toMatchObject({ toAgent });
  });

  test('a line for each in the longer form, below the header', async () => {
    const briefing = { inject: true, format: 'standard', header: 'Read this.' } as const;
    const requirements = [blocking('plan', { skill: 'team:plan' }), tests, blocking('docs')];
    expect(await heard(requirements, { files }, { briefing })).toMatchObject({
      toAgent: [
        'Read this.',
        '## Requirements on feature/auth (session cad0ac4d)',
        '| Requirement | Status | Resolve |',
        '|---|---|---|',
        '| plan | ⬜ NOT satisfied | `/team:plan` |',
        '| tests | ✅ satisfied |  |',
        '| docs | ⬜ NOT satisfied | `req satisfy docs --session cad0ac4d` |',
      ].join('\n'),
    });
  });

  test('no more than ten lines, and still every name, however many there are', async () => {
    const many = Array.from({ length: 40 }, (_, index) => blocking(`r${index}`));
    const sessions = { aaaaaaaa: { satisfied: true, satisfied_at: NOW - 10 } };
    const known = { [FILE]: state({ r0: { sessions }, r1: { sessions } }) };
    const briefing = { inject: true, format: 'compact', header: 'Read this.' } as const;
    const { toAgent = '' } = (await heard(many, { files: known }, { briefing })) as { toAgent?: string };
    expect(toAgent.split('\n').length).toBeLessThanOrEqual(10);
    expect(many.filter(({ name }) => !toAgent.includes(`\`${name}\``))).toEqual([]);
  });

  test.each<[string, Requirements, Given, Partial<RequirementsConfig>, string]>([
    ['none is enabled', [], {}, {}, 'none in the config is both enabled and valid'],
    ['they are switched off', [tests], {}, { enabled: false }, '`enabled: false`'],
    ['a global config stands alone', [tests], {}, { reach: 'global-only' }, 'enforce_everywhere: true'],
  ])('that nothing is enforced: %s', async (_why, requirements, given, over, words) => {
    const toAgent = expect.stringContaining(words);
    expect(await heard(requirements, given, over)).toEqual({ kind: 'advise', toAgent, grounds: [] });
  });

  test('nothing where the config wants no briefing, or a global config requires nothing', async () => {
    const briefing = { inject: false, format: 'compact', header: undefined } as const;
    expect(await heard([tests], {}, { briefing })).toEqual({ kind: 'nothing' });
    expect(await heard([], {}, { reach: 'global-only' })).toEqual({ kind: 'nothing' });
  });

  test('once of a turn that ended although it was held', async () => {
    const stop_overrides = [{ session: 'aaaaaaaa', names: ['plan'], at: 1 }];
    const known = { [FILE]: { ...state({}), stop_overrides } };
    const { verdict, written } = await decide(start(), [plan], { files: known });
    const line = 'A turn ended here although it was held: session aaaaaaaa with plan open.';
    expect(verdict).toMatchObject({ toPerson: line, toAgent: expect.stringContaining(line) });
    expect(written(FILE)).not.toHaveProperty('stop_overrides');
  });
});
