import { describe, expect, it } from 'vitest';
import { listAt } from '../../../src/config/pointer';
import type { JsonObject } from '../../../src/core/json';
import * as notes from '../../../src/guards/workflow/state';
import { interaction, type StateNote } from '../../../src/guards/workflow/state';

const NOW = Date.parse('2026-03-01T10:00:00.000Z');
const escalation = (phase: string, now: number): StateNote =>
  notes.escalation('gate_blocked', 'gate-blocker', phase, 'why', now);
const applied = (list: readonly StateNote[], state: JsonObject = {}): JsonObject =>
  list.reduce((current, note) => note.apply(current), state);

describe('escalations', () => {
  it('of one kind are kept once a minute', () => {
    const state = applied([
      escalation('a', NOW),
      escalation('a', NOW + 59_000),
      escalation('a', NOW + 61_000),
      escalation('b', NOW),
    ]);
    expect(listAt(state, ['pending_escalations'])).toHaveLength(3);
  });

  it('are no more than twenty, the oldest gone', () => {
    const state = applied(Array.from({ length: 30 }, (_, index) => escalation(`p${index}`, NOW)));
    const phases = listAt(state, ['pending_escalations']).map((one) => (one as JsonObject)['phase']);
    expect(phases).toHaveLength(20);
    expect(phases[0]).toBe('p10');
  });
});

describe('every note', () => {
  const all: readonly (readonly [string, StateNote])[] = [
    ['an escalation', escalation('a', NOW)],
    ['a delegation', notes.usage({ agent: 'x', tool_use_id: 't' })],
    ['a blocked gate', notes.gateBlocked('a', [{ what: 'test_iteration', why: '', how: '' }], NOW)],
    ['a trigger', notes.trigger('cloud', 'a', NOW)],
    ['an open validation', notes.openConstitution('a', { articles: ['I'], maxIterations: 5 }, NOW)],
    ['an obligation', notes.obligation({ skill: 's', tool_use_id: 't' })],
    ['an obligation that is met', notes.OBLIGATION_MET],
    ['an obligation that was asked for', notes.obligationReminded(NOW)],
    ['a question', interaction('a', { asks: true, answers: true, selection: 'save', callId: 't' }, 1, 'now')],
  ];

  it.each(all)('may be taken twice: %s', (_, note) => {
    const state = { first: 1, pending_delegation: { skill: 's' }, phases: { b: { odd: true } }, last: [2] };
    const once = note.apply(state);
    expect(note.apply(once)).toEqual(once);
    expect(once).toMatchObject({ first: 1, phases: { b: { odd: true } }, last: [2] });
    expect(Object.keys(once).slice(0, 4)).toEqual(Object.keys(state));
  });

  it.each(all)('stands what is of another kind than it should be: %s', (_, note) => {
    const odd = {
      pending_escalations: 'x',
      skill_usage_log: {},
      pending_triggers: 3,
      phases: [],
      pending_delegation: 'y',
    };
    expect(() => note.apply(odd)).not.toThrow();
  });
});
