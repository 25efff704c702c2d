import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { missingProgram } from '../../../../src/guards/gates/run/check';

const dir = mkdtempSync(join(tmpdir(), 'holdpoint preflight '));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
mkdirSync(join(dir, 'bin', 'folder'), { recursive: true });
for (const [name, mode] of [
  ['tool', 0o755],
  ['text', 0o644],
] as const) {
  writeFileSync(join(dir, 'bin', name), '#!/bin/sh\n');
  chmodSync(join(dir, 'bin', name), mode);
}

describe('the program that a command line lacks', () => {
  it.each([
    ['a program on the path', 'tool --x', undefined],
    ['one that is not there', 'nothing --x', 'nothing'],
    ['a file that cannot be executed', 'text', 'text'],
    ['a directory of that name', 'folder', 'folder'],
    ['assignments before it', 'A=1 B="two words" C=\'$x\' nothing', 'nothing'],
    ['a path of its own', 'A=1 PATH=./own nothing', undefined],
    ['only assignments', 'A=1', undefined],
    ['a path from the working directory', 'bin/tool', undefined],
    ['such a path to nothing', './bin/none', './bin/none'],
    ['a word of the shell', 'cd bin && tool', undefined],
    ['a test', '[ -e x ]', undefined],
    ['a loop', 'for x in 1; do tool; done', undefined],
    ['a subshell', '(nothing)', undefined],
    ['a group', '{ nothing; }', undefined],
    ['a negation', '! nothing', undefined],
    ['a variable', '$TOOL x', undefined],
    ['an assignment that only a shell can read', 'A=$(nothing) nothing', undefined],
    ['quotes', '"nothing" x', undefined],
    ['a home directory', '~/nothing', undefined],
    ['an operator right behind it', 'nothing;tool', 'nothing'],
    ['several lines', '\n  tool\nnothing', undefined],
    ['a comment', '# nothing\ntool', undefined],
    ['an empty line', '', undefined],
  ])('%s', (_name, line, missing) => {
    expect(missingProgram(line, dir, { PATH: join(dir, 'bin') })).toBe(missing);
  });

  it('is looked for in directories that are relative to where it would run', () => {
    expect(missingProgram('tool', dir, { PATH: '/nowhere:bin' })).toBeUndefined();
  });

  it('is looked for in the usual places where no path is given', () => {
    expect(missingProgram('env', dir, {})).toBeUndefined();
  });
});
