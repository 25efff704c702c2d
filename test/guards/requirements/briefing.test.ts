import { describe, expect, test } from 'vitest';
import type { RequirementsConfig } from '../../../src/guards/requirements/config';
import * as scene from './scene';

const FILE = 'requirements/feature-auth.json';
const plan = scene.blocking('plan', { skill: 'team:plan' });
const adr = scene.blocking('adr', { skill: 'team:plan' });
const tests = scene.blocking('tests');

function heard(config: RequirementsConfig, world: scene.World = {}) {
  return scene.outcomeOf(scene.start(), config, scene.snapshotOf(world)).verdict;
}

describe('a session that begins', () => {
  test('hears in a few lines what is open, by what clears it', () => {
    const verdict = heard(scene.configOf([plan, adr, tests]));
    expect(verdict).toEqual({
      kind: 'advise',
      toAgent: [
        '## Requirements: 0/3 satisfied (enforcing 3)',
        '**Run `/plan`** -> `plan`, `adr`',
        '**req satisfy tests** -> `tests`',
        '**Fallback**: `req satisfy plan adr tests --session cad0ac4d`',
      ].join('\n'),
      grounds: [],
    });
  });

  test('hears that all is well where it is', () => {
    const files = { [FILE]: scene.state({ tests: { satisfied: true } }) };
    expect(heard(scene.configOf([tests]), { files })).toMatchObject({
      toAgent: '## Requirements: 1/1 satisfied (enforcing 1)',
    });
  });

  test('hears a line for each in the longer form, below the header', () => {
    const files = { [FILE]: scene.state({ tests: { satisfied: true } }) };
    const briefing = { inject: true, format: 'standard', header: 'Read this.' } as const;
    expect(
      heard(scene.configOf([plan, tests, scene.blocking('docs')], { briefing }), { files }),
    ).toMatchObject({
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

  test('hears of a protected branch only on one', () => {
    const config = scene.configOf([scene.protectedBranch(['main'])]);
    expect(heard(config)).toMatchObject({ toAgent: '## Requirements: 1/1 satisfied (enforcing 1)' });
    const onMain = heard(config, { branch: 'main' });
    expect(onMain).toMatchObject({ toAgent: expect.stringContaining('0/1 satisfied') });
  });

  test('hears which state cannot be read', () => {
    const files = { [FILE]: { broken: '/x/.git/requirements/feature-auth.json' } };
    expect(heard(scene.configOf([tests]), { files })).toMatchObject({
      toAgent: expect.stringContaining(
        '/x/.git/requirements/feature-auth.json is not JSON, so nothing in it counts.',
      ),
    });
  });

  test.each([
    [
      'where the config wants no briefing',
      scene.configOf([tests], { briefing: { inject: false, format: 'compact' } }),
    ],
    ['where a global config requires nothing', scene.configOf([], { reach: 'global-only' })],
  ])('hears nothing %s', (_sentence, config) => {
    expect(heard(config)).toEqual({ kind: 'nothing' });
  });

  test.each([
    ['nothing is required', scene.configOf([]), 'none in the config has `enabled: true`'],
    ['requirements are switched off', scene.configOf([tests], { enabled: false }), '`enabled: false`'],
  ])('hears, as does the person, that nothing is enforced because %s', (_sentence, config, why) => {
    const { changes } = scene.outcomeOf(scene.start(), config, scene.snapshotOf());
    expect(heard(config)).toMatchObject({
      toAgent: expect.stringContaining(why),
      toPerson: expect.stringContaining(why),
    });
    expect(changes).toEqual([]);
  });

  test('hears of a pause and nothing else', () => {
    expect(heard(scene.configOf([tests]), { paused: true })).toMatchObject({
      toAgent: expect.stringMatching(/^Holdpoint: requirements are paused.*`req resume`/),
      toPerson: expect.stringContaining('paused'),
    });
  });

  test('hears in ten lines at most, and still every name, however many requirements there are', () => {
    const many = Array.from({ length: 40 }, (_, index) => scene.blocking(`r${index}`));
    const sessions = { aaaaaaaa: { satisfied: true, satisfied_at: scene.NOW - 10 } };
    const files = { [FILE]: scene.state({ r0: { sessions }, r1: { sessions } }) };
    const briefing = { inject: true, format: 'compact', header: 'Read this.' } as const;
    const config = scene.configOf(many, { briefing });
    const { verdict } = scene.outcomeOf(scene.start('clear'), config, scene.snapshotOf({ files }));
    const text = (verdict as { toAgent: string }).toAgent;
    expect(text.split('\n').length).toBeLessThanOrEqual(10);
    for (const { name } of many) expect(text).toContain(`\`${name}\``);
  });

  test('hears, as does the person, that a global config alone enforces nothing', () => {
    const verdict = heard(scene.configOf([tests], { reach: 'global-only' }));
    expect(verdict).toMatchObject({
      kind: 'advise',
      toAgent: expect.stringContaining('enforce_everywhere: true'),
      toPerson: expect.stringContaining('enforce_everywhere: true'),
    });
  });
});
