import { resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import * as v from 'valibot';
import { nameSchema } from '../people/accounts.js';
import { act, dataOf, type PlaceOptions } from './place.js';
import { importReport, machineTable, peopleTable, transferReport } from './print.js';
import { serve } from './serve.js';

interface Given extends PlaceOptions {
  readonly json?: boolean;
}

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
  root.action(async (given: Given & { port: number; host: string; publicUrl?: string }) => {
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
  withPlace(user.command('add'))
    .description('add a person, with a passphrase or by a one-time link')
    .argument('<name>', 'what they sign in with', readName)
    .addOption(new Option('--role <role>').choices(['viewer', 'approver', 'admin']).default('viewer'))
    .option('--passphrase-stdin', 'read the passphrase from standard input')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nExample:\n  printf %s "$PASSPHRASE" | ${NAME} user add ada --role admin --passphrase-stdin`,
    )
    .action(async (name: string, _: unknown, command: Command) => {
      const given = command.optsWithGlobals<Given & { role: string; passphraseStdin?: boolean }>();
      const passphrase = given.passphraseStdin ? await readInput() : null;
      const made = await act(given, { act: 'user add', name, role: given.role, passphrase });
      print(given, made, ({ setup }) =>
        setup === undefined
          ? `Added ${name} as ${given.role}.`
          : `Send this link to ${name}. It works once, for 24 hours:\n${setup}`,
      );
    });
  withPlace(user.command('list'))
    .description('list the people who may sign in')
    .option('--json', 'print JSON')
    .action(async (_: unknown, command: Command) => {
      const given = command.optsWithGlobals<Given>();
      print(given, await act(given, { act: 'user list' }), peopleTable);
    });
  withPlace(user.command('remove'))
    .description('remove a person and end their sign-ins')
    .argument('<name>')
    .option('--json', 'print JSON')
    .action(async (name: string, _: unknown, command: Command) => {
      const given = command.optsWithGlobals<Given>();
      print(given, await act(given, { act: 'user remove', name }), (gone) => `Removed ${gone['name']}.`);
    });
}

function addMachineCommands(root: Command): void {
  withPlace(root.command('invite'))
    .description('print the line by which another machine joins')
    .addOption(new Option('--name <machine>', 'the name that the machine gets').argParser(readName))
    .option('--json', 'print JSON: {"url","code"}')
    .action(async (_: unknown, command: Command) => {
      const given = command.optsWithGlobals<Given & { name?: string }>();
      const made = await act(given, { act: 'invite', name: given.name ?? null });
      print(given, made, ({ url, code }) => `holdpoint join ${url} ${code}`);
    });
  withPlace(root.command('machines'))
    .description('list the machines that have joined')
    .option('--json', 'print JSON')
    .action(async (_: unknown, command: Command) => {
      const given = command.optsWithGlobals<Given>();
      print(given, await act(given, { act: 'machines' }), machineTable);
    });
  withPlace(root.command('revoke'))
    .description('shut a machine out: its token is worthless from now on')
    .argument('<machine>', 'its name or id')
    .option('--json', 'print JSON')
    .action(async (machine: string, _: unknown, command: Command) => {
      const given = command.optsWithGlobals<Given>();
      print(given, await act(given, { act: 'revoke', machine }), ({ name }) => `Revoked ${name}.`);
    });
  withPlace(root.command('rotate-key'))
    .description('replace the signing key; machines accept the new one since the old one signed it')
    .addOption(keyOption())
    .option('--json', 'print JSON')
    .action(async (_: unknown, command: Command) => {
      const given = command.optsWithGlobals<Given>();
      print(given, await act(given, { act: 'rotate-key' }), ({ id }) => `The hub signs with ${id} now.`);
    });
}

function addTransferCommands(root: Command): void {
  withPlace(root.command('export'))
    .description('write everything to a file, as JSON Lines; the signing key is not in it')
    .argument('<file>')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nExample, from the embedded database to PostgreSQL:\n  ${NAME} export hub.jsonl\n  ${NAME} import hub.jsonl --database postgres://hub@db/hub`,
    )
    .action(async (file: string, _: unknown, command: Command) => {
      const given = command.optsWithGlobals<Given>();
      const done = await act(given, { act: 'export', file: resolve(file) });
      print(given, done, (counts) => transferReport(counts, file));
    });
  withPlace(root.command('import'))
    .description('read a file that `export` wrote; what is known already is skipped')
    .argument('<file>')
    .option('--json', 'print JSON')
    .action(async (file: string, _: unknown, command: Command) => {
      const given = command.optsWithGlobals<Given>();
      const done = await act(given, { act: 'import', file: resolve(file) });
      print(given, done, importReport);
    });
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

function print(given: Given, result: object, text: (result: Record<string, unknown>) => string): void {
  const record = result as Record<string, unknown>;
  process.stdout.write(`${given.json ? JSON.stringify(result) : text(record)}\n`);
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
