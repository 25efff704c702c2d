import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appendJournal, logFiles, nextDecisionId, readJournal, tailJournal } from '../../src/state/journal';
import { makeScratch, modeOf, type Scratch } from './scratch';

let scratch: Scratch;
let file: string;
beforeEach(() => {
  scratch = makeScratch();
  [file] = logFiles(scratch.layout, 'journal');
});
afterEach(() => scratch.remove());

const append = (line: Parameters<typeof appendJournal>[1]) => appendJournal(scratch.layout, line);
const all = () => [...readJournal(scratch.layout)];

describe('appending', () => {
  test('makes the file for the owner alone and adds line after line', () => {
    expect(append({ id: 'a' })).toBeUndefined();
    expect(append({ id: 'b', text: 'two\nlines' })).toBeUndefined();
    expect(readFileSync(file, 'utf8').replace(/,"chain":"[\w.]+"/g, '')).toBe(
      '{"id":"a"}\n{"id":"b","text":"two\\nlines"}\n',
    );
    expect([modeOf(file), modeOf(scratch.layout.own)]).toEqual(['600', '700']);
  });

  test.each([
    [
      'the journal itself',
      () => {
        mkdirSync(scratch.layout.own);
        symlinkSync(join(scratch.outside, 'x'), file);
      },
    ],
    ['its directory', () => symlinkSync(scratch.outside, scratch.layout.own)],
  ])('refuses when %s is a link that leads outside', (_name, link) => {
    link();
    expect(append({ id: 'a' })).toMatchObject({ code: 'state.outside', file });
    expect(readdirSync(scratch.outside)).toEqual([]);
  });

  test('tells when it cannot', () => {
    mkdirSync(file, { recursive: true });
    expect(append({ id: 'a' })).toMatchObject({ code: 'state.write-failed', file });
  });
});

describe('a line over 16 KiB', () => {
  test('loses its largest strings and keeps the rest', () => {
    append({ id: 'a', small: 's'.repeat(200), inner: { list: ['ü'.repeat(20_000), 'kept'] } });
    expect(all()).toEqual([{ id: 'a', small: 's'.repeat(200), inner: { list: ['…', 'kept'] }, cut: true }]);
  });

  test.each<[string, object]>([
    ['many middling strings', { list: Array.from({ length: 500 }, (_, n) => 'x'.repeat(100 + (n % 7))) }],
    ['very many numbers', { list: Array.from({ length: 20_000 }, (_, n) => n) }],
    [
      'very many members',
      Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`member-${n}`, 'short'])),
    ],
    ['one long name', { ['n'.repeat(20_000)]: 1 }],
    ['quotes that double when written', { text: '"'.repeat(16_000) }],
  ])('is cut for %s', (_name, members) => {
    append({ id: 'a', ...members });
    expect(statSync(file).size).toBeLessThanOrEqual(16 * 1024);
    expect(all()).toMatchObject([{ id: 'a', cut: true }]);
  });
});

describe('rotation', () => {
  const fill = () => truncateSync(file, 4 * 1024 * 1024);

  test('puts the full file away and keeps three of them', () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      append({ id });
      fill();
    }
    append({ id: 'f' });
    expect(readdirSync(scratch.layout.own).sort()).toEqual([
      'journal.1.jsonl',
      'journal.2.jsonl',
      'journal.3.jsonl',
      'journal.jsonl',
    ]);
    const begins = ['journal.3.jsonl', 'journal.2.jsonl', 'journal.1.jsonl'].map((name) =>
      readFileSync(join(scratch.layout.own, name), 'utf8').slice(0, 9),
    );
    expect(begins).toEqual(['{"id":"c"', '{"id":"d"', '{"id":"e"']);
    expect(readFileSync(file, 'utf8')).toMatch(/^\{"id":"f","chain":"1\.0\.\w+"\}\n$/);
  });

  test('that cannot be done does not cost the line', () => {
    append({ id: 'a' });
    fill();
    mkdirSync(join(scratch.layout.own, 'journal.1.jsonl'));
    expect(append({ id: 'b' })).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toContain('{"id":"b",');
  });
});

describe('reading', () => {
  const many = Array.from({ length: 5_000 }, (_, n) => ({ id: `n${n}`, text: 'é'.repeat(n % 50) }));
  const lines = (items: readonly object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');

  beforeEach(() => {
    mkdirSync(scratch.layout.own);
    writeFileSync(join(scratch.layout.own, 'journal.2.jsonl'), lines(many.slice(0, 2_000)));
    writeFileSync(join(scratch.layout.own, 'journal.1.jsonl'), lines(many.slice(2_000, 4_000)));
    writeFileSync(file, lines(many.slice(4_000)));
  });

  test('goes over all files from the oldest to the newest', () => {
    expect(all()).toEqual(many);
  });

  test('leaves out what is broken', () => {
    appendFileSync(file, '{"id":"cut\n[1]\n\nnull\n{"id":"last"}');
    expect(all().length).toBe(many.length + 1);
    expect(tailJournal(scratch.layout, 2).map((line) => line['id'])).toEqual(['n4999', 'last']);
  });

  describe('finds what is whole in a line that a dying writer has begun', () => {
    const letters = { id: 'told', text: '{"id":"n1"} and {"id":"' };
    test.each<[string, string | Uint8Array, string[]]>([
      ['half a record', '{"half":', ['last']],
      ['a record that was cut in a text', '{"id":"cut","verdicts":[{"guard":"re', ['last']],
      ['one that was cut behind its opening', '{"id":"', ['last']],
      ['one that was cut in a character', Buffer.from('{"id":"cut","text":"é').subarray(0, -1), ['last']],
      ['two halves', '{"id":"one","text":"{"id":"two","te', ['last']],
      ['all of a record but its newline', '{"id":"whole","ms":1}', ['whole', 'last']],
      ['a text with the letters of a record', JSON.stringify(letters), ['told', 'last']],
      ['the same, cut within them', JSON.stringify(letters).slice(0, -4), ['last']],
      ['what is none of ours', 'Killed', ['last']],
    ])('%s', (_what, torn, ids) => {
      appendFileSync(file, torn);
      append({ id: 'last', text: '{"id":"n1"}' });
      append({ id: 'after' });
      const wanted = ['n4999', ...ids, 'after'];
      expect(
        all()
          .slice(-wanted.length)
          .map(({ id }) => id),
      ).toEqual(wanted);
      expect(tailJournal(scratch.layout, wanted.length).map(({ id }) => id)).toEqual(wanted);
    });

    test('however long the line is, in one pass', () => {
      appendFileSync(file, '{"id":"x","y":'.repeat(60_000));
      append({ id: 'last' });
      expect(tailJournal(scratch.layout, 1)).toEqual([{ id: 'last' }]);
      expect(all().length).toBe(many.length + 1);
    });

    test('also in a record that had to be cut', () => {
      appendFileSync(file, '{"half":');
      append({ id: 'long', a: 1, list: Array.from({ length: 20_000 }, (_, n) => n) });
      expect(all().at(-1)).toEqual({ id: 'long', a: 1, cut: true });
    });
  });

  test.each([0, 1, 7, 1_500, 5_000, 9_999])('the tail of %d is the end of the whole', (count) => {
    expect(tailJournal(scratch.layout, count)).toEqual(count === 0 ? [] : many.slice(-count));
  });
});

test('there is no journal yet', () => {
  expect([all(), tailJournal(scratch.layout, 5)]).toEqual([[], []]);
});

const FAR = 2_000_000_000_000;

test('ids are short, of letters and digits, and differ within one millisecond', () => {
  const ids = Array.from({ length: 1_000 }, () => nextDecisionId(FAR, 4_194_304));
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]{9,13}$/);
});

test('ids sort by time, also when the clock goes back', () => {
  const ids = [1, 2, 2, 1, 50].map((ms) => nextDecisionId(FAR + 10_000 + ms, 77));
  expect([...ids].sort()).toEqual(ids);
});

test('an id is its time followed by its process', () => {
  const time = FAR + 1_000_000;
  expect(nextDecisionId(time, 1234)).toBe(time.toString(36) + (1234).toString(36));
});
