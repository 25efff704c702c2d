import { type RunCommand, readLine } from './walk';
import { distinct, GIT_OPTIONS_WITH_VALUE, isShell } from './words';

/**
 * The commands of a line as lists of plain words: no wrappers, no quotes, no options between `git` and its
 * subcommand. `undefined` if the line does not parse, or runs commands that are not in it.
 */
export function commandLines(text: string, cwd: string): readonly (readonly string[])[] | undefined {
  const line = readLine(text, { cwd });
  if (line.kind === 'unreadable') return undefined;
  const all = line.commands.map(plainWords);
  return all.some(readsCommands)
    ? undefined
    : distinct(all.filter((words) => words.some((word) => word !== '')));
}

function plainWords({ words }: RunCommand): readonly string[] {
  const [name = '', ...args] = words.map(({ text }) => text);
  const program = name.split('/').at(-1) ?? '';
  if (program !== 'git') return [program, ...args];
  let from = 0;
  while (args[from]?.startsWith('-')) from += GIT_OPTIONS_WITH_VALUE.includes(args[from] ?? '') ? 2 : 1;
  return [program, ...args.slice(from)];
}

/** `cwd` is absent if it is unknown. */
export interface ParsedCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly cwd?: string;
}

/** The commands of a line with the directory that each runs in; `undefined` if the line does not parse. */
export function commandsOf(text: string, cwd: string): readonly ParsedCommand[] | undefined {
  const line = readLine(text, { cwd });
  if (line.kind === 'unreadable') return undefined;
  return line.commands.flatMap((command): ParsedCommand[] => {
    const [program = '', ...rest] = plainWords(command);
    const [dir, ...others] = command.likelyCwd;
    const where = dir !== undefined && others.length === 0 ? { cwd: dir } : {};
    return program === '' ? [] : [{ program, arguments: rest, ...where }];
  });
}

/** A shell that reads its input runs commands that are not in the line. */
function readsCommands([program = '', ...args]: readonly string[]): boolean {
  return isShell(program) && args.every((arg) => arg === '-s' || arg === '-');
}
