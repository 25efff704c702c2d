import { type Cli, command, from, group, unknownCommand } from '../command';

const code = from(() => import('./hub'));

/** `holdpoint join`, `leave` and `hub`. Commands about the hub itself go to its own program, `holdpoint-hub`. */
export function hubCommands(): Cli[] {
  const below = [
    command(
      'status',
      'Show whether this machine has joined a hub, and whether the hub knows everything.',
    ).runs(code('status')),
    command('sync', 'Send and receive once, for all projects of this machine.').runs(code('sync')),
    forwardedCommand('user', 'Add, list or remove people.', 'add NAME | list | remove NAME')
      .option('--role <ROLE>', 'viewer, approver or admin')
      .option('--passphrase-stdin', 'read the passphrase from standard input'),
    forwardedCommand('invite', 'Print the line by which another machine joins.').option(
      '--name <NAME>',
      'what the hub calls the machine',
    ),
    forwardedCommand('machines', 'List the machines that have joined.'),
    forwardedCommand('revoke', 'End the token of a machine.', 'MACHINE'),
    forwardedCommand('rotate-key', 'Replace the key that signs approvals.').option(...KEY),
    forwardedCommand('export', 'Write everything the hub knows to a file.', 'FILE'),
    forwardedCommand('import', 'Import a file written by `hub export`.', 'FILE'),
  ];
  const hub = group(
    'hub',
    'Start a hub: a page where you see your agents and approve what only a person may.',
    below,
  )
    .usage('[COMMAND] [options]')
    .option('--port <PORT>', 'listen on this port (4610)')
    .option('--host <NAME>', 'listen on this address (localhost)')
    .option('--data <DIR>', 'keep the embedded database here')
    .option('--database <URL>', 'use this PostgreSQL instead')
    .option(...KEY)
    .option('--public-url <URL>', 'the address by which browsers and machines reach it')
    .runsPlainly(async () => {
      const { start } = await import('./hub');
      return (context, _options, [word]) => {
        if (word !== undefined) throw unknownCommand(hub, word);
        return start(context);
      };
    });
  return [
    command('join', 'Join this machine to a hub, whose approvals then count here. For people only.')
      .usage('URL CODE [options]')
      .argument('[URL]', 'the address of the hub')
      .argument('[CODE]', 'the code of an invitation')
      .option('--name <NAME>', 'what the hub calls this machine. Default: its host name')
      .runs(async () => (await import('./join')).join),
    command('leave', 'Leave the hub. Rules that only it can approve stay held. For people only.').runs(
      async () => (await import('./join')).leave,
    ),
    hub,
  ];
}

const KEY = ['--key <FILE>', 'the key that signs approvals'] as const;

/** A command that `holdpoint-hub` carries out, and whose arguments it checks; `usage` shows them. */
function forwardedCommand(name: string, summary: string, usage = ''): Cli {
  return command(name, summary)
    .usage(`${usage} [options]`.trimStart())
    .argument('[WORDS...]')
    .option('--data <DIR>', 'where the hub keeps its data')
    .option('--database <URL>', 'the PostgreSQL of the hub')
    .allowUnknownOption()
    .runs(code('forwardToHub'));
}
