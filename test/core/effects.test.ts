import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { EffectContext } from '../../src/core/guard';
import type { Json } from '../../src/core/json';
import { NOTHING, type Verdict } from '../../src/core/verdict';
import { lockProject } from '../../src/state/update';
import { makeRig, preTool, type Rig, type Scripted, scriptedChunks, spoken, stopEvent } from './rig';

let rig: Rig;
afterEach(() => rig.remove());
const play = (...guards: Scripted[]): Rig => {
  rig = makeRig(scriptedChunks(guards));
  return rig;
};

const ground = [{ rule: 'r', fact: 'f' }];
const ask = { name: 'run', input: { of: 'tests' } };
const hold = (reason: string): Verdict => ({ kind: 'hold', reason, grounds: ground });
/** Runs its effect, and holds with what it brought. */
const holdsWithResult: Scripted['decide'] = async (_event, _config, { run }) =>
  hold(`brought ${JSON.stringify(await run(ask))}`);

describe('an effect', () => {
  test('runs once, and what it brings reaches the guard', async () => {
    const calls: [string, Json, EffectContext][] = [];
    play({
      name: 'gates',
      decide: holdsWithResult,
      effect: async (name, input, context) => {
        calls.push([name, input, context]);
        return { passed: false };
      },
    });
    const answer = await rig.send(stopEvent(), { env: { SOME: 'thing' } });
    expect(spoken(answer)).toMatchObject({ reason: expect.stringContaining('brought {"passed":false}') });
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject([
      'run',
      { of: 'tests' },
      { projectRoot: rig.root, env: { SOME: 'thing' } },
    ]);
    expect(calls[0]?.[2].deadline).toBeGreaterThan(Date.now());
  });

  test('that brings null has brought something', async () => {
    play({ name: 'gates', decide: holdsWithResult, effect: async () => null });
    expect(spoken(await rig.send(stopEvent()))).toMatchObject({
      reason: expect.stringContaining('brought null'),
    });
  });

  test('runs without the lock, and before anything is written', async () => {
    let taken = false;
    let found = '';
    const ref = { base: 'git', path: 'note.json', format: 'json', durability: 'durable' } as const;
    play(
      {
        name: 'requirements',
        decide: (_event, _config, { change }) => {
          change({ document: ref, what: 'note', apply: () => 'written' });
          return NOTHING;
        },
      },
      {
        name: 'gates',
        decide: holdsWithResult,
        effect: async () => {
          const lock = lockProject(rig.layout, 50);
          taken = lock.ok;
          if (lock.ok) lock.value.release();
          found = rig.git(rig.root, 'status', '--porcelain', '--ignored');
          return 1;
        },
      },
    );
    await rig.send(stopEvent());
    expect(taken).toBe(true);
    expect(found).not.toContain('note.json');
    expect(readFileSync(join(rig.root, '.git/note.json'), 'utf8')).toContain('written');
  });

  test('of one guard comes before the guards after it speak, each with its own result', async () => {
    const order: string[] = [];
    const guard = (name: 'workflow' | 'gates'): Scripted => ({
      name,
      decide: async (_event, _config, { run, earlier }) => {
        const result = String(await run(ask));
        order.push(`${name} after ${earlier.map((one) => one.guard).join()} with ${result}`);
        return NOTHING;
      },
      effect: async () => {
        order.push(`${name} runs`);
        return `${name}'s`;
      },
    });
    await play(guard('workflow'), guard('gates')).send(stopEvent());
    expect(order).toEqual([
      'workflow runs',
      "workflow after  with workflow's",
      'gates runs',
      "gates after workflow with gates's",
    ]);
  });

  test('is not run twice when a document moves meanwhile', async () => {
    let runs = 0;
    const ref = { base: 'git', path: 'seen.json', format: 'json', durability: 'durable' } as const;
    play({
      name: 'gates',
      decide: async (_event, _config, ctx) => {
        await ctx.run(ask);
        const seen = ctx.document(ref);
        if (seen.kind === 'missing') rig.write('.git/seen.json', '"theirs"');
        ctx.change({
          document: ref,
          what: 'seen',
          apply: (current) => `${String(current)}, ours`,
        });
        return { kind: 'hold', reason: `saw ${seen.kind}`, grounds: ground };
      },
      effect: async () => ++runs,
    });
    const answer = await rig.send(stopEvent());
    expect(runs).toBe(1);
    expect(answer.stdout).toContain('saw present');
    expect(readFileSync(join(rig.root, '.git/seen.json'), 'utf8')).toContain('theirs, ours');
  });
});

describe('an effect that fails', () => {
  const failing = (facts: Partial<Scripted>): Scripted => ({
    name: 'gates',
    decide: holdsWithResult,
    effect: async () => {
      throw new Error('the runner is gone\nwith a stack');
    },
    ...facts,
  });

  test('lets the event pass, loudly', async () => {
    const answer = await play(failing({})).send(stopEvent());
    expect(answer).toMatchObject({ stdout: '', exitCode: 0 });
    expect(answer.stderr).toBe(
      'holdpoint: gates could not finish (the runner is gone); its rules were not checked.\n',
    );
    expect(rig.record()?.degraded).toMatchObject([{ code: 'effect.failed', told: false }]);
  });

  test('holds where the config says so', async () => {
    const answer = await play(failing({ onError: 'hold' })).send(preTool());
    expect(spoken(answer)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  test('also when it throws at once', async () => {
    const effect = (): never => {
      throw new Error('at once');
    };
    expect((await play(failing({ effect })).send(stopEvent())).stderr).toContain('at once');
  });

  test('does not keep the guards after it from speaking', async () => {
    play(failing({}), { name: 'loop', decide: () => hold('go on') });
    expect(await rig.send(stopEvent())).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('go on\n'),
    });
  });
});
