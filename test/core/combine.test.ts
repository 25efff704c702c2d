import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combine } from '../../src/core/combine';
import { GUARD_NAMES } from '../../src/core/guard';
import { type GuardVerdict, NOTHING, type Remarks } from '../../src/core/verdict';
import { binds, grounds, says } from './events';

const QUIET: Remarks = { toAgent: [], toPerson: [] };
const ID = 'abc';
const WHY = 'Details: `holdpoint why abc`';

function advises(words: { toAgent?: string; toPerson?: string }): GuardVerdict {
  return says('requirements', { kind: 'advise', ...words, grounds });
}

describe('the strictest verdict wins', () => {
  const order = ['nothing', 'advise', 'hold', 'ask', 'deny'] as const;
  const spokenAs = (kind: (typeof order)[number], at: number): GuardVerdict => {
    const guard = GUARD_NAMES[at % GUARD_NAMES.length] ?? 'loop';
    if (kind === 'nothing') return says(guard, NOTHING);
    if (kind === 'advise') return says(guard, { kind, toAgent: 'advice', grounds });
    return binds(guard, kind);
  };

  test.each(order.flatMap((a) => order.map((b) => [a, b] as const)))('%s beside %s', (a, b) => {
    const stricter = order.indexOf(a) > order.indexOf(b) ? a : b;
    expect(combine([spokenAs(a, 0), spokenAs(b, 1)], QUIET, ID).kind).toBe(stricter);
  });

  test('in whatever order and number they are spoken', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...order), { maxLength: 6 }), (kinds) => {
        const strictest = order.findLast((kind) => kinds.includes(kind)) ?? 'nothing';
        expect(combine(kinds.map(spokenAs), QUIET, ID).kind).toBe(strictest);
      }),
    );
  });
});

describe('the reason', () => {
  test('of several holds is one message with a paragraph each, in the order of the guards', () => {
    const decision = combine([binds('requirements', 'hold'), binds('gates', 'hold')], QUIET, ID);
    expect(decision).toMatchObject({
      kind: 'hold',
      id: ID,
      by: ['requirements', 'gates'],
      reason: `requirements says hold\n\ngates says hold\n${WHY}`,
    });
  });

  test('begins with the strictest, and the milder ones are heard after it', () => {
    const spoken = [binds('requirements', 'hold'), binds('workflow', 'ask'), binds('gates', 'deny')];
    expect(combine(spoken, QUIET, ID)).toMatchObject({
      kind: 'deny',
      by: ['gates', 'workflow', 'requirements'],
      reason: `gates says deny\n\nworkflow says ask\n\nrequirements says hold\n${WHY}`,
    });
  });

  test('names a guard once that binds twice', () => {
    const decision = combine([binds('workflow', 'deny'), binds('workflow', 'deny')], QUIET, ID);
    expect(decision).toMatchObject({ by: ['workflow'] });
  });

  test('of the loop alone is passed on to the letter', () => {
    const decision = combine([says('requirements', NOTHING), binds('loop', 'hold')], QUIET, ID);
    expect(decision).toMatchObject({ kind: 'hold', by: ['loop'], reason: 'loop says hold' });
  });

  test('of the loop beside another guard is a paragraph like any other', () => {
    const decision = combine([binds('gates', 'hold'), binds('loop', 'hold')], QUIET, ID);
    expect(decision).toMatchObject({ reason: `gates says hold\n\nloop says hold\n${WHY}` });
  });

  test('has no empty lines where a guard ends with a line end', () => {
    const spoken = [says('gates', { kind: 'hold', reason: 'first\n\n', grounds }), binds('workflow', 'hold')];
    expect(combine(spoken, QUIET, ID)).toMatchObject({ reason: `first\n\nworkflow says hold\n${WHY}` });
  });
});

describe('what stands beside the decision', () => {
  const report = { status: 'failed', message: 'two gates failed' };

  test('nothing at all is nothing, without an id', () => {
    expect(combine([says('loop', NOTHING)], QUIET, ID)).toEqual({ kind: 'nothing', ...QUIET });
  });

  test('a report alone changes nothing', () => {
    expect(combine([says('gates', { kind: 'nothing', report })], QUIET, ID)).toEqual({
      kind: 'nothing',
      ...QUIET,
      report,
    });
  });

  test.each<[string, GuardVerdict[]]>([
    ['of the guard that holds', [says('gates', { kind: 'hold', reason: 'r', report, grounds })]],
    [
      'of a guard beside the one that holds',
      [binds('workflow', 'hold'), says('gates', { kind: 'nothing', report })],
    ],
    ['beside advice', [advises({ toAgent: 'a' }), says('gates', { kind: 'nothing', report })]],
  ])('the report %s is kept', (_, spoken) => {
    expect(combine(spoken, QUIET, ID)).toMatchObject({ report });
  });

  test('a report of success does not stand beside the loop’s own words', () => {
    const spoken = [says('gates', { kind: 'nothing', report }), binds('loop', 'hold')];
    expect(combine(spoken, QUIET, ID)).not.toHaveProperty('report');
  });

  test('advice may have a report of its own', () => {
    const spoken = [says('gates', { kind: 'advise', toPerson: 'p', report, grounds })];
    expect(combine(spoken, QUIET, ID)).toMatchObject({ kind: 'advise', toPerson: ['p'], report });
  });

  test('remarks of all guards come in their order, the frame’s own last', () => {
    const spoken = [
      advises({ toAgent: 'a1', toPerson: 'p1' }),
      advises({ toPerson: 'p2' }),
      advises({ toAgent: 'a2' }),
    ];
    expect(combine(spoken, { toAgent: ['own a'], toPerson: ['own p'] }, ID)).toEqual({
      kind: 'advise',
      id: ID,
      toAgent: ['a1', 'a2', 'own a'],
      toPerson: ['p1', 'p2', 'own p'],
    });
  });

  test('the frame’s own remark alone is advice', () => {
    expect(combine([], { toAgent: [], toPerson: ['own'] }, ID)).toMatchObject({
      kind: 'advise',
      toPerson: ['own'],
    });
  });

  test('advice is not lost beside a deny', () => {
    const decision = combine([advises({ toAgent: 'a' }), binds('workflow', 'deny')], QUIET, ID);
    expect(decision).toMatchObject({ kind: 'deny', toAgent: ['a'] });
  });

  test('a changed input is passed on, and makes a decision by itself', () => {
    const updatedInput = { model: 'small' };
    const decision = combine([says('workflow', { kind: 'advise', updatedInput, grounds })], QUIET, ID);
    expect(decision).toEqual({ kind: 'advise', id: ID, ...QUIET, updatedInput });
  });

  test('a changed input falls where somebody denies', () => {
    const spoken = [
      says('workflow', { kind: 'advise', updatedInput: { a: 1 }, grounds }),
      binds('gates', 'deny'),
    ];
    expect(combine(spoken, QUIET, ID)).not.toHaveProperty('updatedInput');
  });
});
