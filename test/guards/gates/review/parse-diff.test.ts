import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FileDiff, fitDiff, splitDiff } from '../../../../src/guards/gates/review/diff';

let dir: string;
let files: readonly FileDiff[];

const MANY = Array.from({ length: 40 }, (_, at) => `line ${at}\n`).join('');

/** Each row: a file before and after. */
const CASES: Record<
  string,
  readonly [before: string | undefined, after: string | undefined, added: number[]]
> = {
  'plain.txt': ['1\n2\n3\n', '1\nzwei\n3\n4\n', [2, 4]],
  'added.txt': [undefined, 'a\nb\n', [1, 2]],
  'deleted.txt': ['nobody wants this\n', undefined, []],
  'two-hunks.txt': [`${'x\n'.repeat(30)}`, `new\n${'x\n'.repeat(30)}end\n`, [1, 32]],
  'looks-like-headers.txt': ['-- a\n', '++ b/other.txt\ndiff --git a/x b/x\n@@ -1 +1 @@\n', [1, 2, 3]],
  'header-after-return.txt': ['a\n', 'b\rdiff --git a/x b/x\nc\n', [1, 2]],
  'no-newline.txt': ['a', 'b', [1]],
  'with space.txt': ['a\n', 'b\n', [1]],
  'ümläut "quoted"\t.txt': ['a\n', 'b\n', [1]],
  'renamed-to.txt': [undefined, `${MANY}more\n`, [41]],
  'binary.bin': ['a\0b', 'a\0c', []],
  'empty.txt': [undefined, '', []],
};

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdpoint-diff-'));
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: dir,
      encoding: 'utf8',
    });
  const commit = (side: 0 | 1): string => {
    for (const [name, sides] of Object.entries(CASES)) {
      const text = sides[side];
      if (text === undefined) rmSync(join(dir, name), { force: true });
      else writeFileSync(join(dir, name), text);
    }
    git('add', '-A');
    git('commit', '-qm', 'x');
    return git('rev-parse', 'HEAD').trim();
  };
  git('init', '-q');
  writeFileSync(join(dir, 'renamed-from.txt'), MANY);
  const before = commit(0);
  rmSync(join(dir, 'renamed-from.txt'));
  const after = commit(1);
  files = splitDiff(git('-c', 'core.quotepath=off', 'diff-tree', '-r', '-p', '-M', before, after));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('a difference of git is cut into files', () => {
  it('with the names that they have', () => {
    expect(files.map(({ file }) => file).sort()).toEqual(Object.keys(CASES).sort());
  });

  it.each(Object.entries(CASES))('and the lines that were added: %s', (name, [, , added]) => {
    expect([...(files.find(({ file }) => file === name)?.added ?? [])]).toEqual(added);
  });

  it('and nothing is lost', () => {
    expect(files.every(({ text }) => text.startsWith('diff --git '))).toBe(true);
  });
});

describe('what is shown of a difference', () => {
  const file = (name: string, lines: number): FileDiff => ({
    file: name,
    text: `${'x'.repeat(9)}\n`.repeat(lines),
    added: new Set(),
  });

  it('is all of it, where it fits', () => {
    expect(fitDiff([file('a', 10), file('b', 20)], 300)).toBe(`${'x'.repeat(9)}\n`.repeat(30));
  });

  it('cuts the longest file at the end of a line, and tells how much is missing', () => {
    const shown = fitDiff([file('long', 1000), file('short', 10)], 5000);
    expect(shown).toContain('Parts are left out of: long.');
    expect(shown).toContain("[… 510 more lines of this file's diff left out …]\n");
    expect(shown.endsWith(`${'x'.repeat(9)}\n`.repeat(10))).toBe(true);
  });

  it('names files of which too little could be shown', () => {
    const many = Array.from({ length: 20 }, (_, at) => file(`f${at}`, 200));
    const shown = fitDiff(many, 10_000);
    expect(shown).toContain('[… the diff of f0 is left out …]');
    expect(shown.length).toBeLessThan(13_000);
  });
});
