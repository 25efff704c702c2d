import { describe, expect, test } from 'vitest';
import { linesOutsideCode, signalsIn } from '../../src/markdown/signals';
import { countedByReference } from './reference';
import { COMPLETE, SIGNAL_CASES, SUBTLE_CASES } from './signal-cases';

const STUCK = '<loop-done>STUCK</loop-done>';
const SIGNALS_OF_MODES = {
  loop: [COMPLETE, '<loop-done>MAX_ITERATIONS</loop-done>', STUCK],
  issue: ['<issue-complete>DONE</issue-complete>', COMPLETE, STUCK],
  grind: ['<grind-done>NO_MORE_ISSUES</grind-done>', '<grind-done>MAX_ISSUES</grind-done>'],
} as const;

describe.each(Object.entries(SIGNALS_OF_MODES))('a signal of mode %s', (_, signals) => {
  const signal = signals[0];
  test.each(Object.entries({ ...SIGNAL_CASES, ...SUBTLE_CASES }))('%s', (_, [text, verdict]) => {
    const found = signalsIn(text.replaceAll('S', signal), signals);
    expect(found).toEqual(
      verdict === 'counts' ? { accepted: signal, nearMiss: false } : { nearMiss: verdict === 'near miss' },
    );
  });
});

describe('the reference says the same of a signal', () => {
  test.each(Object.entries({ ...SIGNAL_CASES, ...SUBTLE_CASES }))('%s', (_, [text, verdict]) => {
    const counted = countedByReference(text.replaceAll('S', COMPLETE), [COMPLETE]);
    expect(counted).toEqual(verdict === 'counts' ? [COMPLETE] : []);
  });
});

test('of two signals that count the last one is accepted', () => {
  expect(signalsIn(`${COMPLETE}\n\n${STUCK}`, SIGNALS_OF_MODES.loop).accepted).toBe(STUCK);
  expect(signalsIn(`${STUCK}\n${COMPLETE}\n`, SIGNALS_OF_MODES.loop).accepted).toBe(COMPLETE);
});

test('a signal that does not count takes nothing from one before it that does', () => {
  const text = `${STUCK}\n\n\`\`\`\n${COMPLETE}\n\`\`\``;
  expect(signalsIn(text, SIGNALS_OF_MODES.loop)).toEqual({ accepted: STUCK, nearMiss: false });
});

test('a signal of another mode is nothing at all', () => {
  expect(signalsIn(COMPLETE, SIGNALS_OF_MODES.grind)).toEqual({ nearMiss: false });
});

test('no signals, nothing found', () => {
  expect(signalsIn(COMPLETE, [])).toEqual({ nearMiss: false });
});

test('the lines outside code are given without spaces and tabs at their ends, and no blank ones', () => {
  const text = [
    '\uFEFF# Title',
    ' text with `code` \t',
    '',
    '```',
    'in a fence',
    '```',
    '- item',
    '',
    '      in code of the item',
    '\u00a0',
    'a `span',
    'over` lines',
    '<loop-pause>needs `npm login`, then go on</loop-pause>',
    '<!-- not shown -->',
    '<div>',
    'shown',
    '    code',
  ].join('\n');
  expect(linesOutsideCode(text)).toEqual([
    '# Title',
    'text with `code`',
    '- item',
    '\u00a0',
    '<loop-pause>needs `npm login`, then go on</loop-pause>',
    '<div>',
    'shown',
    'code',
  ]);
});
