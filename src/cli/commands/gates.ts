import { type Cli, command, from, group } from '../command';

const inspect = from(() => import('../gates/inspect'));

/** The options that select the changes. */
function withChanges(made: Cli): Cli {
  return made
    .option('-b, --base-branch <REF>', 'compare with this ref instead of `base_branch`')
    .option('-c, --commit <SHA>', 'only the changes of this commit')
    .option('-u, --uncommitted', 'only uncommitted changes');
}

function runCommand(mode: 'run' | 'check' | 'review', summary: string): Cli {
  return withChanges(command(mode, summary))
    .option('-g, --gate <NAME>', 'only this gate, at every entry point that has it')
    .option('--no-cache', 'run again what already passed on the same files')
    .runs(async () => (await import('../gates/run')).runGates(mode));
}

/** `holdpoint gates`, also installed as `agent-gauntlet`. */
export function gates(): Cli {
  const made = group(
    'gates',
    'Checks and reviews of what changed: run, detect, list, init; also installed as `agent-gauntlet`.',
    [
      runCommand('run', 'Run the checks and reviews for what changed.'),
      runCommand('check', 'Run only the checks.'),
      runCommand('review', 'Run only the reviews.'),
      withChanges(
        command('detect', 'Show what changed and which gates would run, without running them.'),
      ).runs(async () => (await import('../gates/run')).detect),
      command('list', 'List the gates and the entry points.').runs(inspect('list')),
      command('health', 'Check the config files and the reviewers.').runs(inspect('health')),
      command('validate', 'Validate the config.').runs(inspect('validate')),
      command('clean', 'Archive the logs and start over: the next run is a first one.').runs(
        inspect('clean'),
      ),
      command('init', 'Write a first config: asks on a terminal, uses the flags elsewhere.')
        .option('-y, --yes', 'ask nothing: all reviewers found, the whole project, no checks')
        .option('--source <DIR>', 'the directory whose changes the gates are for')
        .option('--lint <CMD>', 'a check `lint`')
        .option('--test <CMD>', 'a check `unit-tests`')
        .option(
          '--stop-hook',
          'let Claude Code call the gates at the end of a turn, by an entry in .claude/settings.local.json; also for a project that has gates already',
        )
        .runs(async () => (await import('../gates/init')).init),
      group('ci', 'Checks in CI: init, list-jobs.', [
        command('init', 'Write a workflow for GitHub Actions and a first ci.yml.').runs(
          async () => (await import('../gates/ci')).init,
        ),
        command('list-jobs', 'Print the jobs of the workflow as one line of JSON.').runs(
          async () => (await import('../gates/ci')).listJobs,
        ),
      ]),
      // The launcher handles the event before the command line is loaded.
      command('stop-hook', 'Decide the end of a turn: JSON on standard input, one line of JSON out.'),
    ],
  );
  made.unknown = (name) => `error: unknown command '${name}'.`;
  return made;
}
