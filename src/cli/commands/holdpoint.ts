import { Argument } from 'commander';
import { HOST_NAMES } from '../../core/host-name';
import { type Cli, command, group } from '../command';
import { report } from '../context';
import { PRESET_NAMES, PRESETS } from '../init/presets';
import { flow } from './flow';
import { gates } from './gates';
import { hubCommands } from './hub-commands';
import { loop } from './loop';
import { doctorOptions, pauseCommands, presetsHelp, req } from './req';
import { rules } from './rules-commands';

function answerCommand(verdict: 'approve' | 'reject', summary: string, session: string, note: string): Cli {
  return command(verdict, summary)
    .usage('[NAME...] [options]')
    .argument('[NAME...]', 'the rules; without one, the only one that waits')
    .option('-s, --session <ID>', session)
    .option('--note <TEXT>', note)
    .runs(async () => (await import('./approve')).answer(verdict));
}

const ONLY = 'only these disciplines or workflow rules, separated by commas';

export function holdpoint(): Cli {
  const shells = new Argument('[SHELL...]', 'the shell');
  shells.argChoices = ['bash', 'zsh', 'fish'];
  const made = group('holdpoint', 'Holdpoint holds coding agents until the steps in your config are done.', [
    command('version', 'Print the version.').runs(
      async () => (context) => report(context, { version: __VERSION__ }, [__VERSION__]),
    ),
    command('init', 'Set up a project: find its checks and agents, write a config, install the hooks.')
      .option('-y, --yes', 'ask nothing and write; needed where there is no terminal')
      .list('--host <NAME>', 'set up this agent; repeatable. Default: those in use here', HOST_NAMES)
      .choice('--preset <NAME>', 'the rules to start with', PRESET_NAMES)
      .option('--shadow', 'every rule of the preset only records what it would hold, until you promote it')
      .option('--dry-run', 'show every file that would be written, and write nothing')
      .option('--no-install', 'write only the config; run `holdpoint install` later')
      .option(
        '--no-permissions',
        'do not add the permission that lets an agent run `req satisfy` without a dialog',
      )
      .option('--no-statusline', 'do not set up the status line')
      .addHelpText('after', presetsHelp(PRESET_NAMES, PRESETS))
      .runs(async () => (await import('./init')).init),
    // The launcher handles the event without loading the command line.
    command('hook', 'Decide one event of a host: JSON on standard input, at most one JSON document out.')
      .choice('--host <NAME>', 'the host that sends the event', HOST_NAMES)
      .option('--only <GUARD,…>', ONLY),
    req(),
    loop(),
    flow(),
    gates(),
    command(
      'status',
      'Show whether Holdpoint is on and why not, what is held and what satisfies it, recent decisions.',
    )
      .option('--watch', 'stay open and repaint, until Ctrl-C')
      .runs(async () => (await import('./status')).status),
    ...pauseCommands('holdpoint'),
    answerCommand(
      'approve',
      'Approve what waits for a person. Only in a terminal of your own.',
      'the session it counts for',
      'a note to keep with it',
    ),
    answerCommand(
      'reject',
      'Say no to what waits for a person. The agent reads the note at its next attempt.',
      'the session it is about',
      'what the agent should know',
    ),
    command('waiting', 'List what waits for a person.').runs(async () => (await import('./approve')).waiting),
    command('trust', 'Show what changed in config and settings while an agent worked, and accept it.')
      .option('--accept', 'accept the change; for people only')
      .runs(async () => (await import('./trust')).trust),
    ...hubCommands(),
    command(
      'statusline',
      "Print one short line for the host's status line: on or off and why, and what is open.",
    )
      // A host may pass any arguments, and must never see an error instead of the line.
      .argument('[IGNORED...]', 'accepted and ignored')
      .allowUnknownOption()
      .addHelpText(
        'after',
        '\nReads the JSON document that Claude Code gives its status line on standard input. In settings:\n  "statusLine": { "type": "command", "command": "holdpoint statusline" }',
      )
      .runsPlainly(async () => (await import('./statusline')).statusline),
    command('log', 'Show the log: what was held, satisfied, changed or went wrong.')
      .option('-n, --count <COUNT>', 'the newest COUNT entries (20; with --since all)')
      .option('--since <WHEN>', 'from then on: 30m, 2h, 7d, 14:00, 2026-03-31')
      .option('--session <ID>', 'only this session; the beginning of its id is enough')
      .option('--rule <NAME>', 'only this rule, or a whole discipline such as gates')
      .option('--held', 'only holds')
      .option('--all', 'bookkeeping too, such as registered sessions')
      .option('-f, --follow', 'keep running and show new entries')
      .option('--json', 'print JSON, one document a line')
      .runsPlainly(async () => (await import('./log')).log),
    command(
      'why',
      'Explain a decision: the rule, its config line, what to do, who may waive it, what became of it.',
    )
      .usage('[ID] [options]')
      .argument('[ID]', 'the decision, by the beginning of its id; without it, the latest hold')
      .option('--session <ID>', 'only decisions of this session')
      .runs(async () => (await import('./log')).why),
    command('stats', 'Show how often each rule was asked, held and warned, and how its holds ended.')
      .option('--since <WHEN>', 'from then on: 24h, 30d, 2026-03-31 (30d)')
      .option('--rule <NAME>', 'only this rule, or a whole discipline such as gates')
      .runs(async () => (await import('./stats')).stats),
    command('mark', 'Say whether a hold or a warning was right. The statistics count it.')
      .usage('ID false-alarm|right [options]')
      .argument('[ID]', 'the decision, by the beginning of its id')
      .argument('[MARK]', 'false-alarm or right')
      .runs(async () => (await import('./mark')).mark),
    rules(),
    command('explain', 'Show what would be decided for an event, and why. Changes nothing.')
      .usage('FILE|- [options]')
      .argument('[FILE]', 'the event as JSON, or - to read it from standard input')
      .choice('--host <NAME>', 'the host that would send it', HOST_NAMES)
      .option('--only <GUARD,…>', ONLY)
      .runs(async () => (await import('./explain')).explain),
    group('record', 'Keep the events of sessions, with secrets masked, to replay them later.', [
      command('on', 'Start a recording; names the file it writes.')
        .option('-s, --session <ID>', 'only this session')
        .runs(async () => (await import('./record')).recordOn),
      command('off', 'End the recording. For people only.').runs(
        async () => (await import('./record')).recordOff,
      ),
    ]),
    command('replay', "Show what today's rules decide for recorded events; exit 1 where that differs.")
      .usage('FILE... [options]')
      .argument('[FILE...]', 'recordings')
      .runs(async () => (await import('./replay')).replay),
    command('backtest', 'Play past sessions through the rules as they are now: what each would have held.')
      .list('--rules <FILE...>', 'also the rules in these files')
      .option('--transcripts <PATH>', "transcripts in this directory, or this one, not the agents' own")
      .option('--since <WHEN>', 'only what happened from then on: 30m, 2h, 7d, 14:00, 2026-03-31')
      .option('--compare <REF>', 'beside it, what the config of this commit would have held')
      .option('--all', 'sessions of every project, not only of this one')
      .runs(async () => (await import('./backtest')).backtest),
    command('config', 'Print the config in effect; with --sources, where each value comes from.')
      .option('--sources', 'show which file each value comes from')
      .runs(async () => (await import('./config')).config),
    command('install', "Add the hooks to your agents' settings, and touch nothing else.")
      .list('--host <NAME>', 'for this agent; repeatable. Default: those in use here', HOST_NAMES)
      .option('--user', 'in your own settings, for all projects')
      .option('--local', 'in your own settings for this project')
      .option('--dry-run', 'show a diff and write nothing')
      .option('--replace', 'replace entries of older programs and lines written by hand')
      .option('--fail-closed', 'hold the agent if Holdpoint itself fails, where the host can')
      .option('--resident', 'let a server answer events, so that not every event starts Node')
      .runs(async () => (await import('./install')).install),
    command('uninstall', 'Remove the hooks and restore what was there before.')
      .list('--host <NAME>', 'only for this agent; repeatable', HOST_NAMES)
      .option('--user', 'from your own settings, which apply to all projects')
      .option('--local', 'from your own settings for this project')
      .option(
        '--purge',
        'also remove state, log, config and backups of this project; with --user, ~/.config/holdpoint too',
      )
      .option('-y, --yes', 'ask nothing')
      .option('--dry-run', 'show what would be removed, and change nothing')
      .runs(async () => (await import('./install')).uninstall),
    doctorOptions(command('doctor', 'Check the installation, and verify that a test event is held.')).runs(
      async () => (await import('./doctor')).doctor,
    ),
    command('serve', 'Run a server that answers events in a millisecond, for agents with many tool calls.')
      .option('--idle <SECONDS>', 'stop after this long without an event (900)')
      .option('--foreground', 'stay in the terminal and print what it does')
      .option('--status', 'say whether a server is running, and what it has done')
      .option('--stop', 'stop the server, even if it no longer answers')
      .runs(async () => (await import('./serve')).serve),
    command('schema', 'Print the JSON Schema of the config, for editors.').runs(
      async () => (await import('./config')).schema,
    ),
    command('completion', 'Print the completion script for bash, zsh or fish.')
      .usage('bash|zsh|fish [options]')
      .addArgument(shells)
      .addHelpText(
        'after',
        `
  bash   echo 'eval "$(holdpoint completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(holdpoint completion zsh)"' >> ~/.zshrc, after compinit
  fish   holdpoint completion fish > ~/.config/fish/completions/holdpoint.fish`,
      )
      .runs(async () => (await import('./completion')).completion),
    command(
      'try',
      'Run init in a scratch repository, and show an agent held and released, through the real hook.',
    )
      .option('--keep', 'keep the scratch repository')
      .runsPlainly(async () => (await import('./try')).tryOut),
  ]);
  made.option('--version', 'print the version');
  made.addHelpText(
    'after',
    "\n'holdpoint help COMMAND' shows the help of a command. New here? 'holdpoint try' shows an agent held and released.",
  );
  return made;
}
