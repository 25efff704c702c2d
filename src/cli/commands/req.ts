import { PRESET_NAMES, PRESETS } from '../../guards/requirements/presets';
import { type Cli, command, from, group } from '../command';
import { cannotRun } from '../context';
import { table } from '../ui/output';

const checks = from(() => import('../req/checks'));
const config = from(() => import('../req/config'));
const satisfy = from(() => import('../req/satisfy'));
const stateFiles = from(() => import('../req/state-files'));

/** Shells complete its arguments with requirement names. */
function aboutRequirements(name: string, summary: string, argument: string, description: string): Cli {
  const made = command(name, summary).argument(argument, description);
  made.takesRequirements = true;
  return made;
}

function satisfyCommand(name: 'satisfy' | 'approve', summary: string): Cli {
  return aboutRequirements(name, summary, '[NAME...]', 'the requirements')
    .usage('NAME... [options]')
    .option('-s, --session <ID>', 'the session it counts for')
    .option(
      '-b, --branch [B]',
      'count on this branch: for every session, or with --session for that one; without a name, on the current branch',
    )
    .option('--ttl <SECONDS>', 'how long it counts')
    .option('-m, --metadata <JSON>', 'a JSON object to keep with it')
    .option('--force', 'record a name that no config has')
    .runs(async () => (await satisfy('satisfy')())(name));
}

function switchCommand(name: 'enable' | 'disable', summary: string): Cli {
  return aboutRequirements(name, summary, '[NAME...]', 'the requirement; without it, all of them')
    .usage('[NAME] [options]')
    .runs(async () => (await config('switchRequirement')())(name));
}

/** A command of the older program that Holdpoint does not have. */
function notPart(name: string): Cli {
  return command(name, '')
    .argument('[WORDS...]')
    .allowUnknownOption()
    .runsPlainly(async () => () => {
      throw cannotRun(
        `req ${name} is not part of Holdpoint, and nothing was done. 'req --help' shows what is.`,
      );
    });
}

/** `holdpoint req`, also installed as `req`. */
export function req(): Cli {
  const made = group('req', 'Requirements: status, satisfy, approve and more; also installed as `req`.', [
    command('status', 'Show what holds now and how to satisfy it; also what `req` alone does.')
      .option('-b, --branch <BRANCH>', 'use this branch instead of the current one')
      .option('-s, --session <SESSION>', 'the session to look at')
      .option('-v, --verbose', 'print more')
      .option('--summary', 'one line')
      .option('-t, --timing', 'also print how long it took')
      .runs(async () => (await import('../req/status')).status),
    satisfyCommand('satisfy', 'Record that requirements are satisfied.'),
    satisfyCommand('approve', 'Approve or waive requirements, as a person. The same as satisfy.'),
    aboutRequirements('clear', 'Forget that requirements were satisfied.', '[NAME...]', 'the requirements')
      .usage('NAME... | --all [options]')
      .option('-a, --all', 'all of them')
      .option('-b, --branch <BRANCH>', 'use this branch instead of the current one')
      .option('-s, --session <SESSION>', 'only what counts for this session')
      .runs(satisfy('clear')),
    command('list', 'List the branches with recorded state.')
      .option('--enabled-only', 'instead, the requirements that are on')
      .runs(stateFiles('list')),
    command('sessions', 'List the live sessions.')
      .option('--project', 'only those of this project')
      .option('--all', 'also those that have ended')
      .runs(async () => (await import('../req/find-session')).sessions),
    command('prune', 'Remove the state of deleted branches.')
      .option('--dry-run', 'show what would be removed, and remove nothing')
      .runs(stateFiles('pruneState')),
    ...pauseCommands('req'),
    command('explain', 'Show what would be decided for a tool call, and why. Changes nothing.')
      .usage('TOOL [JSON] [options]')
      .argument('[TOOL]', 'the tool, such as Edit')
      .argument('[JSON]', 'its input', '{}')
      .option('-s, --session <SESSION>', 'the session that calls it')
      .runs(async () => (await import('./explain')).explainTool),
    doctorOptions(command('doctor', 'Check that everything is in place and works.')).runs(checks('doctor')),
    command('verify', 'Run the hook on an allowed event and on a held one, in a scratch repository.')
      .option('--repo <DIR>', 'also check the hooks that are registered in this directory')
      .option('--ci', 'print only problems')
      .runs(checks('verify')),
    command('init', 'Write a first config: asks on a terminal, uses the flags elsewhere.')
      .option('-y, --yes', 'ask nothing')
      .choice('-p, --preset <NAME>', 'the rules to start with', PRESET_NAMES)
      .option('--project', "write the project's file")
      .option('--local', 'write the local file, which is not committed')
      .option('-f, --force', 'replace what is there; a backup is kept')
      .option('--preview', 'show what would be written, and write nothing')
      .option('--dry-run', 'the same as --preview')
      .addHelpText('after', presetsHelp(PRESET_NAMES, PRESETS))
      .runs(async () => (await import('../req/init')).init),
    aboutRequirements(
      'config',
      'Show the requirements in effect and their files, or change one of them.',
      '[NAME...]',
      'the requirement; without it, or with `show`, all of them',
    )
      .usage('[NAME|show] [options]')
      .option('--sources', 'show which file each value comes from')
      .option('--enable', 'turn it on')
      .option('--disable', 'turn it off')
      .option('--scope <S>', 'change its scope')
      .option('--message <T>', 'change its message')
      .list('--set <K=V>', 'change any key; repeatable')
      .option('--project', "write the project's file")
      .option('--local', 'write the local file, which is not committed')
      .option('-y, --yes', 'ask nothing')
      .runs(config('config')),
    switchCommand('enable', 'Turn the requirements, or one of them, on in the local file.'),
    switchCommand('disable', 'Turn the requirements, or one of them, off in the local file.'),
    command('messages', 'Check or list the files with your own messages.')
      .usage('[validate|list] [options]')
      .argument('[validate|list...]', 'what to do')
      .option('--fix', 'write the missing files')
      .runs(checks('messages')),
    ...['logging', 'upgrade', 'learning', 'wip', 'budget'].map(notPart),
  ]);
  made.helpWord = '--help';
  return made;
}

/** Used by both `holdpoint` and `req`. */
export function pauseCommands(program: 'holdpoint' | 'req'): Cli[] {
  const code = () => import('./pause');
  return [
    command('pause', 'Pause every rule in one session, until you resume it. For people only.')
      .option('-s, --session <ID>', 'the session; without it, the one that can be told from here')
      .option('--for <TIME>', 'end the pause after this time, such as 30m or 2h')
      .option('-r, --reason <TEXT>', 'why; shown in the log')
      .runs(async () => (await code()).pause(program)),
    command('resume', 'End a pause. For people only.')
      .option('-s, --session <ID>', 'the session; without it, the one that can be told from here')
      .runs(async () => (await code()).resume(program)),
  ];
}

/** Used by `holdpoint doctor` and `req doctor`. */
export function doctorOptions(made: Cli): Cli {
  return made
    .option('--repo <DIR>', 'check this directory')
    .option('-v, --verbose', 'print more')
    .option('--ci', 'print only problems');
}

export function presetsHelp<Name extends string>(
  names: readonly Name[],
  presets: Readonly<Record<Name, { readonly summary: string }>>,
): string {
  return ['\nPresets:', ...table(names.map((name) => [`  ${name}`, presets[name].summary]))].join('\n');
}
