import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { detailOf, readText } from '../../src/core/failure';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('it did not throw');
}

describe('the one line of an error', () => {
  test.each<[string, unknown, string]>([
    ['is its message', new Error('no such thing'), 'no such thing'],
    ['ends at the first line end', new Error('first\nsecond'), 'first'],
    ['is the text itself when a text was thrown', 'plain', 'plain'],
    ['is something even for nothing', undefined, 'undefined'],
    [
      'leaves out what a lock says of its holder',
      new Error("EACCES: permission denied, symlink 'aog 3epky x' -> '/p/.git/holdpoint/lock'"),
      "EACCES: permission denied, symlink '/p/.git/holdpoint/lock'",
    ],
    [
      'calls a file that was not whole yet as it would have been called',
      new Error("EACCES: permission denied, open '/p/main.json.4711.hzumwi7tq3c9b1.tmp'"),
      "EACCES: permission denied, open '/p/main.json'",
    ],
  ])('%s', (_, error, expected) => {
    expect(detailOf(error)).toBe(expected);
  });

  test.each<[string, string]>([
    ['a short one', 'SECRET'],
    ['one that is cut at its end', `SECRET ${'word '.repeat(50)}`],
    ['one that is cut at both ends', `["${'SECRET '.repeat(20)}", SECRET, "${'SECRET '.repeat(20)}"]`],
    ['one of several lines', '[1,\nSECRET\n,2]'],
    ['one with quotes', '["SECRET", "SECRET]", x "SECRET"'],
  ])('never quotes the document that was no JSON: %s', (_, text) => {
    const detail = detailOf(thrownBy(() => JSON.parse(text)));
    expect(detail).not.toContain('SECRET');
    expect(detail).not.toBe('');
  });
});

describe('the text of a file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-text-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test.each<[string, string | undefined, (file: string) => void]>([
    ['is what it contains', 'a', (file) => writeFileSync(file, 'a')],
    ['is read through a symlink', '', (file) => symlinkSync(join(dir, 'empty'), file)],
    ['is not waited for in a pipe', undefined, (file) => execFileSync('mkfifo', [file])],
    ['is not read from a device without an end', undefined, (file) => symlinkSync('/dev/zero', file)],
    ['is absent where nothing is', undefined, () => undefined],
  ])('%s', (name, expected, make) => {
    writeFileSync(join(dir, 'empty'), '');
    make(join(dir, name));
    expect(readText(join(dir, name))).toBe(expected);
  });
});
