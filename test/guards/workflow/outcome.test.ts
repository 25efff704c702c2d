import { describe, expect, it } from 'vitest';
import type { Event } from '../../../src/core/event';
import type { Finding } from '../../../src/guards/workflow/facts';
import { applyMode, notesOf, type RuleOutcome, verdictOf } from '../../../src/guards/workflow/index';
import type { RuleMode, RuleName, Tell } from '../../../src/guards/workflow/model';

const before = { kind: 'tool.before' } as Event;
const after = { kind: 'tool.after' } as Event;

function finding(weight: Finding['weight'], text = 'WHAT: why\nmore'): Finding {
  return { weight, text, fact: 'the fact', clear: 'do it' };
}

function outcome(
  one: Finding,
  mode: RuleMode,
  event = before,
  name: RuleName = 'gate-blocker',
  tell: Tell = 'agent',
): RuleOutcome {
  return applyMode(name, one, { mode, tell }, event);
}

describe('a mode', () => {
  it.each<[Finding['weight'], RuleMode, Event, RuleOutcome['effect']]>([
    ['deny', 'deny', before, 'deny'],
    ['deny', 'ask', before, 'ask'],
    ['deny', 'warn', before, 'warn'],
    ['deny', 'observe', before, 'note'],
    ['ask', 'deny', before, 'ask'],
    ['warn', 'deny', before, 'warn'],
    ['warn', 'ask', before, 'warn'],
    ['note', 'warn', before, 'note'],
    ['hold', 'deny', before, 'hold'],
    ['hold', 'warn', before, 'warn'],
    ['deny', 'deny', after, 'warn'],
    ['ask', 'deny', after, 'warn'],
  ])('%s in mode %s', (weight, mode, event, effect) =>
    expect(outcome(finding(weight), mode, event).effect).toBe(effect),
  );
});

describe('one verdict of several', () => {
  it('is nothing where nobody speaks', () => {
    expect(verdictOf([])).toEqual({ kind: 'nothing' });
    expect(verdictOf([outcome(finding('note', ''), 'deny')])).toEqual({ kind: 'nothing' });
  });

  it('is the strictest, with its first speaker in full and the others in a line', () => {
    const verdict = verdictOf([
      outcome(finding('warn', 'a warning'), 'deny'),
      outcome(finding('ask', 'a question'), 'deny'),
      outcome(finding('deny', 'FIRST: x\nmore'), 'deny', before, 'plan-surfacer'),
      outcome(finding('deny', 'SECOND: y\nmore'), 'deny'),
    ]);
    expect(verdict).toMatchObject({ kind: 'deny', reason: 'FIRST: x\nmore\nAlso: SECOND: y' });
    expect(verdict).toHaveProperty('grounds.length', 4);
  });

  it('says the same thing once', () => {
    const same = [
      outcome(finding('deny'), 'deny'),
      outcome(finding('deny'), 'deny', before, 'plan-surfacer'),
    ];
    expect(verdictOf(same)).toMatchObject({ reason: 'WHAT: why\nmore' });
  });

  it.each<[Tell, object]>([
    ['agent', { toAgent: 'x' }],
    ['person', { toPerson: 'x' }],
    ['both', { toAgent: 'x', toPerson: 'x' }],
    ['log', {}],
  ])('tells %s', (tell, told) => {
    const one = outcome(finding('warn', 'x'), 'warn', before, 'gate-blocker', tell);
    const grounds = [{ rule: 'gate-blocker', fact: 'the fact', clear: 'do it', mode: 'warn' }];
    expect(verdictOf([one])).toEqual({ kind: 'advise', ...told, grounds });
  });

  it('has only grounds where a rule only looks on', () => {
    const verdict = verdictOf([outcome(finding('deny'), 'observe')]);
    expect(verdict).toEqual({ kind: 'advise', grounds: [expect.objectContaining({ rule: 'gate-blocker' })] });
  });
});

it('what a refusal brings is kept only where it was one', () => {
  const records = [{ what: 'always', apply: <T>(state: T) => state }];
  const onRefusal = [{ what: 'refused', apply: <T>(state: T) => state }];
  const one = { ...finding('deny'), records, onRefusal };
  const kept = (mode: RuleMode): string[] => notesOf([outcome(one, mode)]).map(({ what }) => what);
  expect(kept('deny')).toEqual(['always', 'refused']);
  expect(kept('ask')).toEqual(['always', 'refused']);
  expect(kept('warn')).toEqual(['always']);
  expect(kept('observe')).toEqual(['always']);
});
