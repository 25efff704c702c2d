import { Argument } from 'commander';
import { HOST_NAMES } from '../../core/host-name';
import { type Cli, command, group } from '../command';
import { PRESET_NAMES, PRESETS } from '../init/config-text';
import { flow } from './flow';
import { gates } from './gates';
import { loop } from './loop';
import { doctorOptions, presetsHelp, req } from './req';

const ONLY = 'only these guards or rules of the workflow, with commas between';

export function holdpoint(): Cli {
  const shells = new Argument('[SHELL...]', 'the shell');
  shells.argChoices = ['bash', 'zsh', 'fish'];
  const made = group(
    'holdpoint',
    'Holdpoint gives coding agents hold points: steps that work may not pass until it is shown right.',
    [
      command('version', 'Prints the version.')
        .json()
        .runs(async () => ({ out }, { json }: { json: boolean }) => {
          if (json) out.json({ version: __VERSION__ });
          else out.line(__VERSION__);
          return 0;
        }),
      command('init', 'Sets a project up: finds its checks and agents, writes a config, installs the hooks.')
        .option('-y, --yes', 'asks nothing and writes; needed where there is no terminal')
        .list(
          '--host <NAME>',
          'the agent that is to be held; may be given again. Without it: those in use',
          HOST_NAMES,
        )
        .choice('--preset <NAME>', 'what the config begins with', PRESET_NAMES)
        .option('--dry-run', 'shows every file that would be written, and writes none')
        .option('--no-install', 'write only the config; run `holdpoint install` later')
        .option(
          '--no-permissions',
          'do not add the permission that lets an agent run `req satisfy` without a dialog',
        )
        .option('--no-statusline', 'do not set up the status line')
        .json()
        .addHelpText('after', presetsHelp(PRESET_NAMES, PRESETS))
        .runs(async () => (await import('./init')).init),
      // The launcher handles the event before the command line is loaded.
      command('hook', 'Decides one event of a host: JSON on standard input, at most one JSON document out.')
        .choice('--host <NAME>', 'the host that sends the event', HOST_NAMES)
        .option('--only <GUARD,…>', ONLY),
      req(),
      loop(),
      flow(),
      gates(),
      command(
        'status',
        'Shows everything at a glance: guards, requirements, sessions, trouble, recent decisions.',
      )
        .option('--watch', 'draws it again every second')
        .json()
        .runs(async () => (await import('./status')).status),
      command(
        'statusline',
        "Prints one short line for the host's status line: armed or not and why, and what is open.",
      )
        // A host may call it with anything, and must not be shown an error in place of the line.
        .argument('[IGNORED...]')
        .allowUnknownOption()
        .addHelpText(
          'after',
          '\nReads the JSON document that Claude Code gives its status line on standard input. In settings:\n  "statusLine": { "type": "command", "command": "holdpoint statusline" }',
        )
        .runs(async () => (await import('./statusline')).statusline),
      command('log', 'Shows the journal: every decision that spoke, changed something or failed.')
        .option('-n, --count <COUNT>', 'how many decisions', '20')
        .option('-f, --follow', 'goes on with what is decided from now on')
        .json()
        .runs(async () => (await import('./log')).log),
      command(
        'why',
        'Explains one decision by its id: guard, rule, config line, what clears it, who may waive it.',
      )
        .usage('ID [options]')
        .argument('[ID]', 'it may be cut short as long as it means one decision')
        .json()
        .runs(async () => (await import('./log')).why),
      command('explain', 'Says what would be decided for an event, and why. Changes nothing.')
        .usage('FILE|- [options]')
        .argument('[FILE]', 'the event as JSON, or - to read it from standard input')
        .choice('--host <NAME>', 'the host that would send it', HOST_NAMES)
        .option('--only <GUARD,…>', ONLY)
        .json()
        .runs(async () => (await import('./explain')).explain),
      command('config', 'Prints the effective config; with --sources, where each value came from.')
        .option('--sources', 'says which file each value comes from')
        .json()
        .runs(async () => (await import('./config')).config),
      command('install', 'Adds our entries to the settings of the hosts in use; touches no other byte.')
        .list(
          '--host <NAME>',
          'for this host; may be given again. Without it: the hosts in use here',
          HOST_NAMES,
        )
        .option('--user', 'into your own settings, for all projects')
        .option('--local', 'into the settings of this project that are yours alone')
        .option('--dry-run', 'shows a diff and writes nothing')
        .option('--replace', 'entries of older programs, and lines written by hand, make room for ours')
        .option('--fail-closed', 'lets the host refuse when Holdpoint itself fails, where it can')
        .option(
          '--resident',
          'has a server answer events, so that not every one starts Node; without it, none does',
        )
        .json()
        .runs(async () => (await import('./install')).install),
      command('uninstall', 'Takes our entries out again, and gives back what was there before.')
        .list('--host <NAME>', 'only for this host; may be given again', HOST_NAMES)
        .option('--user', 'from your own settings, which apply to all projects')
        .option('--local', 'from your own settings for this project')
        .option(
          '--purge',
          'also remove state, log, config and backups of this project; with --user, ~/.config/holdpoint too',
        )
        .option('-y, --yes', 'ask nothing')
        .option('--dry-run', 'show what would be removed, and change nothing')
        .json()
        .runs(async () => (await import('./install')).uninstall),
      doctorOptions(
        command('doctor', 'Checks the installation, and proves that a known-bad event is held.'),
      ).runs(async () => (await import('./doctor')).doctor),
      command(
        'serve',
        'Keeps the hook started, for hosts with many tool calls: events are answered in a millisecond.',
      )
        .option('--idle <SECONDS>', 'ends after so long without an event (900)')
        .option('--foreground', 'stays in the terminal and says what it does')
        .option('--status', 'says whether a server runs, and what it has done')
        .option('--stop', 'ends it, also one that does not answer any more')
        .json()
        .runs(async () => (await import('./serve')).serve),
      command('schema', "Prints the config's JSON Schema, for editors.")
        .option('--json', 'changes nothing: it is JSON anyway')
        .runs(async () => (await import('./config')).schema),
      command('completion', 'Prints what makes a shell complete the commands: bash, zsh, fish.')
        .usage('bash|zsh|fish [options]')
        .addArgument(shells)
        .json()
        .addHelpText(
          'after',
          `
  bash   echo 'eval "$(holdpoint completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(holdpoint completion zsh)"' >> ~/.zshrc, behind compinit
  fish   holdpoint completion fish > ~/.config/fish/completions/holdpoint.fish`,
        )
        .runs(async () => (await import('./completion')).completion),
      command('try', 'Shows an agent held and released, in a scratch repository, through the real hook.')
        .option('--keep', 'leaves the scratch repository')
        .addHelpText(
          'after',
          '\nWith HOLDPOINT_TRY_CLIENT=/path/to/claude it is played in the real Claude Code, cut off from the network.',
        )
        .runs(async () => (await import('./try')).tryOut),
    ],
  );
  made.option('--version', 'prints the version');
  made.addHelpText(
    'after',
    "\n'holdpoint help COMMAND' says more. New here? 'holdpoint try' shows an agent held and released.",
  );
  return made;
}
