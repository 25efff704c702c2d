import { describe, expect, test } from 'vitest';
import type { EventOf } from '../../src/core/event';
import type { GuardName } from '../../src/core/guard';
import {
  isRefusedElsewhere,
  recordRefusal,
  recordToolUse,
  refusedBefore,
  type SessionRecord,
  withNewWords,
} from '../../src/core/refused-stops';
import { AT, stop } from './events';

const FRESH: SessionRecord = { session_id: 'session-one', degraded: [] };

/** One process that sees a stop and refuses it. */
function refuse(record: SessionRecord, event: EventOf<'turn.stop'>, ...guards: GuardName[]): SessionRecord {
  return recordRefusal(record, event, guards, refusedBefore(record, event).inRow === 0, event.at);
}

describe('a chain of stops', () => {
  test('goes on even if the host forgot that it is continuing', () => {
    const record = refuse(FRESH, stop({ lastMessage: 'a' }), 'loop');
    expect(refusedBefore(record, stop({ continuing: false })).inRow).toBe(1);
  });

  test('keeps the time of its last refusal, and not a word of the text', () => {
    const record = refuse(FRESH, stop({ at: AT + 5, lastMessage: 'a secret' }), 'loop');
    expect(record.stops?.held_at).toBe(AT + 5);
    expect(JSON.stringify(record)).not.toContain('secret');
  });
});

describe('one stop seen by several processes counts once', () => {
  test('the next stop is counted again, though it has the same text', () => {
    const first = stop({ lastMessage: 'Done.' });
    const again = stop({ lastMessage: 'Done.', continuing: true });
    let record = refuse(refuse(FRESH, first, 'requirements'), first, 'loop');
    record = refuse(refuse(record, again, 'gates'), again, 'loop');
    expect(record.stops).toMatchObject({ in_row: 2, by_guard: { requirements: 1, gates: 1, loop: 2 } });
  });

  test('the same guard refusing the same text again is another stop', () => {
    const again = stop({ lastMessage: 'Done.', continuing: true });
    let record = FRESH;
    for (let round = 0; round < 5; round++) record = refuse(record, again, 'loop');
    expect(record.stops).toMatchObject({ in_row: 5, by_guard: { loop: 5 } });
  });

  test('another guard refusing the same text at the second stop is another stop', () => {
    const first = refuse(FRESH, stop({ lastMessage: 'Done.' }), 'requirements');
    const second = refuse(first, stop({ lastMessage: 'Done.', continuing: true }), 'loop');
    expect(second.stops?.in_row).toBe(2);
  });
});

describe('tool use', () => {
  const held = refuse(
    refuse(FRESH, stop({ lastMessage: 'a' }), 'gates'),
    stop({ lastMessage: 'b', continuing: true }),
    'loop',
  );

  test('makes the next stop the first of the row, even with the old text and another guard', () => {
    const record = refuse(recordToolUse(held), stop({ lastMessage: 'b', continuing: true }), 'gates');
    expect(record.stops).toMatchObject({ in_row: 1, by_guard: { gates: 2, loop: 1 } });
  });
});

describe('a stop that another process has refused', () => {
  const held = recordRefusal(FRESH, stop({ lastMessage: 'a' }), ['loop'], true, AT + 30);

  test.each<[string, boolean, EventOf<'turn.stop'>, number, GuardName[]]>([
    [
      'is known to a process that began before that was written',
      true,
      stop({ lastMessage: 'a' }),
      AT + 30,
      ['loop'],
    ],
    ['is another one where the process began later', false, stop({ lastMessage: 'a' }), AT + 31, ['loop']],
    ['is another one where the words differ', false, stop({ lastMessage: 'b' }), AT, ['loop']],
    [
      'is another one on the way of an earlier hold',
      false,
      stop({ lastMessage: 'a', continuing: true }),
      AT,
      ['loop'],
    ],
    ['is open to a process with other guards', false, stop({ lastMessage: 'a' }), AT, ['gates']],
    ['is open to a process with no guard at all', false, stop({ lastMessage: 'a' }), AT, []],
  ])('%s', (_, expected, event, startedAt, guards) => {
    expect(isRefusedElsewhere(held, event, () => startedAt, guards, AT + 40)).toBe(expected);
  });

  test('is another one if the clock was set back in between', () => {
    const again = stop({ lastMessage: 'a' });
    expect(isRefusedElsewhere(held, again, () => AT - 60_000, ['loop'], AT - 59_000)).toBe(false);
  });

  test('does not exist in a fresh record', () => {
    expect(isRefusedElsewhere(FRESH, stop(), () => 0, ['loop'], AT)).toBe(false);
  });
});

describe('words that a host adds up', () => {
  const said = (text: string, continuing: boolean) =>
    stop({ promptId: undefined, saidSincePrompt: text, lastMessage: text, continuing });

  test('are all heard at the first stop', () => {
    expect(withNewWords(FRESH, said('one', false)).lastMessage).toBe('one');
  });

  test('are heard only from the last refused stop on', () => {
    const once = refuse(FRESH, said('one', false), 'loop');
    expect(withNewWords(once, said('one\ntwo', true)).lastMessage).toBe('two');
    const twice = refuse(once, withNewWords(once, said('one\ntwo', true)), 'loop');
    expect(withNewWords(twice, said('one\ntwo\nthree', true)).lastMessage).toBe('three');
  });

  test('are all heard again after a new prompt', () => {
    const once = refuse(FRESH, said('one', false), 'loop');
    expect(withNewWords(once, said('two', false)).lastMessage).toBe('two');
  });

  test('of a host that does not are left as they are', () => {
    const once = refuse(FRESH, stop({ lastMessage: 'one' }), 'loop');
    expect(withNewWords(once, stop({ lastMessage: 'two', continuing: true })).lastMessage).toBe('two');
  });
});
