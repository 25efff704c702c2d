import { type Cli, command, group } from '../command';

const inspect = () => import('../gates/inspect');

/** The options by which changes are chosen. */
function withChanges(made: Cli): Cli {
  return made
    .option('-b, --base-branch <REF>', 'what changes are counted from, in place of `base_branch`')
    .option('-c, --commit <SHA>', 'only what this commit brought')
    .option('-u, --uncommitted', 'only what no commit has');
}

function runCommand(mode: 'run' | 'check' | 'review', summary: string): Cli {
  return withChanges(command(mode, summary))
    .option('-g, --gate <NAME>', 'only this gate, at every entry point that has it')
    .option('--no-cache', 'runs again what has passed on the same files')
    .json()
    .runs(async () => (await import('../gates/run')).runGates(mode));
}

/** `holdpoint gates`, also installed as `agent-gauntlet`. */
export function gates(): Cli {
  const made = group(
    'gates',
    'Checks and reviews of what changed: run, detect, list, init; also installed as `agent-gauntlet`.',
    [
      runCommand('run', 'Runs the gates that the changes concern: checks and reviews.'),
      runCommand('check', 'The same, checks alone.'),
      runCommand('review', 'The same, reviews alone.'),
      withChanges(command('detect', 'Says what has changed and which gates would run. Runs none.'))
        .json()
        .runs(async () => (await import('../gates/run')).detect),
      command('list', 'Lists the gates and the entry points.')
        .json()
        .runs(async () => (await inspect()).list),
      command('health', 'Looks at the config files and at the reviewers.')
        .json()
        .runs(async () => (await inspect()).health),
      command('validate', 'Says whether the config is valid, and where it is not.')
        .json()
        .runs(async () => (await inspect()).validate),
      command('clean', 'Archives the logs and forgets the session: the next run is a first one.')
        .json()
        .runs(async () => (await inspect()).clean),
      command('init', 'Writes a first config: on a terminal it asks, elsewhere flags decide.')
        .option('-y, --yes', 'asks nothing: all reviewers that are found, the whole project, no checks')
        .option('--source <DIR>', 'the directory whose changes the gates are for')
        .option('--lint <CMD>', 'a check `lint`')
        .option('--test <CMD>', 'a check `unit-tests`')
        .option(
          '--stop-hook',
          'lets Claude Code call the gates at the end of a turn, by an entry in .claude/settings.local.json; also for a project that has gates already',
        )
        .json()
        .runs(async () => (await import('../gates/init')).init),
      group('ci', 'The checks on a build server: init, list-jobs.', [
        command('init', 'Writes a workflow for GitHub Actions, and a first ci.yml.')
          .json()
          .runs(async () => (await import('../gates/ci')).init),
        command('list-jobs', 'Prints the jobs of the workflow as one line of JSON.')
          .json()
          .runs(async () => (await import('../gates/ci')).listJobs),
      ]),
      // The launcher handles the event before the command line is loaded.
      command('stop-hook', 'Decides the end of a turn: JSON on standard input, one line of JSON out.'),
    ],
  );
  made.unknown = (name) => `error: unknown command '${name}'.`;
  return made;
}
