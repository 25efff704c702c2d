import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import type { Requirement, RequirementsConfig, Scope } from '../../../src/guards/requirements/config';
import * as scene from './scene';

const FILE = 'requirements/feature-auth.json';
const triggered = { sessions: { [scene.SESSION]: { triggered: true } } };
const rooted = { triggered: true, triggered_sessions: { [scene.SESSION]: 1 } };

function verdictOn(
  entry: JsonObject,
  { requirement = scene.blocking('plan'), heldBefore = 0, branch = 'feature/auth', ...over }: Situation = {},
): string {
  const files = { [FILE]: scene.state({ plan: entry, protected: entry }) };
  const config = scene.configOf([requirement], over);
  const snapshot = scene.snapshotOf({ files, heldBefore, branch });
  return scene.outcomeOf(scene.stop(), config, snapshot).verdict.kind;
}

interface Situation extends Partial<RequirementsConfig> {
  readonly requirement?: Requirement;
  readonly heldBefore?: number;
  readonly branch?: string;
}

describe('the end of a turn', () => {
  const scoped = (scope: Scope) => scene.blocking('plan', { scope });
  const verifying = (...scopes: Scope[]) => ({ stop: { verify: true, scopes } });
  const satisfied = { sessions: { [scene.SESSION]: { triggered: true, satisfied: true } } };

  const rows: [sentence: string, entry: JsonObject, situation: Situation, verdict: string][] = [
    ['is held by what is triggered and unsatisfied', triggered, {}, 'hold'],
    ['is not held by what was never triggered', {}, {}, 'nothing'],
    [
      'is not held by what another session triggered',
      { sessions: { aaaaaaaa: { triggered: true } } },
      {},
      'nothing',
    ],
    ['is not held by what is triggered and satisfied', satisfied, {}, 'nothing'],
    ['is not held where the root satisfies it', { ...triggered, satisfied: true }, {}, 'nothing'],
    ['is held once for a prompt', triggered, { heldBefore: 1 }, 'nothing'],
    [
      'is not held where nobody verifies it',
      triggered,
      { stop: { verify: false, scopes: ['session'] } },
      'nothing',
    ],
    [
      'is held by what never denies a tool',
      triggered,
      { requirement: scene.blocking('plan', { stopOnly: true }) },
      'hold',
    ],
    [
      'is not held by a scope that is not verified',
      triggered,
      { requirement: scoped('single_use') },
      'nothing',
    ],
    [
      'is held by a single use where that is verified',
      triggered,
      { requirement: scoped('single_use'), ...verifying('session', 'single_use') },
      'hold',
    ],
    [
      'is held for a branch that this session set off',
      rooted,
      { requirement: scoped('branch'), ...verifying('branch') },
      'hold',
    ],
    [
      'is not held for one that only others set off',
      { triggered: true, triggered_sessions: { aaaaaaaa: 1 } },
      { requirement: scoped('branch'), ...verifying('branch') },
      'nothing',
    ],
    [
      'is held by what is permanent where that is verified',
      rooted,
      { requirement: scoped('permanent'), ...verifying('permanent') },
      'hold',
    ],
    [
      'is not held for a branch that is not protected',
      triggered,
      { requirement: scene.protectedBranch(['main']) },
      'nothing',
    ],
    ['is held for one that is', triggered, { requirement: scene.protectedBranch(['feature/*']) }, 'hold'],
    ['is not held for the state of another branch', triggered, { branch: 'other' }, 'nothing'],
  ];

  test.each(rows)('%s', (_sentence, entry, situation, verdict) => {
    expect(verdictOn(entry, situation)).toBe(verdict);
  });

  test('is held with every name, the command for all of them, and grounds for each', () => {
    const config = scene.configOf([scene.blocking('plan', { skill: 'team:plan' }), scene.blocking('adr')]);
    const files = { [FILE]: scene.state({ plan: triggered, adr: triggered }) };
    const { verdict, changes } = scene.outcomeOf(scene.stop(), config, scene.snapshotOf({ files }));
    expect(scene.reasonOf(verdict)).toBe(
      [
        '## Cannot Complete: Unsatisfied Requirements: plan, adr',
        '| Requirement | Execute |',
        '|---|---|',
        '| plan | `/team:plan` |',
        '| adr | `req satisfy adr` |',
        'They were set off in this session. Satisfy them, or say what is missing: the next stop is not held for them.',
        'Fallback: `req satisfy plan adr --session cad0ac4d`',
      ].join('\n'),
    );
    expect(verdict).toMatchObject({ grounds: [{ rule: 'plan', clear: '/team:plan' }, { rule: 'adr' }] });
    expect(changes).toEqual([]);
  });
});
