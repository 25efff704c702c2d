import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Context } from '../../src/core/guard';
import type { Json } from '../../src/core/json';
import { type GuardVerdict, NOTHING } from '../../src/core/verdict';
import type { DocumentRef } from '../../src/state/documents';
import { makeRig, preTool, type Rig, type Scripted, SILENT, scriptedChunks, spoken, stopEvent } from './rig';

let rig: Rig;
afterEach(() => rig.remove());
const play = (...guards: Scripted[]): Rig => {
  rig = makeRig(scriptedChunks(guards));
  return rig;
};
const document = (path: string): DocumentRef => ({
  base: 'git',
  path,
  format: 'json',
  durability: 'durable',
});
const ground = [{ rule: 'r', fact: 'f' }];

describe('the guards', () => {
  test('speak in the order of the config, and each hears those before it', async () => {
    const heard: [string, readonly GuardVerdict[]][] = [];
    const guard = (name: 'requirements' | 'workflow' | 'loop'): Scripted => ({
      name,
      decide: (_event, _config, { earlier }) => {
        heard.push([name, [...earlier]]);
        return { kind: 'advise', toAgent: `from ${name}`, grounds: ground };
      },
    });
    const answer = await play(guard('requirements'), guard('workflow'), guard('loop')).send(preTool());
    expect(heard.map(([name, earlier]) => [name, earlier.map((one) => one.guard)])).toEqual([
      ['requirements', []],
      ['workflow', ['requirements']],
      ['loop', ['requirements', 'workflow']],
    ]);
    expect(heard[2]?.[1][0]?.verdict).toMatchObject({ kind: 'advise', toAgent: 'from requirements' });
    expect(spoken(answer)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        additionalContext: 'from requirements\n\nfrom workflow\n\nfrom loop',
      },
    });
  });

  test('get their own part of the config', async () => {
    const got: Json[] = [];
    const guard = (name: 'requirements' | 'gates', config: Json): Scripted => ({
      name,
      config,
      decide: (_event, mine) => {
        got.push(mine);
        return NOTHING;
      },
    });
    await play(guard('requirements', { a: 1 }), guard('gates', { b: 2 })).send(preTool());
    expect(got).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test('are not loaded for an event that does not concern them', async () => {
    const decide = (): never => {
      throw new Error('asked');
    };
    play({ name: 'gates', interests: [{ kind: 'tool.before', tools: ['Edit'] }], decide });
    expect(await rig.send(preTool('Bash'))).toMatchObject(SILENT);
    expect((await rig.send(preTool('Edit'))).stderr).toContain('asked');
  });

  test('that say nothing leave nothing behind', async () => {
    expect(await play({ name: 'gates' }).send(preTool())).toMatchObject(SILENT);
    expect(rig.journal()).toEqual([]);
  });
});

describe('what a guard asks of the world', () => {
  const seen = async (look: (ctx: Context) => unknown, env = {}): Promise<unknown> => {
    let answer: unknown;
    const decide: Scripted['decide'] = (_event, _config, ctx) => {
      answer = look(ctx);
      return NOTHING;
    };
    rig = makeRig(scriptedChunks([{ name: 'requirements', decide }]));
    rig.write('.git/first.json', '"second.json"');
    rig.write('.git/second.json', '{"deep":true}');
    rig.write('a.txt', 'abcdef');
    await rig.send(preTool(), { env });
    return answer;
  };

  test('is read where it asks, so that one document may name another', async () => {
    const look = (ctx: Context): unknown => {
      const first = ctx.document(document('first.json'));
      return ctx.document(document(first.kind === 'present' ? String(first.value) : ''));
    };
    expect(await seen(look)).toMatchObject({ kind: 'present', value: { deep: true } });
  });

  test('is the same for the whole event, though it changes meanwhile', async () => {
    const look = (ctx: Context): unknown => {
      const before = ctx.document(document('first.json'));
      writeFileSync(join(ctx.projectRoot, '.git/first.json'), '"other"');
      return [before, ctx.document(document('first.json'))];
    };
    const value = { kind: 'present', value: 'second.json' };
    expect(await seen(look)).toMatchObject([value, value]);
  });

  test('an environment variable, empty where it is not set', async () => {
    expect(await seen((ctx) => [ctx.env('WANTED'), ctx.env('UNSET')], { WANTED: 'w' })).toEqual(['w', '']);
  });

  test.each<[string, (number | undefined)[], unknown[]]>([
    ['its size alone, then its text', [undefined, 100], [undefined, 'abcdef']],
    ['its start, then more of it', [2, 100], ['ab', 'abcdef']],
    ['more, then less', [100, 2], ['abcdef', 'abcdef']],
  ])('as much of a file as was asked for: %s', async (_, lengths, texts) => {
    const look = (ctx: Context): unknown =>
      lengths.map((bytes) =>
        ctx.file({ path: 'a.txt', ...(bytes !== undefined && { maxTextBytes: bytes }) }),
      );
    expect(await seen(look)).toMatchObject(
      texts.map((text) => ({ kind: 'file', size: 6, ...(text !== undefined && { text }) })),
    );
  });

  test('no file outside of a directory, though another guard has read it', async () => {
    const look = (ctx: Context): unknown => {
      const ask = { path: 'a.txt', maxTextBytes: 100 };
      return [ctx.file(ask).kind, ctx.file({ ...ask, within: `${rig.root}/.git` }).kind];
    };
    expect(await seen(look)).toEqual(['file', 'unreadable']);
  });

  test('the process of the session', async () => {
    expect(await seen((ctx) => ctx.hostProcess().pid, { CLAUDE_PID: String(process.pid) })).toBe(process.pid);
  });
});

describe('a document that moves between reading and writing', () => {
  const counter = document('counter.json');
  const valueIn = (ctx: Context): number => {
    const found = ctx.document(counter);
    return found.kind === 'present' ? Number(found.value) : 0;
  };

  test('makes the guard decide again on what is there now, and nothing is lost', async () => {
    const decidedOn: number[] = [];
    play({
      name: 'requirements',
      decide: (_event, _config, ctx) => {
        const value = valueIn(ctx);
        decidedOn.push(value);
        if (decidedOn.length === 1) writeFileSync(join(rig.root, '.git/counter.json'), '41');
        const apply = (current: Json | undefined): Json => Math.max(Number(current ?? 0), value + 1);
        ctx.change({ document: counter, what: 'count', apply });
        return { kind: 'deny', reason: `saw ${value}`, grounds: ground };
      },
    });
    rig.write('.git/counter.json', '1');
    const answer = await rig.send(preTool());
    expect(decidedOn).toEqual([1, 41]);
    expect(answer.stdout).toContain('saw 41');
    expect(readFileSync(join(rig.root, '.git/counter.json'), 'utf8').trim()).toBe('42');
    expect(rig.journal()).toHaveLength(1);
  });

  test('may make a guard ask for work that it had not asked for before', async () => {
    const calls: string[] = [];
    play(
      {
        name: 'requirements',
        decide: (_event, _config, ctx) => {
          if (valueIn(ctx) > 0) return NOTHING;
          writeFileSync(join(rig.root, '.git/counter.json'), '1');
          ctx.change({ document: document('other.json'), what: 'held', apply: () => 'held' });
          return { kind: 'hold', reason: 'not yet', grounds: ground };
        },
      },
      {
        name: 'gates',
        effect: async () => {
          calls.push('ran');
          return 'red';
        },
        decide: async (_event, _config, { earlier, run }) => {
          if (earlier.some(({ verdict }) => verdict.kind === 'hold')) return NOTHING;
          const result = await run({ name: 'run', input: null });
          return { kind: 'hold', reason: `gates are ${String(result)}`, grounds: ground };
        },
      },
    );
    const answer = await rig.send(stopEvent());
    expect(calls).toEqual(['ran']);
    expect(spoken(answer)).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('gates are red'),
    });
  });
});
