import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { appendJournal, journalEnd } from '../../src/state/journal';
import { checkJournal } from '../../src/state/journal-check';
import { heartbeat } from '../../src/state/sessions';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdpoint-chain-'));
  mkdirSync(join(root, '.git'));
});
afterEach(() => rmSync(root, { recursive: true }));

const layout = () => ({
  root,
  git: join(root, '.git'),
  own: join(root, '.git/holdpoint'),
  home: join(root, 'home'),
});
const file = (): string => join(root, '.git/holdpoint/journal.jsonl');
const START = Date.parse('2026-01-01T10:00:00Z');
const line = (number: number) => ({
  id: `d${number}`,
  at: new Date(START + number * 1000).toISOString(),
  text: `ä ${number} "quoted"`,
});
const write = (...numbers: number[]): void => {
  for (const number of numbers) expect(appendJournal(layout(), line(number))).toBeUndefined();
};
const edit = (change: (lines: string[]) => readonly string[]): void => {
  const lines = readFileSync(file(), 'utf8').split(/(?<=\n)/);
  writeFileSync(file(), change(lines).join(''));
};
/** Notes that a session was heard of, as a prompt does. */
const beat = (at: number): void => {
  const journal = journalEnd(layout());
  const { apply } = heartbeat({ sessionId: '5e551011', host: 'claude-code', at, journal });
  writeFileSync(join(root, '.git/holdpoint/heartbeats.json'), JSON.stringify(apply(undefined)));
};

it.each<[string, (lines: string[]) => readonly string[], unknown]>([
  ['left alone', (lines) => lines, []],
  ['a line removed', (lines) => lines.toSpliced(3, 1), [{ kind: 'missing', lines: 1, after: 'd3' }]],
  ['three lines removed', (lines) => lines.toSpliced(2, 3), [{ kind: 'missing', lines: 3, after: 'd2' }]],
  ['the first line removed', (lines) => lines.slice(1), [{ kind: 'missing', lines: 1, after: '' }]],
  [
    'a word changed',
    (lines) => lines.map((one, at) => (at === 4 ? one.replace('quoted', 'coated') : one)),
    [{ kind: 'changed', id: 'd5' }],
  ],
  [
    'a longer word',
    (lines) => lines.map((one, at) => (at === 4 ? one.replace('quoted', 'not quoted') : one)),
    [{ kind: 'changed', id: 'd5' }],
  ],
  [
    'a line put in',
    (lines) => lines.toSpliced(2, 0, `${JSON.stringify(line(99))}\n`),
    [{ kind: 'changed', id: 'd99' }],
  ],
  [
    'removed in two places',
    (lines) => lines.toSpliced(6, 1).toSpliced(1, 2),
    [
      { kind: 'missing', lines: 2, after: 'd1' },
      { kind: 'missing', lines: 1, after: 'd6' },
    ],
  ],
  ['the end cut', (lines) => lines.slice(0, 5), [{ kind: 'cut', at: START + 8000 }]],
  ['emptied', () => [], [{ kind: 'cut', at: START + 8000 }]],
])('%s', (_what, change, troubles) => {
  write(1, 2, 3, 4, 5, 6, 7, 8);
  beat(START + 8000);
  edit(change);
  expect(checkJournal(layout())).toEqual(troubles);
});

it('goes on after a cut, and still tells of it', () => {
  write(1, 2, 3);
  beat(START + 3000);
  rmSync(file());
  write(20, 21);
  expect(checkJournal(layout())).toEqual([{ kind: 'cut', at: START + 3000 }]);
});

it('a session that began after the clock was set back is no trouble', () => {
  write(1, 2, 3);
  beat(START - 3_600_000);
  expect(checkJournal(layout())).toEqual([]);
});

it('lines of a version without a chain, and one that was never finished, are no trouble', () => {
  mkdirSync(join(root, '.git/holdpoint'));
  writeFileSync(file(), `${JSON.stringify(line(1))}\n${JSON.stringify(line(2))}\n`);
  write(3, 4);
  writeFileSync(file(), `${readFileSync(file(), 'utf8')}{"id":"d5","tor\n`);
  write(6, 7);
  writeFileSync(file(), `${readFileSync(file(), 'utf8')}{"id":"d8","tor`);
  write(9, 10);
  expect(checkJournal(layout())).toEqual([]);
});

it('two that write at the same moment follow the same line', () => {
  write(1, 2);
  const before = readFileSync(file(), 'utf8');
  write(3);
  const third = readFileSync(file(), 'utf8').slice(before.length);
  writeFileSync(file(), before);
  write(4);
  writeFileSync(file(), readFileSync(file(), 'utf8') + third);
  write(5);
  expect(checkJournal(layout())).toEqual([]);
  edit((lines) => lines.toSpliced(2, 1));
  expect(checkJournal(layout())).toMatchObject([{ kind: 'missing', after: 'd3' }]);
});
