import { PRESET_NAMES, PRESETS } from '../../guards/requirements/presets';
import { type Cli, command, group } from '../command';
import { table } from '../ui/output';
import { cannotRun } from '../ui/refusal';

const checks = () => import('../req/checks');
const config = () => import('../req/config');
const satisfy = () => import('../req/satisfy');
const stateFiles = () => import('../req/state-files');

/** A command whose arguments are names of requirements. */
function aboutRequirements(name: string, summary: string, argument: string, description: string): Cli {
  const made = command(name, summary).argument(argument, description);
  made.takesRequirements = true;
  return made;
}

function satisfyCommand(name: 'satisfy' | 'approve', summary: string): Cli {
  return aboutRequirements(name, summary, '[NAME...]', 'the requirements')
    .usage('NAME... [options]')
    .option('-s, --session <ID>', 'the session for which it counts')
    .option('-b, --branch [B]', 'counts for every session of this branch; without a name, the current one')
    .option('--ttl <SECONDS>', 'how long it counts')
    .option('-m, --metadata <JSON>', 'a JSON object that is kept with it')
    .option('--force', 'records also a name that no config has')
    .json()
    .runs(async () => (await satisfy()).satisfy(name));
}

function switchCommand(name: 'enable' | 'disable', summary: string): Cli {
  return aboutRequirements(name, summary, '[NAME...]', 'the requirement; without it, all of them')
    .usage('[NAME] [options]')
    .json()
    .runs(async () => (await config()).switchRequirement(name));
}

/** A command of the older program that has no counterpart here. */
function notPart(name: string): Cli {
  return command(name, '')
    .argument('[WORDS...]')
    .allowUnknownOption()
    .runs(async () => () => {
      throw cannotRun(
        `req ${name} is not part of Holdpoint, and nothing was done. 'req --help' shows what is.`,
      );
    });
}

/** `holdpoint req`, also installed as `req`. */
export function req(): Cli {
  const made = group('req', 'Requirements: status, satisfy, pause, init and more; also installed as `req`.', [
    command('status', 'Shows what holds now and what clears it; also what `req` alone does.')
      .option('-b, --branch <BRANCH>', 'in place of the current branch')
      .option('-s, --session <SESSION>', 'the session to look at')
      .option('-v, --verbose', 'says more')
      .option('--summary', 'one line')
      .json()
      .runs(async () => (await import('../req/status')).status),
    satisfyCommand('satisfy', 'Records that requirements are satisfied.'),
    satisfyCommand('approve', 'Approves requirements: the same as `satisfy`, in the word for a person.'),
    aboutRequirements('clear', 'Forgets that requirements were satisfied.', '[NAME...]', 'the requirements')
      .usage('NAME... | --all [options]')
      .option('-a, --all', 'all of them')
      .option('-b, --branch <BRANCH>', 'in place of the current branch')
      .option('-s, --session <SESSION>', 'only what counts for this session')
      .json()
      .runs(async () => (await satisfy()).clear),
    command('list', 'Lists the branches for which something was recorded.')
      .json()
      .runs(async () => (await stateFiles()).list),
    command('sessions', 'Lists the live sessions.')
      .option('--project', 'only those of this project')
      .option('--all', 'also those that have ended')
      .json()
      .runs(async () => (await import('../req/find-session')).sessions),
    command('prune', 'Removes the state of branches that are gone.')
      .option('--dry-run', 'says what would be removed, and removes nothing')
      .json()
      .runs(async () => (await stateFiles()).pruneState),
    ...pauseCommands('req'),
    command('explain', 'Says what would be decided for a tool call, and why. Changes nothing.')
      .usage('TOOL [JSON] [options]')
      .argument('[TOOL]', 'the tool, such as Edit')
      .argument('[JSON]', 'its input', '{}')
      .option('-s, --session <SESSION>', 'the session that calls it')
      .json()
      .runs(async () => (await import('./explain')).explainTool),
    doctorOptions(command('doctor', 'Checks that everything is in place and works.')).runs(
      async () => (await checks()).doctor,
    ),
    command('verify', 'Lets the hook answer a harmless event and a forbidden one, in a scratch repository.')
      .option('--ci', 'prints only what is wrong')
      .json()
      .runs(async () => (await checks()).verify),
    command('init', 'Writes a first config: on a terminal it asks, elsewhere flags decide.')
      .option('-y, --yes', 'asks nothing')
      .choice('-p, --preset <NAME>', 'what the config begins with', PRESET_NAMES)
      .option('--project', "writes the project's file")
      .option('--local', 'writes the file that is not committed')
      .option('-f, --force', 'replaces what is there; a copy is kept')
      .option('--preview', 'shows what would be written, and writes nothing')
      .option('--dry-run', 'the same as --preview')
      .json()
      .addHelpText('after', presetsHelp(PRESET_NAMES, PRESETS))
      .runs(async () => (await import('../req/init')).init),
    aboutRequirements(
      'config',
      'Shows what is in force and which file says so, or changes one requirement.',
      '[NAME...]',
      'the requirement; without it, or with `show`, all of them',
    )
      .usage('[NAME|show] [options]')
      .option('--sources', 'says which file each value comes from')
      .option('--enable', 'switches it on')
      .option('--disable', 'switches it off')
      .option('--scope <S>', 'changes its scope')
      .option('--message <T>', 'changes its message')
      .list('--set <K=V>', 'changes any key; may be given again')
      .option('--project', "writes the project's file")
      .option('--local', 'writes the file that is not committed')
      .option('-y, --yes', 'asks nothing')
      .json()
      .runs(async () => (await config()).config),
    switchCommand('enable', 'Switches the requirements, or one of them, on in the local file.'),
    switchCommand('disable', 'Switches the requirements, or one of them, off in the local file.'),
    command('messages', 'Checks or lists the files with words of your own.')
      .usage('[validate|list] [options]')
      .argument('[validate|list...]', 'what to do')
      .option('--fix', 'writes the files that are missing')
      .json()
      .runs(async () => (await checks()).messages),
    ...['logging', 'upgrade', 'learning', 'wip', 'budget'].map(notPart),
  ]);
  made.helpWord = '--help';
  return made;
}

/** `pause` and `resume`, the same below `holdpoint` and below `req`. */
export function pauseCommands(program: 'holdpoint' | 'req'): Cli[] {
  const code = () => import('./pause');
  return [
    command('pause', 'Pauses every rule in one session, until you resume it. For people only.')
      .option('-s, --session <ID>', 'the session; without it, the one that can be told from here')
      .option('--for <TIME>', 'ends the pause after this time, such as 30m or 2h')
      .option('-r, --reason <TEXT>', 'why; shown in the log')
      .json()
      .addHelpText('after', `\nExample:\n  ${program} pause --for 30m --reason "release night"`)
      .runs(async () => (await code()).pause(program)),
    command('resume', 'Ends a pause. For people only.')
      .option('-s, --session <ID>', 'the session; without it, the one that can be told from here')
      .json()
      .addHelpText('after', `\nExample:\n  ${program} resume`)
      .runs(async () => (await code()).resume(program)),
  ];
}

/** The options of both doctors. */
export function doctorOptions(made: Cli): Cli {
  return made
    .option('--repo <DIR>', 'looks at this directory')
    .option('-v, --verbose', 'says more')
    .option('--ci', 'prints only what is wrong')
    .json();
}

/** The presets of an `init`, for its help. */
export function presetsHelp<Name extends string>(
  names: readonly Name[],
  presets: Readonly<Record<Name, { readonly summary: string }>>,
): string {
  return ['\nPresets:', ...table(names.map((name) => [`  ${name}`, presets[name].summary]))].join('\n');
}
