import { describe, expect, test } from 'vitest';
import { frameOf, type Phase, parseState, phaseOf } from '../../../src/guards/loop/state';
import type { LoopStop } from '../../../src/guards/loop/stop';
import { ownTopic } from '../../../src/guards/loop/store';
import { type Observed, type Transition, transition } from '../../../src/guards/loop/transition';
import * as scene from './scene';

const { S1, NOW } = scene;

function stopWith(body: object): LoopStop {
  const parsed = parseState(JSON.stringify(body));
  if (parsed.kind !== 'state') throw new Error(parsed.why);
  const { state } = parsed;
  const top = frameOf(state.stack.at(-1), scene.CONFIG.maxIterations);
  const snapshot = scene.snapshotOf({});
  const place = { ref: ownTopic(S1) };
  return { event: scene.stop(), config: scene.CONFIG, snapshot, place, state, top, life: undefined };
}

function observed(over: Partial<Observed> = {}): Observed {
  const words = { text: 'working', source: 'event' } as const;
  return { words, heard: { nearMiss: false }, progress: undefined, ...over };
}

function from(stack: unknown, over: Partial<Observed> = {}, more: object = {}) {
  return transition(stopWith(scene.state(stack as never, more as never)), observed(over));
}

const DONE = { heard: { signal: 'COMPLETE', nearMiss: false } } as const;
const RESUMING = scene.grind(1, 100, { on_child_done: 'resume' });

describe('the transition table', () => {
  test.each<[string, Transition, Phase, boolean]>([
    ['IDLE stays IDLE: no state', { to: phaseOf(undefined) }, 'IDLE', false],
    ['IDLE stays IDLE: stack is empty', from([]), 'IDLE', false],
    ['IDLE → ACTIVE: loop start, stack not empty', from([scene.frame(1, 10)]), 'ACTIVE', true],
    ['ACTIVE → ACTIVE: iteration, no completion signal', from([scene.frame(5, 10)]), 'ACTIVE', true],
    ['ACTIVE → COMPLETING: signal found', from([scene.frame(1, 10)], DONE), 'COMPLETING', false],
    ['ACTIVE → STUCK: iteration >= max', from([scene.frame(10, 10)]), 'STUCK', false],
    [
      'ACTIVE → STUCK: age > 7200 s',
      from([scene.frame(1, 10)], {}, { updated_at: '2026-01-01T09:59:59Z' }),
      'STUCK',
      false,
    ],
    ['ACTIVE → ABORTED: invalid state', from([scene.frame('abc', 10)]), 'ABORTED', false],
    ['COMPLETING → IDLE: stack empty after pop', from([scene.frame(1, 10)], DONE), 'COMPLETING', false],
    ['COMPLETING → ACTIVE: outer loop continues', from([RESUMING, scene.issue(1)], DONE), 'COMPLETING', true],
  ])('%s', (_row, { to, goOn }, phase, holds) => {
    expect(to).toBe(phase);
    expect(goOn !== undefined).toBe(holds);
  });

  test.each([
    ['COMPLETING', from([scene.frame(1, 10)], DONE)],
    ['STUCK', from([scene.frame(10, 10)])],
    ['ABORTED', from([scene.frame(-1, 10)])],
  ])('%s leaves a state that is IDLE at the next stop', (_phase, { next }) => {
    expect(transition(stopWith(next ?? {}), observed()).to).toBe('IDLE');
  });
});

describe('the safety invariants', () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index * 37}`);

  test('1: never continues a state that is stale, whatever else is in it', () => {
    for (const seconds of [7201, 7300, 86_400, 10_000_000]) {
      const updated_at = new Date(NOW - seconds * 1000).toISOString();
      for (const stack of [[scene.frame(1, 10)], [RESUMING, scene.issue(1)], [scene.ours(1, 10)]]) {
        for (const over of [{}, DONE, { heard: { pause: 'x', nearMiss: false } }]) {
          for (const session_id of [undefined, S1]) {
            expect(from(stack, over, { updated_at, session_id }).goOn).toBeUndefined();
          }
        }
      }
    }
  });

  test('2: never continues with counts that are none', () => {
    const wrong = ['abc', '', ' 5', '5 ', '-1', '1.5', '0x10', '1e3', -1, 1.5, true, false, [], {}, [1], '٣'];
    for (const value of wrong) {
      for (const frame of [scene.frame(value as never, 10), scene.frame(1, value as never)]) {
        const { to, goOn, next } = from([frame]);
        expect([to, goOn, next?.['event'], next?.['stack']]).toEqual(['ABORTED', undefined, 'ABORT', []]);
      }
    }
    for (const frame of [1, 'x', null, []]) expect(from([frame]).to).toBe('ABORTED');
  });

  test('3: refuses a stop only while it iterates, and then always writes a higher count', () => {
    for (const iter of many(300)) {
      for (const max of ['0', '1', '10', '1000000', '99999999999999999999']) {
        const { goOn, next } = from([scene.frame(iter, max)]);
        const holds = Number(iter) < Math.min(Number(max), 1_000_000);
        expect(goOn !== undefined).toBe(holds);
        if (holds) expect(next?.['stack']).toMatchObject([{ iter: Number(iter) + 1 }]);
        else expect(next).toMatchObject({ event: 'DONE', reason: 'MAX_ITERATIONS', stack: [] });
      }
    }
  });

  test('4: a completion signal must stand on its own line', () => {
    const world = scene.looping([scene.frame(1, 10)]);
    for (const text of [
      `done: ${scene.S}`,
      `${scene.S} done`,
      `\`${scene.S}\``,
      `- ${scene.S}`,
      `> ${scene.S}`,
    ]) {
      expect(scene.outcomeOf(scene.saying(text), world).next).toMatchObject({ event: 'STATE' });
    }
    expect(scene.outcomeOf(scene.saying(`done\n${scene.S}\nbye`), world).next).toMatchObject({
      event: 'DONE',
    });
  });

  test('no sequence of stops ends later than its bound', () => {
    for (const max of [1, 2, 7, 50]) {
      let body = scene.state([scene.frame(1, max)]);
      let refused = 0;
      for (;;) {
        const { next, reason } = scene.outcomeOf(scene.stop(), scene.looping(body['stack'] as never));
        if (next === undefined) throw new Error('nothing was written');
        if (reason === '') break;
        body = next as never;
        refused++;
      }
      expect(refused).toBe(max - 1);
    }
  });
});

describe('the edge cases', () => {
  const world = scene.looping([scene.frame(1, 10)]);

  test('Code Block False Positive: a signal in a code block does not complete, and the agent is told', () => {
    const text = `Here's how to signal completion:\n\`\`\`\n${scene.S}\n\`\`\``;
    const { reason, next } = scene.outcomeOf(scene.saying(text), world);
    expect(reason.startsWith(`${scene.sentence(2, 10)}\n\n`)).toBe(true);
    expect(reason).toContain('on a line of its own');
    expect(next).toMatchObject({ event: 'STATE', stack: [{ iter: 2 }] });
    const inline = scene.outcomeOf(scene.saying(`Here's how:\n\`${scene.S}\``), world);
    expect(inline.next).toMatchObject({ event: 'STATE' });
  });

  test('Concurrent Session Races: another session’s loop is not touched', () => {
    const theirs = scene.looping([scene.frame(1, 10)], { session_id: scene.S2 });
    expect(scene.outcomeOf(scene.stop(), theirs)).toMatchObject({ reason: '', writes: 0 });
  });

  test('Concurrent Session Races: a change that runs twice counts once', () => {
    const { changes } = scene.outcomeOf(scene.stop(), world);
    const append = changes.find(({ document }) => document.format === 'topic');
    const once = append?.apply({ dir: '', known: true, messages: [] });
    expect(append?.apply(once)).toEqual(once);
  });

  test('Long Transcripts: a signal followed by a thousand lines still counts', () => {
    const text = `${scene.S}\n${'more\n'.repeat(1000)}`;
    expect(scene.outcomeOf(scene.saying(text), world).next).toMatchObject({
      event: 'DONE',
      reason: 'COMPLETE',
    });
  });

  test.each([
    ['no JSON', '{"schema":1,'],
    ['nothing', ''],
    ['a list', '[]'],
    ['a number', '5'],
    ['null', 'null'],
    ['an object that is no state', '{"hello":"world"}'],
    ['a stack that is no list', '{"schema":1,"stack":"x"}'],
  ])('Malformed JSON in State: %s lets the turn end, changes nothing and is told', (_what, body) => {
    const outcome = scene.outcomeOf(scene.stop(), { store: 'shared', messages: [body] });
    expect(outcome).toMatchObject({ reason: '', writes: 0, verdict: { kind: 'nothing' } });
    expect(outcome.odd).toHaveLength(1);
    expect(outcome.odd[0]).toContain('/work-tree/.jwz/messages.jsonl');
  });

  test('Stale State After Crash: the next stop ends the loop and keeps what it was', () => {
    const stack = [scene.frame(3, 10)];
    const { next, reason, odd } = scene.outcomeOf(
      scene.stop(),
      scene.looping(stack, { updated_at: '2025-12-31T12:00:00Z' }),
    );
    expect(reason).toBe('');
    expect(next).toMatchObject({ event: 'DONE', reason: 'STALE', stack: [], archived_stack: stack });
    expect(odd[0]).toContain('stale');
  });
});
