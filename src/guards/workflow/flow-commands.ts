/*
 * The workflow's own commands as they stand in a line of the shell, however they are started.
 */

/** What only a person may do to a workflow. */
const PERSONS = ['approve', 'suspend', 'cancel'] as const;
export type PersonVerb = (typeof PERSONS)[number];

const PROGRAM = /(?:^|\/)holdpoint(?:@[^/]*|\.[cm]?[jt]s|\.cmd)?$/;
/** Programs that only print or look for the words they are given. Any other one may run them. */
const PRINTERS = 'echo printf grep egrep fgrep rg ag ack man which type'.split(' ');
const HELP = ['--help', '-h'];
/** A person's command in a text that a shell is going to read. */
const IN_TEXT = /\bholdpoint[\w.@-]{0,40}\s{1,20}flow\s{1,20}(approve|suspend|cancel)\b/;

/** Which `holdpoint flow` command the words run, be it through a runner such as `node` or `npx`. */
export function flowVerb(words: readonly string[]): string | undefined {
  if (PRINTERS.includes(words[0] ?? '')) return undefined;
  for (const [at, word] of words.entries()) {
    if (!PROGRAM.test(word)) continue;
    const args = words.slice(at + 1);
    const [noun, verb] = args.filter((arg) => !arg.startsWith('-'));
    if (noun === 'flow') return asksForHelp(args) ? undefined : verb;
  }
  return undefined;
}

/** Behind `--` nothing is an option. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => HELP.includes(arg));
}

/**
 * The command in a line that only a person may run. `lines` is the line taken apart; where that could not be
 * done, a shell may be about to read any text in it.
 */
export function personCommand(
  command: string,
  lines: readonly (readonly string[])[] | undefined,
): PersonVerb | undefined {
  const verbs = lines === undefined ? [IN_TEXT.exec(command)?.[1]] : lines.map(flowVerb);
  return PERSONS.find((verb) => verbs.includes(verb));
}
