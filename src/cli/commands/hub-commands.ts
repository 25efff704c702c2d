import { type Cli, command, from, group } from '../command';

const code = from(() => import('./hub'));

/** `holdpoint join`, `leave` and `hub`. Commands about the hub itself go to its own program, `holdpoint-hub`. */
export function hubCommands(): Cli[] {
  const below = [
    command(
      'status',
      'Show whether this machine has joined a hub, and whether the hub knows everything.',
    ).runs(code('status')),
    command('sync', 'Send and receive once, for all projects of this machine.').runs(code('sync')),
    forwardedCommand('user', 'Add, list or remove people.')
      .option('--role <ROLE>', 'viewer, approver or admin')
      .option('--passphrase-stdin', 'read the passphrase from standard input'),
    forwardedCommand('invite', 'Print the line by which another machine joins.').option(
      '--name <NAME>',
      'what the hub calls the machine',
    ),
    forwardedCommand('machines', 'List the machines that have joined.'),
    forwardedCommand('revoke', 'End the token of a machine.'),
    forwardedCommand('rotate-key', 'Replace the key that signs approvals.'),
    forwardedCommand('export', 'Write everything the hub knows to a file.'),
    forwardedCommand('import', 'Read such a file.'),
  ];
  const hub = group(
    'hub',
    'Start a hub: a page that shows your agents and approves what only a person may.',
    below,
  )
    .usage('[COMMAND] [options]')
    // Words after a subcommand's name are its own arguments, not those of `hub`.
    .enablePositionalOptions()
    .option('--port <PORT>', 'listen on this port (4610)')
    .option('--host <NAME>', 'listen on this address (localhost)')
    .option('--data <DIR>', 'keep the embedded database here')
    .option('--database <URL>', 'use this PostgreSQL instead')
    .option('--key <FILE>', 'the key that signs approvals')
    .option('--public-url <URL>', 'the address by which browsers and machines reach it')
    .runs(code('start'));
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

function forwardedCommand(name: string, summary: string): Cli {
  return command(name, summary)
    .argument('[WORDS...]', 'as `holdpoint-hub` takes them')
    .allowUnknownOption()
    .runs(code('forwardToHub'));
}
