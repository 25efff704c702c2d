import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Context, Guard } from '../../src/core/guard';
import type { JsonObject } from '../../src/core/json';
import { NOTHING, type Verdict } from '../../src/core/verdict';
import type { DocumentRef } from '../../src/state/documents';
import {
  endEvent,
  makeRig,
  preTool,
  type Rig,
  type Scripted,
  scriptedChunks,
  startEvent,
  stopEvent,
} from './rig';

let rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs) rig.remove();
  rigs = [];
});
const play = (...guards: Scripted[]): Rig => {
  const rig = makeRig(scriptedChunks(guards));
  rigs.push(rig);
  return rig;
};

const grounds = [{ rule: 'r', fact: 'f' }];
const file = (path: string, base: DocumentRef['base'] = 'own'): DocumentRef => {
  return { base, path, format: 'json', durability: 'durable' };
};
const deny: Verdict = { kind: 'deny', reason: 'No.', grounds };
const asked = (rig: Rig): JsonObject[] => {
  const log = join(rig.layout.own, 'asked.jsonl');
  if (!existsSync(log)) return [];
  return readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};
const masked = (text: string): string => text.replace(/`holdpoint why \w+`/g, '`holdpoint why ID`');

const EVENTS: [string, JsonObject][] = [
  ['a session that begins', startEvent()],
  ['a prompt', { hook_event_name: 'UserPromptSubmit', prompt: 'Do it.' }],
  ['a tool call', preTool('Edit', { file_path: 'a.js' })],
  ['the end of a turn', stopEvent()],
  ['a session that ends', endEvent()],
  ['an event of nobody', { ...preTool(), session_id: '' }],
];

const LOUD: [string, Scripted][] = [
  ['nobody', { name: 'requirements', interests: [] }],
  ['a guard that says nothing', { name: 'requirements' }],
  [
    'a guard that advises',
    { name: 'requirements', decide: () => ({ kind: 'advise', toAgent: 'Mind.', grounds }) },
  ],
  ['a guard that denies', { name: 'requirements', decide: () => deny }],
  [
    'a guard that throws, with on_error: hold',
    {
      name: 'requirements',
      onError: 'hold',
      decide: () => {
        throw new Error('broken');
      },
    },
  ],
];

const QUIET: [string, Guard['decide']][] = [
  ['denies', async () => deny],
  ['holds', async () => ({ kind: 'hold', reason: 'No.', toPerson: 'Held.', grounds })],
  ['asks', async () => ({ kind: 'ask', reason: 'May it?', grounds })],
  ['advises', async () => ({ kind: 'advise', toAgent: 'Mind.', toPerson: 'Mind.', grounds })],
  [
    'throws',
    async () => {
      throw new Error('broken');
    },
  ],
  [
    'does not come back',
    async () => {
      for (;;) if (Date.now() < 0) break;
      return NOTHING;
    },
  ],
  [
    'tells of trouble, of what it holds, and asks for work that fails',
    async (_event, _config, ctx: Context) => {
      ctx.trouble({ code: 'effect.failed', guard: 'requirements', detail: 'x' });
      ctx.armed('three rules');
      ctx.note('a note');
      await ctx.run({ name: 'none', input: null, announce: 'a run' });
      return deny;
    },
  ],
  [
    'changes what cannot be changed',
    async (_event, _config, ctx: Context) => {
      const apply = (): never => {
        throw new Error('broken');
      };
      ctx.change({ document: file('a.json'), what: 'a', apply });
      ctx.change({ document: file('lock/b.json'), what: 'b', apply: () => ({ b: 1 }) });
      return deny;
    },
  ],
];

describe('a rule in shadow mode', () => {
  test.each(QUIET)(
    'that %s changes no byte of an answer',
    async (name, shadow) => {
      // Each of these takes as long as the watchdog.
      const events = name === 'does not come back' ? EVENTS.slice(2, 3) : EVENTS;
      const loud = name === 'does not come back' ? LOUD.slice(0, 1) : LOUD;
      for (const [, guard] of loud) {
        const [without, withIt] = [play(guard), play({ ...guard, shadow })];
        for (const [what, event] of events) {
          const now = Date.now();
          const bytes = async (rig: Rig): Promise<object> => {
            const { stdout, stderr, exitCode } = await rig.send(event, { now });
            const plain = (text: string): string => masked(text).replaceAll(rig.root, 'ROOT');
            return { what, stdout: plain(stdout), stderr: plain(stderr), exitCode };
          };
          expect(await bytes(withIt)).toEqual(await bytes(without));
        }
      }
    },
    30_000,
  );

  test('is recorded with what it would have said', async () => {
    const rig = play({ name: 'requirements', interests: [], shadow: async () => deny });
    await rig.send(preTool());
    expect(rig.journal()).toMatchObject([
      {
        event: 'PreToolUse',
        call: 'call-1',
        decision: 'nothing',
        verdicts: [{ guard: 'requirements', verdict: 'shadow', would: 'deny', grounds }],
      },
    ]);
  });

  test('stands in one line with those that were heard', async () => {
    const rig = play({ name: 'requirements', decide: () => deny, shadow: async () => deny });
    await rig.send(preTool());
    expect(rig.journal()).toMatchObject([
      { decision: 'deny', verdicts: [{ verdict: 'deny' }, { verdict: 'shadow', would: 'deny' }] },
    ]);
  });

  test('that says nothing leaves no line', async () => {
    const rig = play({ name: 'requirements', shadow: async () => NOTHING });
    await rig.send(preTool());
    expect(rig.journal()).toEqual([]);
    expect(asked(rig)).toEqual([]);
  });

  test('keeps state of its own, and a line says what became of it', async () => {
    const rig = play({
      name: 'requirements',
      interests: [],
      shadow: async (_event, _config, ctx) => {
        ctx.change({ document: file('a.json'), what: 'counted', apply: () => ({ a: 1 }) });
        return NOTHING;
      },
    });
    await rig.send(preTool());
    expect(JSON.parse(readFileSync(join(rig.layout.own, 'a.json'), 'utf8'))).toEqual({ a: 1 });
    expect(rig.journal()).toMatchObject([{ decision: 'nothing', changes: ['counted'] }]);
  });
});

describe('rules that were asked', () => {
  test('are noted once an event, with those in shadow', async () => {
    const rig = play({
      name: 'requirements',
      decide: (_event, _config, ctx) => {
        ctx.asked(['plan', 'review']);
        return NOTHING;
      },
      shadow: async (_event, _config, ctx) => {
        ctx.asked(['plan', 'quiet']);
        return NOTHING;
      },
    });
    for (const [at, event] of [preTool(), stopEvent()].entries())
      (await rig.send(event, { now: 1_800_000_000_000 + at })).after?.();
    expect(asked(rig)).toEqual([
      { at: 1_800_000_000_000, session: '0a1b2c3d', call: 'call-1', rules: ['plan', 'review', 'quiet'] },
      { at: 1_800_000_000_001, session: '0a1b2c3d', rules: ['plan', 'review', 'quiet'] },
    ]);
    expect(rig.journal()).toEqual([]);
  });
});
