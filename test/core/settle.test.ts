import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { settle } from '../../src/core/settle';
import type { Wish } from '../../src/core/stead';
import { journalFile, type Layout, projectLockFile } from '../../src/state/layout';
import { change, json, makeScratch, type Scratch } from '../state/scratch';
import { holdElsewhere } from './foreign-lock';

let scratch: Scratch;
let other: Scratch;
beforeEach(() => {
  [scratch, other] = [makeScratch(), makeScratch()];
});
afterEach(() => {
  scratch.remove();
  other.remove();
});

const COUNTS = json('counts.json', 'git', 'bookkeeping');
const add = (name: string) => change(COUNTS, (current) => [...(Array.isArray(current) ? current : []), name]);
const count = (layout: Layout, name: string): Wish => ({ layout, changes: [add(name)], lines: [] });
const note = (layout: Layout, id: string): Wish => ({ layout, changes: [], lines: [{ id }] });
const countsIn = ({ layout }: Scratch): unknown =>
  JSON.parse(readFileSync(join(layout.git, 'counts.json'), 'utf8'));
const journalOf = ({ layout }: Scratch): string => readFileSync(journalFile(layout), 'utf8');

describe('what several events want', () => {
  test('is in their files, in the order in which they came, each where it belongs', () => {
    // Every event finds its project by itself, so equal layouts are different objects.
    const [mine, again] = [scratch.layout, { ...scratch.layout }];
    const wishes = [
      count(mine, 'a'),
      note(mine, 'a'),
      count(other.layout, 'x'),
      count(again, 'b'),
      note(again, 'b'),
      note(other.layout, 'x'),
    ];
    expect(settle(wishes, 0)).toEqual(new Set());
    expect([countsIn(scratch), countsIn(other)]).toEqual([['a', 'b'], ['x']]);
    expect([journalOf(scratch), journalOf(other)]).toEqual(['{"id":"a"}\n{"id":"b"}\n', '{"id":"x"}\n']);
  });

  test('is not fulfilled where the lock is not to be had, and others are', async () => {
    const lock = await holdElsewhere(projectLockFile(scratch.layout));
    const [mine, theirs] = [count(scratch.layout, 'a'), count(other.layout, 'x')];
    const said = note(scratch.layout, 'a');
    expect(settle([mine, theirs, said], 0)).toEqual(new Set([mine, said]));
    await lock.release();
    expect(countsIn(other)).toEqual(['x']);
    expect(settle([mine, said], 0)).toEqual(new Set());
    expect([countsIn(scratch), journalOf(scratch)]).toEqual([['a'], '{"id":"a"}\n']);
  });

  test.each<[string, () => Wish]>([
    ['a change throws', () => ({ ...count(scratch.layout, ''), changes: [change(COUNTS, explode)] })],
    [
      'a broken file had to be moved out of the way',
      () => {
        writeFileSync(join(scratch.layout.git, 'counts.json'), '{"half');
        return count(scratch.layout, 'b');
      },
    ],
    [
      'the journal cannot be written',
      () => {
        mkdirSync(journalFile(scratch.layout), { recursive: true });
        return note(scratch.layout, 'b');
      },
    ],
    [
      'our directory leads elsewhere',
      () => {
        symlinkSync(scratch.outside, scratch.layout.own);
        return count(scratch.layout, 'b');
      },
    ],
  ])('is not fulfilled where %s', (_name, prepare) => {
    const wish = prepare();
    expect(settle([wish], 0)).toEqual(new Set([wish]));
  });
});

function explode(): never {
  throw new Error('on purpose');
}
