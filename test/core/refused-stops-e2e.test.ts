import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import type { Answer } from '../../src/core/verdict';
import {
  endEvent,
  makeRig,
  preTool,
  type Rig,
  type Scripted,
  type Sending,
  scriptedChunks,
  spoken,
  stopEvent,
} from './rig';

let rig: Rig;
afterEach(() => rig.remove());

const ground = [{ rule: 'r', fact: 'f' }];
const holds = (name: Scripted['name']): Scripted => ({
  name,
  interests: [{ kind: 'turn.stop' }],
  decide: () => ({ kind: 'hold', reason: `${name} holds`, grounds: ground }),
});
const play = (...guards: Scripted[]): Rig => {
  rig = makeRig(scriptedChunks(guards));
  return rig;
};
const START = Date.UTC(2026, 0, 1);
const CAP = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP';
const isHeld = (answer: Answer): boolean => spoken(answer)['decision'] === 'block';

/** Stops one after the other, a minute apart, until one is let go; how many were refused. */
async function refusals(
  sending: Sending = {},
  facts: (n: number) => JsonObject = () => ({}),
): Promise<number> {
  for (let n = 0; n < 30; n++) {
    const event = stopEvent({ stop_hook_active: n > 0, last_assistant_message: `text ${n}`, ...facts(n) });
    if (!isHeld(await rig.send(event, { ...sending, now: START + n * 60_000 }))) return n;
  }
  return Number.POSITIVE_INFINITY;
}

describe('a guard that always holds', () => {
  test.each<[string, Record<string, string>, number]>([
    ['is let go at the eighth stop in a row', {}, 7],
    ['at the third with a cap of three', { [CAP]: '3' }, 2],
    ['at the second with a cap of one', { [CAP]: '1' }, 1],
    ['never with a cap of zero', { [CAP]: '0' }, Number.POSITIVE_INFINITY],
    ['at the eighth with a cap that is rubbish', { [CAP]: 'lots' }, 7],
  ])('%s', async (_, env, expected) => {
    play(holds('gates'));
    expect(await refusals({ env })).toBe(expected);
  });

  test('says so when it is let go', async () => {
    play(holds('gates'));
    await refusals({ env: { [CAP]: '3' } }, () => ({ last_assistant_message: 'same' }));
    const answer = await rig.send(stopEvent({ stop_hook_active: true }), { env: { [CAP]: '3' } });
    expect(spoken(answer)).toEqual({
      systemMessage: expect.stringContaining('gates would hold it: 2 stops in a row'),
    });
    expect(rig.journal().at(-1)).toMatchObject({
      decision: 'advise',
      verdicts: [{ guard: 'gates', verdict: 'hold' }],
    });
  });

  test('is counted by chain where the host numbers no prompts', async () => {
    play(holds('gates'));
    expect(await refusals({ env: { [CAP]: '4' } }, () => ({ prompt_id: '' }))).toBe(3);
    expect(isHeld(await rig.send(stopEvent({ prompt_id: '' })))).toBe(true);
    expect(rig.record()?.stops).toMatchObject({ in_row: 1 });
  });

  test('begins anew with the next prompt', async () => {
    play(holds('gates'));
    const env = { [CAP]: '3' };
    await refusals({ env });
    expect(await refusals({ env }, () => ({ prompt_id: 'p2' }))).toBe(2);
  });

  test('counts in each session by itself', async () => {
    play(holds('gates'));
    const env = { [CAP]: '3' };
    await refusals({ env });
    expect(await refusals({ env }, () => ({ session_id: 'another' }))).toBe(2);
  });
});

describe('one stop seen by several processes', () => {
  test('counts once', async () => {
    play(holds('requirements'), holds('gates'), holds('loop'));
    for (const only of ['requirements', 'gates', 'loop']) await rig.send(stopEvent(), { only: [only] });
    expect(rig.record()?.stops).toMatchObject({
      in_row: 1,
      by_guard: { requirements: 1, gates: 1, loop: 1 },
    });
  });

  test('counts once even when another refuses it between our reading and our writing', async () => {
    const others: Promise<Answer>[] = [];
    const slow: Scripted = {
      ...holds('requirements'),
      decide: () => {
        if (others.length === 0) others.push(rig.send(stopEvent(), { only: ['gates'] }));
        return { kind: 'hold', reason: 'requirements holds', grounds: ground };
      },
    };
    play(slow, holds('gates'));
    const mine = await rig.send(stopEvent(), { only: ['requirements'] });
    expect([mine, ...(await Promise.all(others))].map(isHeld)).toEqual([true, true]);
    expect(rig.record()?.stops).toMatchObject({ in_row: 1, by_guard: { requirements: 1, gates: 1 } });
  });
});

describe('tool use between refused stops', () => {
  const env = { [CAP]: '4' };
  const stopAt = (n: number, facts: JsonObject = {}) =>
    rig.send(stopEvent({ stop_hook_active: n > 0, last_assistant_message: `text ${n}`, ...facts }), {
      env,
      now: START + n * 60_000,
    });

  test('begins the row anew, though no guard watches that tool', async () => {
    play(holds('gates'));
    await stopAt(0);
    await stopAt(1);
    expect(rig.record()?.stops?.in_row).toBe(2);
    expect(await rig.send(preTool())).toMatchObject({ stdout: '', stderr: '' });
    expect(rig.record()?.stops).toMatchObject({ in_row: 0, by_guard: { gates: 2 } });
  });

  test('lets a loop with work in it run past the cap', async () => {
    play(holds('gates'));
    for (let n = 0; n < 10; n++) {
      expect(isHeld(await stopAt(n)), `stop ${n}`).toBe(true);
      await rig.send(preTool());
    }
  });

  test('by a subagent does not count', async () => {
    play(holds('gates'));
    await stopAt(0);
    await rig.send({ ...preTool(), agent_id: 'agent-1', agent_type: 'explore' });
    expect(rig.record()?.stops?.in_row).toBe(1);
  });

  test('before any refused stop writes nothing', async () => {
    play(holds('gates'));
    await rig.send(preTool());
    expect(existsSync(rig.layout.own)).toBe(false);
  });

  describe('that only the transcript shows', () => {
    const line = (minute: number, content: JsonObject): string =>
      JSON.stringify({
        isSidechain: false,
        timestamp: new Date(START + minute * 60_000).toISOString(),
        message: { content: [content] },
      });
    const toolAt = (minute: number): string => line(minute, { type: 'tool_use', name: 'Bash' });
    const talkAt = (minute: number): string => line(minute, { type: 'text', text: 'hm' });
    const transcript = (...lines: string[]): JsonObject => {
      const file = join(rig.dir, 'transcript.jsonl');
      writeFileSync(file, `${lines.join('\n')}\n`);
      return { transcript_path: file };
    };

    test('begins the row anew at the cap', async () => {
      play(holds('gates'));
      for (const n of [0, 1, 2]) expect(isHeld(await stopAt(n))).toBe(true);
      expect(isHeld(await stopAt(3, transcript(talkAt(0), toolAt(2.5))))).toBe(true);
      expect(rig.record()?.stops).toMatchObject({ in_row: 1, by_guard: { gates: 4 } });
    });

    test('begins the row anew before the cap as well', async () => {
      play(holds('gates'));
      for (const n of [0, 1]) await stopAt(n);
      const lines = [talkAt(0), toolAt(1.5)];
      const held: boolean[] = [];
      for (const n of [2, 3, 4, 5]) held.push(isHeld(await stopAt(n, transcript(...lines, talkAt(n - 0.1)))));
      expect(held).toEqual([true, true, true, false]);
    });

    test.each<[string, () => JsonObject]>([
      ['older than the last refused stop', () => transcript(toolAt(1.5), talkAt(2.5))],
      ['in a transcript that is not there', () => ({ transcript_path: join(rig.dir, 'nowhere.jsonl') })],
      ['in a transcript that nobody named', () => ({})],
    ])('does not, where it is %s', async (_, facts) => {
      play(holds('gates'));
      for (const n of [0, 1, 2]) await stopAt(n);
      expect(isHeld(await stopAt(3, facts()))).toBe(false);
    });
  });
});

test('the end of the session forgets its counts', async () => {
  play(holds('gates'));
  await rig.send(stopEvent());
  expect(rig.record()).toBeDefined();
  expect(await rig.send(endEvent())).toMatchObject({ stdout: '', stderr: '' });
  expect(rig.record()).toBeUndefined();
});
