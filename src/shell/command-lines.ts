import type { Call } from './scope';
import { type RunCommand, readLine } from './walk';
import { distinct, gitOptions, isShell } from './words';

/** `cwd` is absent if it is unknown. */
export interface ParsedCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly cwd?: string;
}

/**
 * The commands of a line as plain words: no wrappers, no quotes, no options between `git` and its subcommand.
 * `undefined` if the line does not parse.
 */
export function commandsOf(text: string, cwd: string): readonly ParsedCommand[] | undefined {
  const line = readLine(text, { cwd });
  return line.kind === 'unreadable' ? undefined : line.commands.flatMap(parsed);
}

function parsed({ words: [name, ...args], likelyCwd }: RunCommand): readonly ParsedCommand[] {
  const program = name?.text.split('/').at(-1) ?? '';
  const plain = program === 'git' ? (gitOptions(args).rest ?? []) : args;
  const [dir, ...others] = likelyCwd;
  const where = dir !== undefined && others.length === 0 ? { cwd: dir } : {};
  return program === '' ? [] : [{ program, arguments: plain.map(({ text }) => text), ...where }];
}

/**
 * The same as lists of words; also `undefined` if the line runs commands that are not in it. With `asWritten` there
 * are also the commands with the wrappers, options and assignments that they have in the line.
 */
export function commandLines(
  text: string,
  cwd: string,
  asWritten = false,
): readonly (readonly string[])[] | undefined {
  const line = readLine(text, { cwd });
  if (line.kind === 'unreadable') return undefined;
  const all = line.commands.flatMap(parsed).map(({ program, arguments: args }) => [program, ...args]);
  if (all.some(readsCommands)) return undefined;
  return distinct(asWritten ? [...all, ...line.calls.map(writtenWords)] : all);
}

function writtenWords({ assignments, words }: Call): string[] {
  return [...assignments.map(({ name, value }) => `${name}=${value.text}`), ...words.map(({ text }) => text)];
}

/** A shell that reads its input runs commands that are not in the line. */
function readsCommands([program = '', ...args]: readonly string[]): boolean {
  return isShell(program) && args.every((arg) => arg === '-s' || arg === '-');
}
