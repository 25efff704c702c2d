import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { projectLockFile, readDocument } from '../../src/state/documents';
import { acquireLock, type Lock } from '../../src/state/files';
import { applyChanges } from '../../src/state/update';
import { change, json, makeScratch, modeOf, type Scratch } from './scratch';

let scratch: Scratch;
let lock: Lock;
let file: string;
const ref = json('requirements/main.json');
const nothing = { written: [], setAside: [], failures: [] };

beforeEach(() => {
  scratch = makeScratch();
  file = join(scratch.layout.git, 'requirements/main.json');
  const taken = acquireLock(projectLockFile(scratch.layout), 0);
  if (!taken.ok) throw new Error(taken.failure.code);
  lock = taken.value;
});
afterEach(() => scratch.remove());

const put = (value: string) => {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, value);
};
const apply = (...changes: Parameters<typeof applyChanges>[2]) => applyChanges(scratch.layout, lock, changes);
const filesBeside = () => readdirSync(join(file, '..')).sort();

describe('writing', () => {
  test('JSON has an indent of two and ends in a newline, for the owner alone', () => {
    expect(apply(change(ref, () => ({ a: 1 })))).toEqual({ ...nothing, written: [file] });
    expect(readFileSync(file, 'utf8')).toBe('{\n  "a": 1\n}\n');
    expect([modeOf(file), modeOf(join(file, '..'))]).toEqual(['600', '700']);
    expect(filesBeside()).toEqual(['main.json']);
  });

  test('a file that others could read is for the owner alone afterwards', () => {
    put('{}');
    chmodSync(file, 0o644);
    apply(change(ref, () => 1));
    expect(modeOf(file)).toBe('600');
  });

  test.each([
    ['letters of several bytes', 'Grüße, 你好, 😀'],
    ['halves of letters', '\ud83d'],
    ['more than one page', 'ü'.repeat(50_000)],
  ])('%s are written whole', (_what, words) => {
    apply(change(ref, () => ({ words })));
    expect(readDocument(scratch.layout, ref)).toMatchObject({ kind: 'present', value: { words } });
  });

  test('text is written as it is', () => {
    const text = { base: 'own', path: 'loop.jsonl', format: 'text', durability: 'bookkeeping' } as const;
    apply(
      change(text, (current) => `${current ?? ''}a`),
      change(text, (current) => `${current}b`),
    );
    expect(readFileSync(join(scratch.layout.own, 'loop.jsonl'), 'utf8')).toBe('ab');
  });

  test('anything but text in a text document is a bug', () => {
    const { failures } = apply(change({ ...ref, format: 'text' }, () => ({})));
    expect(failures).toMatchObject([{ failure: { detail: expect.stringContaining('text document') } }]);
  });

  test('several changes to one document are folded in order into one write', () => {
    put('[0]');
    const push = (n: number) => change(ref, (current) => [...(current as number[]), n]);
    expect(
      apply(
        push(1),
        change(json('other.json'), () => 'x'),
        push(2),
      ).written,
    ).toEqual([file, join(scratch.layout.git, 'other.json')]);
    expect(readDocument(scratch.layout, ref)).toMatchObject({ value: [0, 1, 2] });
  });

  test('the same value is not written again, however the file is laid out', () => {
    put('{"a":  [1, 2]}');
    const before = lstatSync(file).ino;
    expect(apply(change(ref, () => ({ a: [1, 2] })))).toEqual(nothing);
    expect(lstatSync(file).ino).toBe(before);
  });

  test('undefined removes the file, and removing nothing is nothing', () => {
    put('1');
    const remove = change(ref, () => undefined);
    expect(apply(remove)).toEqual({ ...nothing, written: [file] });
    expect(filesBeside()).toEqual([]);
    expect(apply(remove)).toEqual(nothing);
  });

  test('a link inside the base stays a link, and what it leads to is written', () => {
    put('1');
    symlinkSync('requirements/main.json', join(scratch.layout.git, 'alias.json'));
    apply(change(json('alias.json'), () => 2));
    expect(readlinkSync(join(scratch.layout.git, 'alias.json'))).toBe('requirements/main.json');
    expect(readFileSync(file, 'utf8')).toBe('2\n');
  });
});

describe('what cannot be read', () => {
  test.each([
    ['cut off', '{"a":'],
    ['empty', ''],
    ['of another kind', 'a: b\n'],
  ])('a file that is %s is kept with its bytes and told', (_name, bytes) => {
    put(bytes);
    const report = apply(change(ref, (current) => ({ was: current ?? null })));
    expect(report).toMatchObject({ written: [file], failures: [] });
    expect(report.setAside).toHaveLength(1);
    expect(report.setAside[0]).toMatch(new RegExp(`main\\.json\\.corrupt-\\d+-${process.pid}$`));
    expect(readFileSync(report.setAside[0]!, 'utf8')).toBe(bytes);
    expect(readDocument(scratch.layout, ref)).toMatchObject({ value: { was: null } });
  });

  test('two broken files of one millisecond are both kept', () => {
    const kept = ['x', 'y', 'z'].flatMap((bytes) => {
      put(bytes);
      return apply(change(ref, () => bytes)).setAside;
    });
    expect(kept.map((name) => readFileSync(name, 'utf8'))).toEqual(['x', 'y', 'z']);
  });

  test('a change that has nothing to write leaves the broken file where it is', () => {
    put('{');
    expect(apply(change(ref, () => undefined))).toEqual(nothing);
    expect(filesBeside()).toEqual(['main.json']);
  });

  test('a directory in the place of the file is moved aside whole', () => {
    mkdirSync(join(file, 'inner'), { recursive: true });
    const report = apply(change(ref, () => 1));
    expect(readdirSync(report.setAside[0]!)).toEqual(['inner']);
    expect(readFileSync(file, 'utf8')).toBe('1\n');
  });
});

describe('links that lead outside', () => {
  test('a linked file is moved aside as a link; its target is untouched', () => {
    const target = join(scratch.outside, 'x.json');
    writeFileSync(target, '"theirs"');
    mkdirSync(join(file, '..'));
    symlinkSync(target, file);
    const report = apply(change(ref, () => 'ours'));
    expect(readlinkSync(report.setAside[0]!)).toBe(target);
    expect(lstatSync(file).isFile()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe('"theirs"');
  });

  test.each([
    ['exists', ''],
    ['does not exist', '/not/yet'],
  ])('below a linked directory that %s nothing is written', (_name, below) => {
    symlinkSync(scratch.outside + below, join(scratch.layout.git, 'requirements'));
    const failure = { code: 'state.outside', file, target: scratch.outside + below };
    expect(apply(change(ref, () => 1))).toEqual({
      ...nothing,
      failures: [{ durability: 'durable', failure }],
    });
    expect(readdirSync(scratch.outside)).toEqual([]);
  });
});

describe('failures', () => {
  test('without the lock nothing is renamed and nothing is left', () => {
    put('1');
    lock.release();
    const failures = [{ durability: 'durable', failure: { code: 'lock.lost', file: lock.file } }];
    expect(apply(change(ref, () => 2))).toEqual({ ...nothing, failures });
    expect(apply(change(ref, () => undefined))).toEqual({ ...nothing, failures });
    expect(readFileSync(file, 'utf8')).toBe('1');
    expect(filesBeside()).toEqual(['main.json']);
  });

  test('one document that fails does not stop the next', () => {
    writeFileSync(join(scratch.layout.git, 'requirements'), 'a file where the directory belongs');
    const other = json('other.json', 'git', 'counted');
    const report = apply(
      change(ref, () => 1),
      change(other, () => 2),
    );
    expect(report.written).toEqual([join(scratch.layout.git, 'other.json')]);
    expect(report.failures).toMatchObject([
      { durability: 'durable', failure: { code: 'state.unreadable', file } },
    ]);
  });

  test('a name that leaves no room for a temporary file is told as a failure', () => {
    const long = json(`${'x'.repeat(250)}.json`);
    const failures = [
      {
        durability: 'durable',
        failure: { code: 'state.write-failed', detail: expect.stringContaining('ENAMETOOLONG') },
      },
    ];
    expect(apply(change(long, () => 2))).toMatchObject({ ...nothing, failures });
  });
});
