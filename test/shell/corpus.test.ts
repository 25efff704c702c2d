import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { effectsOf } from '../../src/shell';
import type { Start } from '../../src/shell/scope';
import { effectLines } from './effect-lines';

/*
 * Each file of the corpus is a theme. A case begins with `$ `; further lines of the command begin
 * with `> `; then come the effects, one a line, and nothing for a command that has none.
 * All start in /repo on `main`; /repo/sub belongs to it, /other is another repository on `trunk`.
 */

const START: Start = {
  cwd: '/repo',
  home: '/home/me',
  repositoryAt(directory) {
    if (directory === '/other' || directory.startsWith('/other/')) return { root: '/other', branch: 'trunk' };
    return directory === '/repo' || directory.startsWith('/repo/')
      ? { root: '/repo', branch: 'main' }
      : undefined;
  },
  testCommands: ['bin/verify all', 'CI=1 poetry run check-all'],
};

interface Case {
  readonly command: string;
  readonly expected: readonly string[];
}

const corpus = join(import.meta.dirname, 'corpus');
const files = readdirSync(corpus).filter((name) => name.endsWith('.txt'));

describe.each(files)('%s', (file) => {
  const cases = readCases(readFileSync(join(corpus, file), 'utf8'));
  test.each(cases.map((each) => [each.command, each.expected] as const))('%s', (command, expected) => {
    expect(effectLines(effectsOf(command, START), '/repo')).toEqual(expected);
  });
});

test('the corpus is as large as it claims to be', () => {
  const count = files.flatMap((file) => readCases(readFileSync(join(corpus, file), 'utf8'))).length;
  expect(count).toBeGreaterThanOrEqual(220);
});

function readCases(text: string): readonly Case[] {
  const cases: { command: string; expected: string[] }[] = [];
  for (const line of text.split('\n')) {
    const last = cases.at(-1);
    if (line.startsWith('$ ')) cases.push({ command: line.slice(2), expected: [] });
    else if (line.startsWith('>') && last !== undefined) last.command += `\n${line.slice(2)}`;
    else if (line.trim() !== '' && !line.startsWith('#')) last?.expected.push(line.trim());
  }
  return cases;
}
