import { describe, expect, it } from 'vitest';
import { chooseFolds } from '../../bench/choose-folds.mjs';
import { foldsOfChunk, type Note } from '../../bench/folds-of-chunk.mjs';

function units(prefix: string, count: number, directory = 'store') {
  return Array.from({ length: count }, (_, index) => ({ id: `${prefix}${index}`, directory, size: 1 }));
}

function event(weight: number, ...prefixes: string[]) {
  const used = new Set(ALL.filter(({ id }) => prefixes.includes(id.charAt(0))).map(({ id }) => id));
  return { weight, used, kept: used };
}

const ALL = [...units('a', 20), ...units('b', 20), ...units('c', 20), ...units('d', 1), ...units('e', 3)];

describe('a fold', () => {
  it('holds what the same events run, and nothing that all run', () => {
    const folds = chooseFolds(ALL, [event(1, 'a', 'b'), event(1, 'a', 'c'), event(1, 'a')]);
    expect(folds.has('a0')).toBe(false);
    expect(new Set(['b0', 'b19', 'c0', 'c19'].map((id) => folds.get(id))).size).toBe(2);
    expect(folds.get('b0')).toBe(folds.get('b19'));
  });

  it('is not made for less than it costs', () => {
    const folds = chooseFolds(ALL, [event(1, 'a', 'b', 'c', 'e'), event(1, 'a', 'b', 'c', 'd', 'e')]);
    expect([...folds.keys()]).toEqual([]);
  });

  it('is one for what no event ran, and another for each directory with a lot of it', () => {
    const never = [...units('n', 30, 'git'), ...units('m', 2, 'hosts'), ...units('o', 2, 'engine')];
    const folds = chooseFolds([...ALL, ...never], [event(1, 'a', 'b', 'c', 'd', 'e')]);
    expect(['n0', 'n29', 'm0', 'o1'].map((id) => folds.get(id))).toEqual(['-git', '-git', '-', '-']);
  });

  it('goes by what is done most', () => {
    const rare = chooseFolds(ALL, [event(8, 'a'), event(1, 'a', 'e'), event(1, 'a', 'e')]);
    const often = chooseFolds(ALL, [event(1, 'a'), event(8, 'a', 'e'), event(8, 'a', 'e')]);
    expect([rare.has('e0'), often.has('e0')]).toEqual([true, false]);
  });
});

function note(short: string, rest: Partial<Note> = {}): Note {
  const none = { mentions: [], handedOn: [], atOnce: [] };
  const plain = { isVariable: false, isMovable: true, size: 5 };
  return { id: short, chunk: 'decide', file: 'store/a.ts', name: short, short, ...plain, ...none, ...rest };
}

describe('what an event has a use for', () => {
  const ran = (kind: string, ...ids: string[]) => {
    return { weight: 1, home: '/', kind, last: new Set(ids), kept: new Set(ids) };
  };

  it('is also what it may hand on, with the tables that are made of it', () => {
    const notes = [
      note('all'),
      note('some', { mentions: ['table'], handedOn: ['table'] }),
      note('table', { isVariable: true, mentions: ['row'], handedOn: ['row'], atOnce: ['row'] }),
      note('row'),
      note('never'),
    ];
    const folds = foldsOfChunk(notes, [ran('Stop', 'all', 'some'), ran('PreToolUse', 'all')]);
    expect(['all', 'some', 'table', 'row', 'never'].map((id) => folds.get(id))).toEqual([
      ...[undefined, '1', '1', '1', '-'],
    ]);
  });

  it('leaves where it is what loading a chunk needs', () => {
    const made = { isVariable: true, isMovable: false, mentions: ['maker'] };
    const notes = [note('all'), note('value', made), note('maker')];
    expect([...foldsOfChunk(notes, [ran('Stop', 'all')])]).toEqual([]);
  });
});
