import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json';
import { frameOf, LOOP_DEFAULTS, type Phase, parseState, phaseOf } from '../../../src/guards/loop/state';
import type { LoopStop } from '../../../src/guards/loop/stop';
import { ownTopic } from '../../../src/guards/loop/store';
import { type Observed, type Transition, transition } from '../../../src/guards/loop/transition';
import { contextOf, decide, frame, grind, issue, looping, NOW, ours, SESSION, state, stop } from './context';

function stopWith(body: JsonObject): LoopStop {
  const parsed = parseState(JSON.stringify(body));
  if (parsed.kind !== 'state') throw new Error(parsed.why);
  const top = frameOf(parsed.state.stack.at(-1), LOOP_DEFAULTS.maxIterations);
  const place = { ref: ownTopic(SESSION) };
  const rest = { config: LOOP_DEFAULTS, ctx: contextOf(), life: undefined, transcript: {} };
  return { event: stop(), place, state: parsed.state, top, ...rest };
}

function from(stack: Json, over: Partial<Observed> = {}, more: JsonObject = {}): Transition {
  const words = { text: 'working', source: 'event' } as const;
  const observed = { words, heard: { nearMiss: false }, progress: undefined, ...over };
  return transition(stopWith(state(stack, more)), observed);
}

const SIGNAL = { heard: { signal: 'COMPLETE', nearMiss: false } } as const;
const RESUMING = grind(1, { on_child_done: 'resume' });

test.each<[string, Transition, Phase, boolean]>([
  ['no state: IDLE', { to: phaseOf(undefined) }, 'IDLE', false],
  ['an empty stack: IDLE', from([]), 'IDLE', false],
  ['no signal: ACTIVE', from([frame(5, 10)]), 'ACTIVE', true],
  ['a signal: COMPLETING', from([frame(1, 10)], SIGNAL), 'COMPLETING', false],
  ['an inner signal: the outer one goes on', from([RESUMING, issue(1)], SIGNAL), 'COMPLETING', true],
  ['iter >= max: STUCK', from([frame(10, 10)]), 'STUCK', false],
  ['too old: STUCK', from([frame(1, 10)], {}, { updated_at: '2026-01-01T09:59:59Z' }), 'STUCK', false],
  ['counts that are none: ABORTED', from([frame('abc', 10)]), 'ABORTED', false],
])('%s', (_row, { to, goOn, next }, phase, holds) => {
  expect([to, goOn !== undefined]).toEqual([phase, holds]);
  if (next?.['event'] !== 'STATE' && next !== undefined) expect(from([], {}, next).to).toBe('IDLE');
});

describe('a stop is never refused', () => {
  test('for a state that is stale, whatever else is in it', () => {
    for (const seconds of [7201, 7300, 86_400, 10_000_000]) {
      const updated_at = new Date(NOW - seconds * 1000).toISOString();
      for (const stack of [[frame(1, 10)], [RESUMING, issue(1)], [ours(1, 10)]]) {
        for (const over of [{}, SIGNAL, { heard: { pause: 'x', nearMiss: false } }]) {
          expect(from(stack, over, { updated_at }).goOn).toBeUndefined();
          expect(from(stack, over, { updated_at, session_id: SESSION }).goOn).toBeUndefined();
        }
      }
    }
  });

  test('for counts that are none', () => {
    const wrong = ['abc', '', ' 5', '5 ', '-1', '1.5', '0x10', '1e3', -1, 1.5, true, false, [], {}, [1], '٣'];
    for (const stack of wrong.flatMap((value) => [[frame(value, 10)], [frame(1, value)]])) {
      const { to, goOn, next } = from(stack);
      expect([to, goOn, next?.['event'], next?.['stack']]).toEqual(['ABORTED', undefined, 'ABORT', []]);
    }
    for (const odd of [1, 'x', null, []]) expect(from([odd]).to).toBe('ABORTED');
  });

  test('without a higher count, and never at the bound or beyond a million', () => {
    for (const iter of Array.from({ length: 300 }, (_, index) => `${index * 37}`)) {
      for (const max of ['0', '1', '10', '1000000', '99999999999999999999']) {
        const { goOn, next } = from([frame(iter, max)]);
        const holds = Number(iter) < Math.min(Number(max), 1_000_000);
        expect(goOn !== undefined).toBe(holds);
        if (holds) expect(next?.['stack']).toMatchObject([{ iter: Number(iter) + 1 }]);
        else expect(next).toMatchObject({ event: 'DONE', reason: 'MAX_ITERATIONS', stack: [] });
      }
    }
    for (const iter of [1_000_000, 1e21, '99999999999999999999999'])
      expect(from([frame(iter, 1e22)]).goOn).toBeUndefined();
  });

  test.each([1, 2, 7, 50])('more often than a loop of %i iterations allows', async (max) => {
    let stack: Json = [frame(1, max)];
    for (let refused = 0; ; refused++) {
      const { next, reason } = await decide(stop(), looping(stack));
      if (reason === '') {
        expect(refused).toBe(max - 1);
        break;
      }
      stack = next?.['stack'] ?? null;
    }
  });
});
