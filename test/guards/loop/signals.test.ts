import { performance } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { linesOutsideCode } from '../../../src/guards/loop/markdown';
import * as signals from '../../../src/guards/loop/signals';
import type { Mode } from '../../../src/guards/loop/state';
import { COMPLETE, SIGNAL_CASES, SUBTLE_CASES } from './signal-cases';

const heardIn = (text: string, mode: Mode) =>
  signals.signalsIn(text, mode, { part: () => ({ linesOutsideCode }) as never });

const STUCK = '<loop-done>STUCK</loop-done>';

describe.each([
  ['loop', COMPLETE, 'COMPLETE'],
  ['issue', '<issue-complete>DONE</issue-complete>', 'COMPLETE'],
  ['grind', '<grind-done>NO_MORE_ISSUES</grind-done>', 'NO_MORE_ISSUES'],
] as const)('a signal of mode %s', (mode, signal, reason) => {
  test.each(Object.entries({ ...SIGNAL_CASES, ...SUBTLE_CASES }))('%s', (_, [text, verdict]) => {
    const heard = heardIn(text.replaceAll('S', signal), mode);
    expect(heard).toEqual(
      verdict === 'counts' ? { signal: reason, nearMiss: false } : { nearMiss: verdict === 'near miss' },
    );
  });
});

test('of two signals that count the last one is accepted', () => {
  expect(heardIn(`${COMPLETE}\n\n${STUCK}`, 'loop').signal).toBe('STUCK');
  expect(heardIn(`${STUCK}\n${COMPLETE}\n`, 'loop').signal).toBe('COMPLETE');
});

test('of a signal and a pause the last one is accepted', () => {
  const pause = '<loop-pause>which one?</loop-pause>';
  expect(heardIn(`${COMPLETE}\n\n${pause}`, 'loop')).toMatchObject({ pause: 'which one?' });
  expect(heardIn(`${COMPLETE}\n\n${pause}`, 'loop')).not.toHaveProperty('signal');
  expect(heardIn(`${pause}\n${COMPLETE}`, 'loop')).toEqual({ signal: 'COMPLETE', nearMiss: false });
});

test('a signal that does not count takes nothing from one before it that does', () => {
  const text = `${STUCK}\n\n\`\`\`\n${COMPLETE}\n\`\`\``;
  expect(heardIn(text, 'loop')).toEqual({ signal: 'STUCK', nearMiss: false });
});

test('a signal of another mode is nothing at all', () => {
  expect(heardIn(COMPLETE, 'grind')).toEqual({ nearMiss: false });
  expect(heardIn(COMPLETE, 'unknown')).toEqual({ nearMiss: false });
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

describe('a long text', () => {
  const LONGEST = 100_000;
  const after = `\n\n${COMPLETE}`;

  test('is read to its last line', () => {
    const prose = 'Some words of a paragraph.\nAnd more of them.\n\n'.repeat(3000);
    expect(heardIn(prose.slice(0, LONGEST - after.length) + after, 'loop').signal).toBe('COMPLETE');
  });

  test('is not read if it is longer still, and its signal is a near miss', () => {
    const unchecked = { nearMiss: true, isUnchecked: true };
    expect(heardIn('a'.repeat(LONGEST + 1 - after.length) + after, 'loop')).toEqual(unchecked);
    expect(heardIn('a'.repeat(LONGEST + 1), 'loop')).toEqual({ nearMiss: false });
  });
});

/** What makes parsers slow. */
const HARD_TEXTS: Readonly<Record<string, string>> = {
  'links that are never closed': fill('[a]('),
  'links in links, and code': fill('[a](b(c`'),
  'labels of labels, and code': fill('[a][`'),
  backticks: fill('`'),
  brackets: fill('['),
  'quotes in quotes': fill('>'),
  'items in items': `${fill('- ')}x`,
  'items in items, then blank lines': `${'- '.repeat(40)}x\n${fill('\n')}`,
  'tags that are never closed': fill('a <b c="'),
  'tags in quotes of tags': fill('<a x="<a x=\'" y=\'  '),
  'a block of markup with comments': `<div>\n${fill('<!-- <pre> ')}`,
  'a definition with a title that is never closed': `[a]: b "${fill('c\n')}`,
};

describe('is read within seconds:', () => {
  test.each(Object.entries(HARD_TEXTS))('%s', (_, text) => {
    const started = performance.now();
    heardIn(`${text}\n${COMPLETE}`, 'loop');
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

function fill(piece: string): string {
  return piece.repeat(Math.floor(10_000 / piece.length));
}
