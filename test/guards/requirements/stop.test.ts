import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import type { RequirementsConfig } from '../../../src/guards/requirements/config';
import { keyOf } from '../../../src/guards/requirements/standing';
import { decide } from '../../../src/guards/workflow/decide';
import * as scene from './scene';

const { SESSION, FILE } = scene;
const plan = scene.blocking('plan');
const triggered = { sessions: { [SESSION]: { triggered: true } } };
const OLD = 'requirements/old-work.json';

function verdict(config: RequirementsConfig, world: scene.World) {
  return scene.outcomeOf(scene.stop(), config, scene.snapshotOf(world)).verdict;
}

describe('a session that has switched its branch', () => {
  const metrics = { branches: ['old/work', 'feature/auth'] };
  const files = { [OLD]: scene.state({ plan: triggered }, 'old/work') };

  test('is held for what it set off on the other one, with a command that satisfies it there', () => {
    const held = verdict(scene.configOf([plan]), { files, metrics });
    expect(held.kind).toBe('hold');
    expect(scene.reasonOf(held)).toContain('Unsatisfied Requirements: plan (on branch old/work)');
    expect(scene.reasonOf(held)).toContain("Fallback: `req satisfy plan --branch 'old/work'`");
    expect(held).toMatchObject({ grounds: [{ fact: expect.stringContaining('on branch old/work') }] });
  });

  test('hears of both branches in one message', () => {
    const here = { [FILE]: scene.state({ plan: triggered }) };
    const reason = scene.reasonOf(verdict(scene.configOf([plan]), { files: { ...files, ...here }, metrics }));
    expect(reason).toContain(
      `Fallback: \`req satisfy plan --session ${SESSION}\`, \`req satisfy plan --branch 'old/work'\``,
    );
    expect(reason.split('\n').length).toBeLessThan(10);
  });

  test.each<[string, RequirementsConfig, scene.World]>([
    [
      'where it is satisfied there',
      scene.configOf([plan]),
      {
        metrics,
        files: {
          [OLD]: scene.state(
            { plan: { sessions: { [SESSION]: { triggered: true, satisfied: true } } } },
            'old/work',
          ),
        },
      },
    ],
    [
      'by what another session set off there',
      scene.configOf([plan]),
      {
        metrics,
        files: { [OLD]: scene.state({ plan: { sessions: { aaaaaaaa: { triggered: true } } } }, 'old/work') },
      },
    ],
    [
      'on a branch that it never saw',
      scene.configOf([plan]),
      { metrics: { branches: ['feature/auth'] }, files },
    ],
    [
      'by a condition of the other branch',
      scene.configOf([scene.protectedBranch(['old/*'])]),
      { metrics, files: { [OLD]: scene.state({ protected: triggered }, 'old/work') } },
    ],
    [
      'by a value of the other branch',
      scene.configOf([scene.dynamic('size')]),
      { metrics, files: { [OLD]: scene.state({ size: triggered }, 'old/work') } },
    ],
    ['while it is paused', scene.configOf([plan]), { metrics, files, paused: true }],
    ['a second time', scene.configOf([plan]), { metrics, files, heldBefore: 1 }],
  ])('is not held %s', (_sentence, config, world) => {
    expect(verdict(config, world).kind).toBe('nothing');
  });
});

describe('a computed value at the end of a turn', () => {
  const config = scene.configOf([scene.dynamic('size', { block: 10 })]);
  const files = { [FILE]: scene.state({ size: triggered }) };
  const ending = (number: number): JsonObject => ({
    [keyOf('feature/auth', 'size')]: { kind: 'value', value: number, summary: '', base: '' },
  });

  test('is asked for only if it was set off', () => {
    const asked = (world: scene.World) =>
      decide(scene.stop(), config, scene.snapshotOf(world), { earlier: [], rules: [] }).kind;
    expect([asked({ files }), asked({})]).toEqual(['effect', 'outcome']);
  });

  test.each([
    ['below its limit holds nobody', 9, 'nothing'],
    ['at its limit holds', 10, 'hold'],
  ])('%s', (_sentence, number, kind) => {
    const { verdict: judged, changes } = scene.outcomeOf(
      scene.stop(),
      config,
      scene.snapshotOf({ files }),
      ending(number),
    );
    expect(judged.kind).toBe(kind);
    expect(scene.changedPaths(changes)).toEqual(['values.json']);
  });
});

describe('after a turn that ended well', () => {
  const review = { onStop: true, minToolUses: 5 };
  const used = (count: number) => ({ metrics: { tools: { Edit: { count } } } });

  test.each<[string, RequirementsConfig, scene.World, string]>([
    ['a person is asked what was learnt', scene.configOf([plan], { review }), used(5), 'advise'],
    ['not after a few tools', scene.configOf([plan], { review }), used(4), 'nothing'],
    ['not where nobody wants it', scene.configOf([plan]), used(50), 'nothing'],
    [
      'even where nothing is verified',
      scene.configOf([plan], { review, stop: { verify: false, scopes: [] } }),
      used(5),
      'advise',
    ],
    [
      'not while something is held',
      scene.configOf([plan], { review }),
      { ...used(5), files: { [FILE]: scene.state({ plan: triggered }) } },
      'hold',
    ],
  ])('%s', (_sentence, config, world, kind) => {
    expect(verdict(config, world).kind).toBe(kind);
  });
});

describe('after a plan', () => {
  const leaving = scene.after(
    scene.call({ nativeName: 'ExitPlanMode', names: ['ExitPlanMode'], op: 'plan', paths: [] }),
  );

  test('the agent hears what stands before the work', () => {
    const config = scene.configOf([plan, scene.protectedBranch(['main']), scene.dynamic('size')]);
    expect(scene.outcomeOf(leaving, config, scene.snapshotOf()).verdict).toMatchObject({
      kind: 'advise',
      toAgent: [
        '## Plan Validation Required',
        '**req satisfy plan** -> `plan`',
        `**Fallback**: \`req satisfy plan --session ${SESSION}\``,
      ].join('\n'),
    });
  });

  test.each<[string, scene.World]>([
    ['all is satisfied', { files: { [FILE]: scene.state({ plan: { satisfied: true } }) } }],
    ['the session is paused', { paused: true }],
  ])('and nothing where %s', (_sentence, world) => {
    expect(scene.outcomeOf(leaving, scene.configOf([plan]), scene.snapshotOf(world)).verdict.kind).toBe(
      'nothing',
    );
  });
});
