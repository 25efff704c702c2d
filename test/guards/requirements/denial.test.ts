import { describe, expect, test } from 'vitest';
import type { Requirement } from '../../../src/guards/requirements/config';
import * as scene from './scene';

const FILE = 'requirements/feature-auth.json';

function denial(requirements: readonly Requirement[], files: NonNullable<scene.World['files']> = {}) {
  const { verdict } = scene.outcomeOf(
    scene.before(),
    scene.configOf(requirements),
    scene.snapshotOf({ files }),
  );
  expect(verdict.kind).toBe('deny');
  return verdict;
}

const reasonFor = (...args: Parameters<typeof denial>) => scene.reasonOf(denial(...args));

describe('what a denied agent reads', () => {
  test('the rule, the fact, its place in the config, and the command that clears it', () => {
    expect(reasonFor([scene.blocking('plan')])).toBe(
      [
        '## Blocked: plan',
        'Edit is held until `plan` is satisfied in this session on branch feature/auth (.holdpoint/config.yaml:2:3)',
        '**Action**: `req satisfy plan --session cad0ac4d`',
        'Nothing was changed. Do what is named above, or stop and say what is needed.',
        'Fallback (user action): `req satisfy plan --session cad0ac4d`',
      ].join('\n'),
    );
  });

  test.each([
    ['session', 'in this session on branch feature/auth'],
    ['branch', 'on branch feature/auth'],
    ['permanent', 'in this project'],
    ['single_use', 'for this action'],
  ] as const)('how far a satisfaction by scope %s would reach', (scope, reach) => {
    expect(reasonFor([scene.blocking('plan', { scope })])).toContain(`is satisfied ${reach} (`);
  });

  test('what the requirement is about, where the config says so', () => {
    expect(
      reasonFor([scene.blocking('plan', { description: 'Say which  commits\nthere will be.' })]),
    ).toContain('\nSay which commits there will be.\n**Action**');
  });

  test('a name that a shell would take apart as one word', () => {
    expect(reasonFor([scene.blocking("it's $(ok)")])).toContain("req satisfy 'it'\\''s $(ok)' --session");
  });

  test('who has to act where an agent may not', () => {
    const both = reasonFor([scene.blocking('plan', { agentMaySatisfy: false }), scene.blocking('adr')]);
    expect(both).toContain('| plan | `req satisfy plan` (a person) |');
    expect(both).toContain('| adr | `req satisfy adr` |');
  });

  test('the skill instead of the command where there is one', () => {
    const reason = reasonFor([scene.blocking('plan', { skill: 'team:plan' })]);
    expect(reason).toContain('**Execute**: `/team:plan`');
    expect(reason).not.toContain('**Action**');
  });

  test('the words of the config, with what is known filled in and the rest left', () => {
    const message =
      ' Run /{auto_resolve_skill} for {req_name} in {session_id} on {branch} of {project_dir}, {else}. ';
    expect(reasonFor([scene.blocking('plan', { message, skill: 'team:plan' })]).split('\n')[0]).toBe(
      `Run /plan for plan in cad0ac4d on feature/auth of ${scene.ROOT}, {else}.`,
    );
  });

  test('one skill where it clears everything', () => {
    const reason = reasonFor(['plan', 'adr'].map((name) => scene.blocking(name, { skill: 'team:plan' })));
    expect(reason).toContain(
      ['## Blocked: Multiple Requirements', '**Execute**: `/team:plan`', 'Satisfies: plan, adr'].join('\n'),
    );
    expect(reason).toContain('Fallback (user action): `req satisfy plan adr --session cad0ac4d`');
  });

  test('a table where several things clear it, whose rows give way where there are many', () => {
    const reasonOf = (names: string) => reasonFor([...names].map((name) => scene.blocking(name)));
    expect(reasonOf('abcd')).toContain('| d | `req satisfy d` |\nNothing');
    expect(reasonOf('abcdefgh')).toContain('| c | `req satisfy c` |\nand d, e, f, g, h\n');
    // The line that refers to `why` comes as the tenth.
    for (const names of ['ab', 'abcd', 'abcde', 'abcdefgh']) {
      expect(reasonOf(names).split('\n').length).toBeLessThan(10);
    }
  });

  test('grounds for the journal, and who may waive them', () => {
    const verdict = denial([
      scene.blocking('plan', { agentMaySatisfy: false }),
      scene.blocking('adr', { skill: 's' }),
    ]);
    const command = (name: string) => `req satisfy ${name} --session cad0ac4d`;
    expect(verdict).toMatchObject({
      grounds: [
        { rule: 'plan', clear: command('plan'), waive: `a person, with ${command('plan')}` },
        {
          rule: 'adr',
          clear: '/s',
          waive: `the agent or a person, with ${command('adr')}`,
          place: '.holdpoint/config.yaml:2:3',
        },
      ],
    });
  });
});

describe('state that cannot be read satisfies nothing and is named', () => {
  test.each([
    [
      'a broken file of the branch',
      FILE,
      { broken: '/x/feature-auth.json' },
      '/x/feature-auth.json is not JSON, so',
    ],
    ['a list in place of the branch', FILE, [], `${FILE} in the git directory is not a JSON object, so`],
    [
      'a broken file of the project',
      'requirements/_project.json',
      { broken: '/x/_project.json' },
      '/x/_project.json is not JSON, so',
    ],
  ])('%s', (_sentence, path, content, line) => {
    expect(reasonFor([scene.blocking('plan', { scope: 'permanent' })], { [path]: content })).toContain(line);
  });

  test('but a file whose parts have odd types is only empty', () => {
    const reason = reasonFor([scene.blocking('plan')], { [FILE]: { version: '1.0', requirements: [] } });
    expect(reason).not.toContain('counts');
  });
});
