import { resolve } from 'node:path';
import type { Json } from '../core/json';
import { absolutePaths } from './paths';

const SHELLS = /(?:^|\/)(?:ba|da|z|k)?sh$/;
/** `-c`, alone or among other letters as in `-lc`. */
const RUNS_TEXT = /^-[a-z]*c$/;
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** A command as one line for a shell. As a list of words it is either a shell with a line, or a program with arguments. */
export function commandLineIn(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
  if (words.length === 0) return undefined;
  const [program = '', flag = '', line] = words;
  if (SHELLS.test(program) && RUNS_TEXT.test(flag) && line !== undefined) return line;
  return words.map(quoted).join(' ');
}

/** The line as if it had begun in `cwd`: where a call names another directory, going there is part of it. */
export function lineWithin(cwd: string, dir: Json | undefined, line: string): string {
  const [there] = absolutePaths(cwd, [dir]);
  return there === undefined || there === resolve(cwd) ? line : `cd ${quoted(there)} && ${line}`;
}

/** A word for a POSIX shell, as people write it. */
export function quoted(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
