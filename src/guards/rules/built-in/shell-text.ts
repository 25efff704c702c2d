import { resolve } from 'node:path';
import type { Command, Event, RuleContext } from '../../../api';

/* Here-documents and redirections in the text of a command line. */

const HERE_DOCUMENT =
  /(?<!<)<<(?!<)(-?)\s*(['"]?)([A-Za-z_][\w-]*)\2([^\n]*)\n([\s\S]*?)(?:^[ \t]*\3[ \t]*$|(?![\s\S]))/gm;

const HERE_STRING = /<<<\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\s;&|<>()]+)/g;

/** The texts of the here-documents in order, then those of the here-strings (`<<<`). */
export function hereDocuments(line: string): string[] {
  const documents = [...line.matchAll(HERE_DOCUMENT)].map(([, , , , , body = '']) => body);
  const strings = [...line.matchAll(HERE_STRING)].map(([, text = '']) =>
    text.replace(/^(["'])([\s\S]*)\1$/, '$2'),
  );
  return [...documents, ...strings];
}

const REDIRECTION = /(?<![<>&\d-])(?:&|\d)?>{1,2}\|?\s*("[^"\n]*"|'[^'\n]*'|[^\s"'<>&|;()]+)/g;

/** The files that the line redirects to, each with the command text before it. */
function redirections(line: string): { readonly before: string; readonly target: string }[] {
  // Text in a here-document is no redirection.
  const plain = line.replace(
    HERE_DOCUMENT,
    (_, dash, quote, word, rest) => `<<${dash}${quote}${word}${quote}${rest}\n`,
  );
  return [...plain.matchAll(REDIRECTION)].map((found) => {
    const before =
      plain
        .slice(0, found.index)
        .split(/[|;&\n]/)
        .at(-1) ?? '';
    return { before: before.trim(), target: (found[1] ?? '').replace(/^(["'])(.*)\1$/, '$2') };
  });
}

/** Programs that print the text that they are given. */
const TYPING = /^(?:(?:echo|printf|cat)\b|$)/;

/** The files into which the line writes text of its own, not the output of a generator. */
export function filesTypedInto(event: Event, ctx: RuleContext): string[] {
  const line = 'call' in event ? event.call.command : undefined;
  if (line === undefined) return [];
  const base = ctx.commands[0]?.cwd ?? event.cwd;
  const redirected = redirections(line)
    .filter(({ before }) => TYPING.test(before))
    .map(({ target }) => resolve(base, target));
  return [...redirected, ...ctx.commands.flatMap((command) => editedBy(command, base))];
}

/** The files that a command changes in place. */
function editedBy({ program, arguments: args, cwd }: Command, base: string): string[] {
  const isInPlace =
    (program === 'sed' && args.some((arg) => /^(?:-[a-zA-Z]*i|--in-place)/.test(arg))) ||
    (program === 'perl' && args.some((arg) => /^-[a-z0]*i/.test(arg))) ||
    program === 'tee' ||
    program === 'ed' ||
    program === 'ex';
  return isInPlace ? args.filter((arg) => !arg.startsWith('-')).map((arg) => resolve(cwd ?? base, arg)) : [];
}
