import { performance } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { linesOutsideCode, signalsIn } from '../../src/markdown/signals';
import { COMPLETE } from './signal-cases';

const LONGEST = 1_048_576;

describe('a text of a million characters', () => {
  const after = `\n\n${COMPLETE}`;

  test('is read to its last line', () => {
    const text = 'a\n'.repeat((LONGEST - after.length) / 2).padEnd(LONGEST - after.length) + after;
    expect(signalsIn(text, [COMPLETE])).toEqual({ accepted: COMPLETE, nearMiss: false });
  });

  test('is not read if it is a character longer, and its signal is a near miss', () => {
    const text = 'a'.repeat(LONGEST + 1 - after.length) + after;
    expect(signalsIn(text, [COMPLETE])).toEqual({ nearMiss: true });
    expect(linesOutsideCode(text)).toEqual([]);
  });

  test('is nothing at all if it is longer and has no signal', () => {
    expect(signalsIn('a'.repeat(LONGEST + 1), [COMPLETE])).toEqual({ nearMiss: false });
  });
});

/**
 * What makes parsers slow, as long as a text may be. Were any of them read in more than linear time, it would take
 * minutes; read in linear time, each takes a fraction of the second that the slowest machine is given.
 */
const HARD_TEXTS: Readonly<Record<string, string>> = {
  'links that are never closed': fill('[a]('),
  'links whose titles are never closed': fill('[a](x "'),
  'links in links, and code': fill('[a](b(c`'),
  'labels of labels, and code': fill('[a][`'),
  backticks: fill('`'),
  'backticks in runs of every length': Array.from({ length: 1400 }, (_, n) => '`'.repeat(n)).join(' '),
  stars: fill('*'),
  brackets: fill('['),
  backslashes: fill('\\'),
  'quotes in quotes': fill('>'),
  'three thousand quotes, line after line': fill(`${'>'.repeat(3000)}\n`),
  'items in items': `${fill('- ')}x`,
  'items in items, then blank lines': `${'- '.repeat(250_000)}x\n${'\n'.repeat(500_000)}`,
  'items in items in a quote, then blank lines': `> ${'- '.repeat(250_000)}x\n${'>\n'.repeat(250_000)}`,
  'items in items, then an indented line': `${'- '.repeat(250_000)}x\n${' '.repeat(500_000)}y`,
  'items that grow': Array.from({ length: 1400 }, (_, n) => `${' '.repeat(n)}- a`).join('\n'),
  'tags that are never closed': fill('a <b c="'),
  'tags in quotes of tags': fill('<a x="<a x=\'" y=\'  '),
  'tags in front of many spaces': fill('a <b      '),
  'comments that are never closed': fill('a <!-- '),
  'sections of every kind that are never closed': fill('a <? <!b <![CDATA[ <!-- '),
  'addresses that are never closed': fill('<a@b.c-'),
  'a block of markup with comments': `<div>\n${fill('<!-- <pre> ')}`,
  definitions: fill('[a]: b "c\n'),
  'a definition with a title that is never closed': `[a]: b "${fill('c\n')}`,
  'definitions and underlines': fill('[a]: b\n=\n'),
  'a label that is never closed': `[${fill(' a\n')}`,
  tabs: fill('\t'),
  spaces: fill(' '),
  newlines: fill('\n'),
};

describe('is read in linear time:', () => {
  test.each(Object.entries(HARD_TEXTS))('%s', (_, text) => {
    const started = performance.now();
    signalsIn(`${text}\n${COMPLETE}`, [COMPLETE]);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

function fill(piece: string): string {
  return piece.repeat(Math.floor(1_000_000 / piece.length));
}
