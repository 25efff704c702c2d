import { type SimpleCommand, textOf, type Word } from './command';
import { WITH_VALUE } from './git-options';
import type { LoadParser } from './parsing';
import { simpleCommands } from './simple-commands';

const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish']);

/**
 * The commands of a line as lists of words, each as it would be typed plainly: wrappers gone, quotes
 * gone, and no options between `git` and what it is to do. `undefined` where the line does not parse, or
 * runs commands that are not in it.
 */
export function commandLines(
  text: string,
  cwd: string,
  loadParser: LoadParser,
): readonly (readonly string[])[] | undefined {
  const parsed = simpleCommands(text, { cwd, loadParser });
  if (parsed.kind === 'unparsable' || parsed.commands.some(readsCommands)) return undefined;
  return parsed.commands
    .map(({ name, args }) => plainWords(name, args))
    .filter((words) => words.some((word) => word !== ''));
}

/** A shell that is fed by a pipe runs what nobody can tell from the words alone. */
function readsCommands({ name, args }: SimpleCommand): boolean {
  const program = textOf(name).split('/').at(-1) ?? '';
  return SHELLS.has(program) && args.every((arg) => textOf(arg) === '-s' || textOf(arg) === '-');
}

function plainWords(name: Word, args: readonly Word[]): string[] {
  const program = textOf(name).split('/').at(-1) ?? '';
  const words = args.map(textOf);
  return [program, ...(program === 'git' ? withoutGlobalOptions(words) : words)];
}

function withoutGlobalOptions(words: readonly string[]): readonly string[] {
  let from = 0;
  while (words[from]?.startsWith('-') === true) {
    from += WITH_VALUE.includes(words[from] ?? '') ? 2 : 1;
  }
  return words.slice(from);
}
