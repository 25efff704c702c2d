import { Command, type CommanderError, Option } from 'commander';
import { writeAll } from '../exec/processes';
import { COMMANDS } from './commands/table';
import { type Context, cannotRun, type ExitCode, type Refusal } from './context';
import { hintFor, unexpectedArgument, usageError, valueMissing } from './messages';
import { printJson } from './ui/output';

/** The code of a command. Option names are in camel case; `words` are the positional arguments. */
type Run<Options> = (
  context: Context,
  options: Options,
  words: readonly string[],
) => ExitCode | Promise<ExitCode>;

/** Thrown after a command has printed its help. */
export class HelpShown extends Error {}

/** A commander command that reports errors our way and loads its code only when it runs. */
export class Cli extends Command {
  load: () => Promise<Run<never>>;
  /** Whether shells complete its arguments with the project's requirements. */
  takesRequirements = false;
  helpWord = 'help';
  private readonly lists: string[] = [];
  unknown = (name: string): string => `${this.path}: unknown command '${name}'.`;
  /** On the top-level program, once it has parsed the arguments: the command that was typed. */
  chosen: Cli | undefined;

  constructor(name: string, summary: string) {
    super(name);
    // A command without code is the launcher's, which knows it by the first words alone.
    this.load = () => Promise.reject(cannotRun(`${this.path}: options go after the command's name.`));
    this.summary(summary).description(summary).helpCommand(false).helpOption('-h, --help', 'show this help');
    // Excess arguments are checked in `choose`, whose message names the first one.
    this.allowExcessArguments();
    this.configureOutput({
      writeOut: (text) => void writeAll(1, text),
      outputError: () => undefined,
      getOutHelpWidth: () => process.stdout.columns ?? 100,
    });
    this.configureHelp({ subcommandTerm: (command) => command.name() });
    this.exitOverride((error) => {
      if (error.code === 'commander.helpDisplayed') throw new HelpShown();
      // An option of a command that does not exist: only the command is wrong.
      const [word = '-'] = this.args;
      if (error.code === 'commander.unknownOption' && this.commands.length > 0 && !word.startsWith('-'))
        throw unknownCommand(this, word);
      throw this.wrong(usageTrouble(error));
    });
    this.addHelpText('after', () => {
      const lines = this.examples.map((line) => `\n  ${line}`);
      return lines.length === 0 ? '' : `\nExamples:${lines.join('')}`;
    });
    this.action(() => this.choose());
  }

  /** The full command as typed: `holdpoint req status`, or `req status`. */
  get path(): string {
    return this.parent instanceof Cli ? `${this.parent.path} ${this.name()}` : this.name();
  }

  /** The command without its program name, the same in every program: `req status`. */
  get words(): string {
    return this.path.replace(/^agent-gauntlet/, 'gates').replace(/^holdpoint ?/, '');
  }

  get examples(): readonly string[] {
    return COMMANDS[this.words]?.slice(1) ?? [];
  }

  /** Sets the code, which is loaded only when the command runs, and adds `--json`, which almost every command has. */
  runs<Options>(load: () => Promise<Run<Options>>): this {
    return this.option('--json', 'print JSON').runsPlainly(load);
  }

  runsPlainly<Options>(load: () => Promise<Run<Options>>): this {
    this.load = load;
    return this;
  }

  /** An option whose values are listed in the help and completed by shells; the command itself validates them. */
  choice(flags: string, description: string, values: readonly string[]): this {
    const option = new Option(flags, description);
    option.argChoices = [...values];
    return this.addOption(option);
  }

  list(flags: string, description: string, values: readonly string[] = []): this {
    const option = new Option(flags, description);
    if (values.length > 0) option.argChoices = [...values];
    this.lists.push(option.attributeName());
    return this.addOption(option.argParser((value: string, before: string[] = []) => [...before, value]));
  }

  /** The parsed options; flags that were not given are false, lists are empty. */
  values(): Record<string, unknown> {
    const switches = this.options.filter((option) => option.isBoolean() && !option.negate);
    return {
      ...Object.fromEntries(switches.map((option) => [option.attributeName(), false])),
      ...Object.fromEntries(this.lists.map((name) => [name, []])),
      // `--json` may stand before the subcommand.
      ...this.optsWithGlobals<Record<string, unknown>>(),
    };
  }

  /** Commander would take the next option as the value if one is missing. */
  override parseOptions(argv: string[]): ReturnType<Command['parseOptions']> {
    for (let at = 0; at < argv.length && argv[at] !== '--'; at++) {
      const option = this.options.find((one) => [one.long, one.short].includes(argv[at]));
      if (!option?.required) continue;
      at += 1;
      if (/^-./.test(argv[at] ?? '--')) throw this.wrong(valueMissing(option.long ?? option.flags));
    }
    return super.parseOptions(argv);
  }

  private wrong(detail: string): Refusal {
    return cannotRun(usageError(this.path, detail, this.commands.length > 0 ? this.helpWord : '--help'));
  }

  private choose(): void {
    const { registeredArguments: known, args } = this;
    const extra = known.at(-1)?.variadic ? undefined : args[known.length];
    if (extra !== undefined && this.commands.length === 0)
      throw cannotRun(unexpectedArgument(this.path, extra));
    let top: Cli = this;
    while (top.parent instanceof Cli) top = top.parent;
    top.chosen = this;
  }
}

/** Turns commander's error message into a sentence of ours. */
function usageTrouble({ message }: CommanderError): string {
  const [what = '', ...hints] = message.replace(/^error: /, '').split('\n');
  const hint = hints.join(' ').replace(/\((.*)\)/, '. $1');
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}${hint}`;
}

export function command(name: string, summary: string): Cli {
  return new Cli(name, summary);
}

/** Imports the module only when the function is needed. */
export function from<Code>(load: () => Promise<Code>) {
  return <Name extends keyof Code>(name: Name) =>
    async () =>
      (await load())[name];
}

/**
 * A command with subcommands; alone it shows its help. Subcommands without a summary are hidden. Words after a
 * subcommand's name are its own arguments.
 */
export function group(name: string, summary: string, commands: readonly Cli[]): Cli {
  const made = command(name, summary);
  const run: Run<unknown> = (context, _options, words) => showHelp(made, words, context);
  const help = command('help', 'Show the commands, or the help of one of them.')
    .argument('[COMMAND...]', 'the command to explain')
    .runs(async () => run);
  for (const one of [...commands, help]) made.addCommand(one, { hidden: one.summary() === '' });
  return made.enablePositionalOptions().runs(async () => run);
}

export function listedCommands(above: Cli): readonly Cli[] {
  return above.commands.filter((one) => one instanceof Cli).filter((one) => one.summary() !== '');
}

export function unknownCommand(from: Cli, name: string): Refusal {
  const hint = hintFor(
    name,
    listedCommands(from).map((one) => one.name()),
  );
  return cannotRun(`${from.unknown(name)} ${hint} Try '${from.path} ${from.helpWord}'.`);
}

function showHelp(from: Cli, [name, ...rest]: readonly string[], context: Context): ExitCode {
  const { json } = context;
  const commands = listedCommands(from);
  if (name === undefined) {
    if (json) printJson(commands.map((one) => ({ command: one.name(), summary: one.summary() })));
    else from.outputHelp();
    return 0;
  }
  const below = commands.find((one) => one.name() === name);
  if (below === undefined) throw unknownCommand(from, name);
  if (below.commands.length > 0 && (!json || rest.length > 0)) return showHelp(below, rest, context);
  if (rest[0] !== undefined) throw cannotRun(unexpectedArgument(`${from.path} help`, rest[0]));
  const [summary, usage] = [below.summary(), below.helpInformation()];
  if (json) printJson({ command: name, summary, usage, examples: below.examples });
  else below.outputHelp();
  return 0;
}
