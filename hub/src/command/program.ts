import { resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import * as v from 'valibot';
import type { Act } from '../control/acts.js';
import { nameSchema } from '../people/accounts.js';
import { act, dataOf, type PlaceOptions } from './place.js';
import { importReport, machineTable, peopleTable, transferReport } from './print.js';
import { type ServeOptions, serve } from './serve.js';

/** As it was typed: `holdpoint hub` passes its commands on to this program. */
const NAME = process.env['HOLDPOINT_HUB_CALLED_AS'] ?? 'holdpoint-hub';

/** Runs the command line and sets the exit code: 2 for wrong input, 1 if the command fails. */
export async function run(args: readonly string[]): Promise<void> {
  try {
    await program().parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    // Print a sentence, never a stack trace.
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

function program(): Command {
  const root = new Command(NAME)
    .description('One page where you see every agent at work and approve what only a person may approve.')
    .version(__VERSION__)
    .exitOverride()
    .enablePositionalOptions()
    .allowExcessArguments()
    .showHelpAfterError(`See ${NAME} --help.`)
    .addOption(new Option('--port <port>', 'port to listen on').default(4610).argParser(readPort))
    .option('--host <host>', 'address to listen on', 'localhost')
    .addOption(new Option('--public-url <url>', 'where a proxy makes the hub reachable').argParser(readUrl))
    .addHelpText('after', examples);
  withPlace(root).addOption(keyOption()).option('--json', 'print the first line as JSON');
  root.action(async (given: Omit<ServeOptions, 'data'> & PlaceOptions) => {
    const [unknown] = root.args;
    if (unknown !== undefined) root.error(`error: there is no command '${unknown}'`);
    await serve({ ...given, data: dataOf(given) });
  });
  addUserCommands(root);
  addMachineCommands(root);
  addTransferCommands(root);
  return root;
}

const examples = `
Without a command it runs the hub in the foreground, until SIGTERM or Ctrl-C. Commands
speak to the hub that runs on the same data, or open the data themselves.

Examples:
  ${NAME}                                     embedded database, http://localhost:4610
  ${NAME} --database postgres://hub@db/hub    PostgreSQL 15 or later
  ${NAME} --host 0.0.0.0 --public-url https://hub.example.org
  ${NAME} user add ada --role approver        prints a link by which Ada signs in
  ${NAME} invite                              prints the line to run on another machine`;

function addUserCommands(root: Command): void {
  const user = root.command('user').description('people who may sign in').enablePositionalOptions();
  user.action(() => user.help({ error: true }));
  subcommand(user, 'add', 'add a person, with a passphrase or by a one-time link')
    .argument('<name>', 'what they sign in with', readName)
    .addOption(new Option('--role <role>').choices(['viewer', 'approver', 'admin']).default('viewer'))
    .option('--passphrase-stdin', 'read the passphrase from standard input')
    .addHelpText(
      'after',
      `\nExample:\n  printf %s "$PASSPHRASE" | ${NAME} user add ada --role admin --passphrase-stdin`,
    )
    .action(async (name: string, { role, passphraseStdin }, command: Command) => {
      const passphrase = passphraseStdin ? await readInput() : null;
      await perform(command, { act: 'user add', name, role, passphrase }, ({ setup }) =>
        setup === undefined
          ? `Added ${name} as ${role}.`
          : `Send this link to ${name}. It works once, for 24 hours:\n${setup}`,
      );
    });
  subcommand(user, 'list', 'list the people who may sign in').action((_, command: Command) =>
    perform(command, { act: 'user list' }, peopleTable),
  );
  subcommand(user, 'remove', 'remove a person and end their sign-ins')
    .argument('<name>')
    .action((name: string, _, command: Command) =>
      perform(command, { act: 'user remove', name }, (gone) => `Removed ${gone['name']}.`),
    );
}

function addMachineCommands(root: Command): void {
  subcommand(root, 'invite', 'print the line by which another machine joins')
    .addOption(new Option('--name <machine>', 'the name that the machine gets').argParser(readName))
    .action(({ name = null }, command: Command) =>
      perform(command, { act: 'invite', name }, ({ url, code }) => `holdpoint join ${url} ${code}`),
    );
  subcommand(root, 'machines', 'list the machines that have joined').action((_, command: Command) =>
    perform(command, { act: 'machines' }, machineTable),
  );
  subcommand(root, 'revoke', 'shut a machine out: its token is worthless from now on')
    .argument('<machine>', 'its name or id')
    .action((machine: string, _, command: Command) =>
      perform(command, { act: 'revoke', machine }, ({ name }) => `Revoked ${name}.`),
    );
  subcommand(
    root,
    'rotate-key',
    'replace the signing key; machines accept the new one since the old one signed it',
  )
    .addOption(keyOption())
    .action((_, command: Command) =>
      perform(command, { act: 'rotate-key' }, ({ id }) => `The hub signs with ${id} now.`),
    );
}

function addTransferCommands(root: Command): void {
  subcommand(root, 'export', 'write everything to a file, as JSON Lines; the signing key is not in it')
    .argument('<file>')
    .addHelpText(
      'after',
      `\nExample, from the embedded database to PostgreSQL:\n  ${NAME} export hub.jsonl\n  ${NAME} import hub.jsonl --database postgres://hub@db/hub`,
    )
    .action((file: string, _, command: Command) =>
      perform(command, { act: 'export', file: resolve(file) }, (counts) => transferReport(counts, file)),
    );
  subcommand(root, 'import', 'read a file that `export` wrote; what is known already is skipped')
    .argument('<file>')
    .action((file: string, _, command: Command) =>
      perform(command, { act: 'import', file: resolve(file) }, importReport),
    );
}

function subcommand(parent: Command, name: string, description: string): Command {
  return withPlace(parent.command(name)).description(description).option('--json', 'print JSON');
}

/** Has the hub do it, and prints the result. */
async function perform(
  command: Command,
  given: Act,
  text: (result: Record<string, unknown>) => string,
): Promise<void> {
  const options = command.optsWithGlobals<PlaceOptions & { readonly json?: boolean }>();
  const print = (line: string) => process.stdout.write(`${line}\n`);
  try {
    const result = await act(options, given);
    print(options.json ? JSON.stringify(result) : text(result as Record<string, unknown>));
  } catch (error) {
    if (options.json && error instanceof Error) print(JSON.stringify({ error: { message: error.message } }));
    throw error;
  }
}

function withPlace(command: Command): Command {
  return command
    .option('--data <directory>', "the hub's data (default: ~/.local/share/holdpoint/hub)")
    .addOption(
      new Option('--database <url>', 'a PostgreSQL instead of the embedded database').argParser(readDatabase),
    );
}

function keyOption(): Option {
  return new Option('--key <file>', "the signing key (default: hub.key in the hub's data)").argParser(
    (file) => resolve(file),
  );
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash) return text;
  throw new InvalidArgumentError('Give a URL without a path, such as https://hub.example.org.');
}

function readDatabase(text: string): string {
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('Give a URL such as postgres://user@host/database.');
}

function readName(text: string): string {
  const parsed = v.safeParse(nameSchema, text);
  if (parsed.success) return parsed.output;
  throw new InvalidArgumentError(parsed.issues[0].message);
}

/** Standard input without the final line break. */
async function readInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text.replace(/\r?\n$/, '');
}
