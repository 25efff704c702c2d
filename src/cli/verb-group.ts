import { nearest } from '../config/nearest';
import { calledAs } from './called-as';
import { runBelow } from './run-below';
import { table } from './ui/output';
import type { Context, ExitCode, Verb, VerbTable } from './verb';

const HELP = ['--help', '-h'];

/** A noun with verbs: its name, what it is about, and the commands below it. */
interface Group {
  readonly name: string;
  readonly summary: string;
  readonly verbs: VerbTable;
  /** The first words about a command that there is not, where scripts know some. */
  unknown?(verb: string): string;
}

/** A verb that only passes its arguments on to the commands below it, and explains them. */
export function verbGroup(group: Group): Verb {
  const { name, summary, verbs } = group;
  const rows = Object.entries(verbs).map(([verb, entry]) => [`  ${verb}`, entry.summary]);
  const usage = [
    `${name} COMMAND [ARGUMENTS]`,
    '',
    ...table(rows),
    '',
    `'${name} COMMAND --help' says more.`,
  ].join('\n');
  return {
    usage,
    commands: verbs,
    async run(args, context) {
      const { named, others, forHelp } = readCall(args);
      if (named === undefined) {
        context.out.line(`${summary}\n\nUsage: ${usage}`);
        return 0;
      }
      const entry = Object.hasOwn(verbs, named) ? verbs[named] : undefined;
      if (entry === undefined) return unknown(named, group, context);
      const { verb } = await entry.load();
      if (!forHelp) return runBelow(`${name} ${named}`, verb, others, context);
      if (verb.commands !== undefined) return verb.run([...others, '--help'], context);
      context.out.line(`${entry.summary}\n\nUsage: ${verb.usage}`);
      return 0;
    },
  };
}

interface Call {
  readonly named: string | undefined;
  readonly others: readonly string[];
  readonly forHelp: boolean;
}

/** Which command is meant, and whether it is to be explained. What stands behind `--` is not for us. */
function readCall(args: readonly string[]): Call {
  const end = args.indexOf('--');
  const asks = (end < 0 ? args : args.slice(0, end)).some((arg) => HELP.includes(arg));
  const words = asks ? args.filter((arg) => !HELP.includes(arg)) : args;
  const isHelp = words[0] === 'help';
  const [named, ...others] = isHelp ? words.slice(1) : words;
  return { named, others, forHelp: asks || isHelp };
}

function unknown(verb: string, { name, verbs, unknown: words }: Group, { out }: Context): ExitCode {
  const near = nearest(verb, Object.keys(verbs));
  const hint = near === undefined ? `Known: ${Object.keys(verbs).join(', ')}.` : `Did you mean '${near}'?`;
  const what = words?.(verb) ?? `${name}: there is no command '${verb}'.`;
  out.error(`${what} ${hint} Try '${calledAs(name)} help'.`);
  return 2;
}
