import { Command, type CommanderError, Option } from 'commander';
import { writeAll } from '../exec/standard-io';
import { COMMANDS } from './commands/table';
import type { Context, ExitCode } from './context';
import { hintFor, oneTooMany, valueMissing, wrongCall } from './messages';
import type { Output } from './ui/output';
import { cannotRun, type Refusal } from './ui/refusal';

/** What a command does: it gets the options by their names in camel case, and the words that are no options. */
type Run<Options> = (
  context: Context,
  options: Options,
  words: readonly string[],
) => ExitCode | Promise<ExitCode>;

/** Thrown once the help of a command has been printed. */
export class HelpShown extends Error {}

/** A command of ours: a command of commander with one way to report errors, and code that is loaded when it runs. */
export class Cli extends Command {
  load: () => Promise<Run<never>>;
  /** Whether shells complete its arguments with the names of the project's requirements. */
  takesRequirements = false;
  helpWord = 'help';
  private readonly lists: string[] = [];
  unknown = (name: string): string => `${this.path}: unknown command '${name}'.`;
  /** The command that was typed, once the program at the top has parsed the arguments. */
  chosen: Cli | undefined;

  constructor(name: string, summary: string) {
    super(name);
    this.load = () => Promise.reject(new Error(`${this.path} was called past its launcher`));
    this.summary(summary).description(summary).helpCommand(false).helpOption('-h, --help', 'show this help');
    // Excess words are looked at in `choose`, whose message names the word.
    this.allowExcessArguments();
    this.configureOutput({
      writeOut: (text) => void writeAll(1, text),
      outputError: () => undefined,
      getOutHelpWidth: () => process.stdout.columns ?? 100,
    });
    this.configureHelp({ subcommandTerm: (command) => command.name() });
    this.exitOverride((error) => {
      if (error.code === 'commander.helpDisplayed') throw new HelpShown();
      throw this.wrong(usageTrouble(error));
    });
    this.addHelpText('after', () => examplesText(this.examples));
    this.action(() => this.choose());
  }

  /** All words up to this command, as they are typed: `holdpoint req status`, or `req status`. */
  get path(): string {
    return this.parent instanceof Cli ? `${this.parent.path} ${this.name()}` : this.name();
  }

  /** The same in every program: `req status`. */
  get words(): string {
    return this.path.replace(/^agent-gauntlet/, 'gates').replace(/^holdpoint ?/, '');
  }

  get examples(): readonly string[] {
    return COMMANDS[this.words]?.slice(1) ?? [];
  }

  /** Says what the command does. Only the command that is called loads its code. Almost every one can print JSON. */
  runs<Options>(load: () => Promise<Run<Options>>): this {
    return this.option('--json', 'print JSON').runsPlainly(load);
  }

  runsPlainly<Options>(load: () => Promise<Run<Options>>): this {
    this.load = load;
    return this;
  }

  /** An option whose usual values are listed in the help and offered by shells; the command itself checks them. */
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

  /** The options that were given; a switch that was not is false, a list is empty. */
  values(): Record<string, unknown> {
    const switches = this.options.filter((option) => option.isBoolean() && !option.negate);
    return {
      ...Object.fromEntries(switches.map((option) => [option.attributeName(), false])),
      ...Object.fromEntries(this.lists.map((name) => [name, []])),
      ...this.opts<Record<string, unknown>>(),
    };
  }

  /** Commander would take the next option for a value that was forgotten. */
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
    return cannotRun(wrongCall(this.path, detail, this.commands.length > 0 ? this.helpWord : '--help'));
  }

  private choose(): void {
    const { registeredArguments: known, args } = this;
    const extra = known.at(-1)?.variadic ? undefined : args[known.length];
    if (extra !== undefined && this.commands.length === 0) throw cannotRun(oneTooMany(this.path, extra));
    let top: Cli = this;
    while (top.parent instanceof Cli) top = top.parent;
    top.chosen = this;
  }
}

function examplesText(examples: readonly string[]): string {
  return examples.length === 0 ? '' : `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`;
}

/** What commander says of what was typed wrong, as a sentence of ours. */
function usageTrouble({ message }: CommanderError): string {
  const [what = '', ...hints] = message.replace(/^error: /, '').split('\n');
  const hint = hints.join(' ').replace(/\((.*)\)/, '. $1');
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}${hint}`;
}

export function command(name: string, summary: string): Cli {
  return new Cli(name, summary);
}

/** Loads a function of a module when it is called. */
export function from<Code>(load: () => Promise<Code>) {
  return <Name extends keyof Code>(name: Name) =>
    async () =>
      (await load())[name];
}

/** A command that only has others below it; alone it shows its help. Those without a summary are not listed. */
export function group(name: string, summary: string, commands: readonly Cli[]): Cli {
  const made = command(name, summary);
  const help = command('help', 'Show the commands, or the help of one of them.')
    .argument('[COMMAND...]', 'the command to explain')
    .runs(
      async () =>
        ({ out }, { json }: { json: boolean }, words) =>
          showHelp(made, words, json, out),
    );
  for (const one of [...commands, help]) made.addCommand(one, { hidden: one.summary() === '' });
  return made.runsPlainly(
    async () =>
      ({ out }, _options, words) =>
        showHelp(made, words, false, out),
  );
}

export function listedCommands(above: Cli): readonly Cli[] {
  return above.commands.filter((one) => one instanceof Cli).filter((one) => one.summary() !== '');
}

function showHelp(from: Cli, [name, ...rest]: readonly string[], json: boolean, out: Output): ExitCode {
  const commands = listedCommands(from);
  if (name === undefined) {
    if (json) out.json(commands.map((one) => ({ command: one.name(), summary: one.summary() })));
    else from.outputHelp();
    return 0;
  }
  const below = commands.find((one) => one.name() === name);
  if (below === undefined) {
    const hint = hintFor(
      name,
      commands.map((one) => one.name()),
    );
    throw cannotRun(`${from.unknown(name)} ${hint} Try '${from.path} ${from.helpWord}'.`);
  }
  if (below.commands.length > 0 && !json) return showHelp(below, rest, json, out);
  if (rest[0] !== undefined) throw cannotRun(oneTooMany(`${from.path} help`, rest[0]));
  if (json)
    out.json({
      command: name,
      summary: below.summary(),
      usage: below.helpInformation(),
      examples: below.examples,
    });
  else below.outputHelp();
  return 0;
}
