import { describe, expect, test } from 'vitest';
import { afterFailedWrite, combine, conclude } from '../../src/core/combine';
import type { Event } from '../../src/core/event';
import type { Failure } from '../../src/core/failure';
import type { RefusedStops } from '../../src/core/guard';
import type { Json } from '../../src/core/json';
import { markDegraded, recordFrom } from '../../src/core/refused-stops';
import type { GuardVerdict } from '../../src/core/verdict';
import { AT, binds, stop, tool } from './events';

const QUIET = { toAgent: [], toPerson: [] };
const THREW: Failure = { code: 'guard.threw', guard: 'loop', detail: 'oops' };

interface Case {
  readonly event: Event;
  readonly spoken?: readonly GuardVerdict[];
  readonly failures?: readonly Failure[];
  readonly refused?: RefusedStops;
  readonly limit?: number;
}

type Conclusion = ReturnType<typeof conclude>;

function concludeCase({ event, spoken = [], failures = [], refused, limit = 7 }: Case): Conclusion {
  const refusedStops = refused ?? { byGuard: {}, inRow: 0 };
  return conclude({
    event,
    verdicts: spoken,
    failures,
    remarks: QUIET,
    refusedStops,
    limit,
    id: 'id1',
  });
}

/** The record after the conclusion, from what was there before. */
function recordAfter({ changes }: Conclusion, before?: Json) {
  expect(changes).toHaveLength(1);
  return recordFrom(changes[0]?.apply(before), 'session-one');
}

describe('a refused stop', () => {
  const held = [binds('gates', 'hold')];

  test('is counted in the session’s record', () => {
    const conclusion = concludeCase({ event: stop(), spoken: held });
    expect(conclusion.decision.kind).toBe('hold');
    expect(recordAfter(conclusion).stops).toMatchObject({ in_row: 1, by_guard: { gates: 1 }, held_at: AT });
  });

  test.each<[string, number, number, 'hold' | 'advise']>([
    ['the seventh in a row is refused', 6, 7, 'hold'],
    ['the eighth goes', 7, 7, 'advise'],
    ['and every one after it', 8, 7, 'advise'],
    ['with a cap of three the second is refused', 1, 2, 'hold'],
    ['with a cap of three the third goes', 2, 2, 'advise'],
    ['with a cap of one the first is refused', 0, 1, 'hold'],
    ['with a cap of one the second goes', 1, 1, 'advise'],
    ['without a cap none goes', 1000, Number.POSITIVE_INFINITY, 'hold'],
  ])('at the host’s cap: %s', (_, inRow, limit, expected) => {
    const refused = { byGuard: { gates: inRow }, inRow };
    const { decision, changes } = concludeCase({ event: stop(), spoken: held, refused, limit });
    expect(decision.kind).toBe(expected);
    expect(changes).toHaveLength(expected === 'hold' ? 1 : 0);
  });

  test('that is let go at the cap says so, and who would have held', () => {
    const refused = { byGuard: {}, inRow: 7 };
    const spoken = [binds('gates', 'hold'), binds('loop', 'hold')];
    const { decision } = concludeCase({ event: stop(), spoken, refused });
    expect(decision.toPerson.join()).toMatch(
      /let this turn end although gates and loop would hold it: 7 stops/,
    );
  });

  test('without a session leaves nothing behind', () => {
    expect(concludeCase({ event: stop({ sessionId: '' }), spoken: held }).changes).toEqual([]);
  });
});

describe('a deny is not touched by the cap', () => {
  test('however many stops were refused', () => {
    const refused = { byGuard: {}, inRow: 50 };
    expect(concludeCase({ event: tool(), spoken: [binds('gates', 'deny')], refused }).decision.kind).toBe(
      'deny',
    );
  });
});

describe('tool use', () => {
  const held: Json = {
    session_id: 'session-one',
    stops: { chain: 'prompt p1', in_row: 3, by_guard: { loop: 3 } },
  };
  const refused = { byGuard: {}, inRow: 3 };

  test('after a refused stop starts the row anew', () => {
    const record = recordAfter(concludeCase({ event: tool(), refused }), held);
    expect(record.stops).toMatchObject({ in_row: 0, by_guard: { loop: 3 } });
  });

  test('counts even where the tool is denied, since the host asked its model again', () => {
    const conclusion = concludeCase({ event: tool(), spoken: [binds('gates', 'deny')], refused });
    expect(recordAfter(conclusion, held).stops?.in_row).toBe(0);
  });

  test('while no row has begun writes nothing', () => {
    expect(concludeCase({ event: tool() }).changes).toEqual([]);
  });

  test('of a subagent writes nothing', () => {
    expect(concludeCase({ event: tool({ agent: { id: 'a1' } }), refused }).changes).toEqual([]);
  });
});

describe('a hold that could not be counted', () => {
  const failure: Failure = { code: 'lock.timeout', file: 'lock', holder: 'process 1', ms: 2000 };
  const decided = (...spoken: GuardVerdict[]) => combine(spoken, QUIET, 'id1');

  test('at the end of a turn falls, and says so', () => {
    const decision = afterFailedWrite(stop(), decided(binds('loop', 'hold')), failure, 'id1');
    expect(decision).toMatchObject({ kind: 'advise', id: 'id1' });
    expect(decision.toPerson.join()).toMatch(
      /loop would hold it: the hold could not be recorded \(lock.timeout\)/,
    );
  });

  test.each<[string, Event, GuardVerdict]>([
    ['a denied tool', tool(), binds('requirements', 'deny')],
    ['a tool to ask about', tool(), binds('workflow', 'ask')],
  ])('leaves alone: %s', (_, event, spoken) => {
    const decision = decided(spoken);
    expect(afterFailedWrite(event, decision, failure, 'id1')).toBe(decision);
  });

  test('a session that begins is told that nothing can be recorded', () => {
    const silent = { kind: 'nothing', toAgent: [], toPerson: [] } as const;
    const noted = afterFailedWrite(
      { ...stop(), kind: 'session.start', source: 'startup' },
      silent,
      failure,
      'id1',
    );
    expect(noted).toMatchObject({ kind: 'advise', id: 'id1' });
    expect(noted.toAgent[0]).toContain('cannot write its state here');
    expect(noted.toPerson).toEqual(noted.toAgent);
  });
});

describe('a failure', () => {
  test('marks the session degraded', () => {
    const record = recordAfter(concludeCase({ event: tool(), failures: [THREW] }));
    expect(record.degraded).toEqual([{ at: AT, code: 'guard.threw', detail: 'loop oops', told: false }]);
  });

  test('and a refused stop are kept in one writing', () => {
    const conclusion = concludeCase({ event: stop(), spoken: [binds('loop', 'hold')], failures: [THREW] });
    const record = recordAfter(conclusion);
    expect(record).toMatchObject({ stops: { in_row: 1 }, degraded: [{ code: 'guard.threw' }] });
  });

  test('of a kind that nobody was told of yet is not marked twice', () => {
    const once = markDegraded({ session_id: 's', degraded: [] }, [THREW], AT);
    expect(markDegraded(once, [THREW], AT + 1)).toEqual(once);
  });

  test('of a kind that somebody was told of is marked anew', () => {
    const told = { at: AT, code: 'guard.threw', detail: 'old', told: true };
    const record = markDegraded({ session_id: 's', degraded: [told] }, [THREW], AT + 1);
    expect(record.degraded).toEqual([{ at: AT + 1, code: 'guard.threw', detail: 'loop oops', told: false }]);
  });

  test('never lets the record grow without bound', () => {
    const failures = Array.from({ length: 40 }, (_, n) => ({
      ...THREW,
      code: `code-${n}`,
      detail: 'x'.repeat(5000),
    }));
    const { degraded } = markDegraded(
      { session_id: 's', degraded: [] },
      failures as unknown as Failure[],
      AT,
    );
    expect(degraded).toHaveLength(10);
    expect(JSON.stringify(degraded).length).toBeLessThan(5000);
  });
});
