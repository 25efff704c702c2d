import { resolve } from 'node:path';
import { isPlainWord } from '../../../core/text';
import { isProgram } from '../../../exec/programs';
import type { Env } from './request';

/** What `/bin/sh` knows by itself, as POSIX names it, and what common shells add. */
const SHELL_WORDS = new Set(
  (
    'alias bg break case cd command continue echo eval exec exit export false fc fg for function getopts hash ' +
    'if jobs kill let local printf pwd read readonly return select set shift source test time times trap true ' +
    'type typeset ulimit umask unalias unset until wait while . : [ [[ ! {'
  ).split(' '),
);

/** Without one of its own, a program is looked for here, as shells do. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** `NAME=value ` at the beginning of a command, with a value that is plain or quoted. */
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=(?:[^\s"'\\$`]|"[^"\\$`]*"|'[^']*')*\s+/;
const PLAIN_WORD = /^[A-Za-z0-9._/@+,%:[{!=~-]+(?=[\s;&|<>)]|$)/;

/**
 * The program that a command line cannot do without and that is not there. Nothing is started to find out;
 * a line whose first word only a shell can tell is taken to be in order.
 */
export function missingProgram(line: string, cwd: string, env: Env): string | undefined {
  const word = firstWord(line);
  if (word === undefined || SHELL_WORDS.has(word)) return undefined;
  const places = word.includes('/')
    ? [resolve(cwd, word)]
    : (env['PATH'] ?? DEFAULT_PATH).split(':').map((dir) => resolve(cwd, dir, word));
  return places.some(isProgram) ? undefined : word;
}

function firstWord(line: string): string | undefined {
  const end = line.indexOf(' ');
  const first = end < 0 ? line : line.slice(0, end);
  // Most lines begin with a plain name, and to prepare the patterns takes longer than to look.
  if (isPlainWord(first, '._/-')) return first;
  let rest = line.trimStart();
  for (;;) {
    const assignment = ASSIGNMENT.exec(rest)?.[0];
    if (assignment === undefined) break;
    rest = rest.slice(assignment.length);
  }
  const word = PLAIN_WORD.exec(rest)?.[0];
  // `~` leads home, and a lone assignment is no program.
  return word === undefined || word.includes('=') || word.startsWith('~') ? undefined : word;
}
