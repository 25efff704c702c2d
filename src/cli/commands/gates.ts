import { type Cli, command, group } from '../command';

const inspect = () => import('../gates/inspect');

/** The options by which changes are chosen. */
function withChanges(made: Cli): Cli {
  return made
    .option('-b, --base-branch <REF>', 'compare with this branch or commit instead of `base_branch`')
    .option('-c, --commit <SHA>', 'only the changes of this commit')
    .option('-u, --uncommitted', 'only uncommitted changes');
}

function withExample(made: Cli, ...lines: readonly string[]): Cli {
  return made.addHelpText('after', ['', 'Example:', ...lines.map((line) => `  ${line}`)].join('\n'));
}

function runCommand(mode: 'run' | 'check' | 'review', summary: string, example: string): Cli {
  const made = withChanges(command(mode, summary))
    .option('-g, --gate <NAME>', 'only the gate of this name')
    .option('--no-cache', 'also run gates that passed on the same files')
    .json()
    .runs(async () => (await import('../gates/run')).runGates(mode));
  return withExample(made, example);
}

/** `holdpoint gates`, also installed as `agent-gauntlet`. */
export function gates(): Cli {
  const made = group(
    'gates',
    'Checks and reviews of what changed: run, detect, list, init; also installed as `agent-gauntlet`.',
    [
      runCommand(
        'run',
        'Runs the checks and reviews for what changed.',
        'holdpoint gates run -g unit-tests    # one gate',
      ),
      runCommand('check', 'Runs the checks only.', 'holdpoint gates check --no-cache'),
      runCommand('review', 'Runs the reviews only.', 'holdpoint gates review -b main'),
      withExample(
        withChanges(command('detect', 'Shows what changed and which gates would run, without running them.'))
          .json()
          .runs(async () => (await import('../gates/run')).detect),
        'holdpoint gates detect -u',
      ),
      withExample(
        command('list', 'Lists the gates and entry points.')
          .json()
          .runs(async () => (await inspect()).list),
        'holdpoint gates list',
      ),
      withExample(
        command('health', 'Checks the config files and which reviewers are installed.')
          .json()
          .runs(async () => (await inspect()).health),
        'holdpoint gates health',
      ),
      withExample(
        command('validate', 'Checks the config and shows each error with its line.')
          .json()
          .runs(async () => (await inspect()).validate),
        'holdpoint gates validate',
      ),
      withExample(
        command('clean', 'Archives the logs and resets the retry limit.')
          .json()
          .runs(async () => (await inspect()).clean),
        'holdpoint gates clean',
      ),
      withExample(
        command('init', 'Writes a first config; asks on a terminal, otherwise takes flags.')
          .option('-y, --yes', 'ask nothing and use the defaults')
          .option('--source <DIR>', 'the directory that the gates cover (default: the whole project)')
          .option('--lint <CMD>', 'add a check `lint` with this command')
          .option('--test <CMD>', 'add a check `unit-tests` with this command')
          .option(
            '--stop-hook',
            'run the gates when Claude Code ends a turn, by an entry in .claude/settings.local.json; works with an existing config too',
          )
          .json()
          .runs(async () => (await import('../gates/init')).init),
        "holdpoint gates init -y --lint 'npm run lint' --test 'npm test'",
      ),
      group('ci', 'Runs the checks on GitHub Actions: init, list-jobs.', [
        withExample(
          command('init', 'Writes a GitHub Actions workflow and a first ci.yml.')
            .json()
            .runs(async () => (await import('../gates/ci')).init),
          'holdpoint gates ci init',
        ),
        withExample(
          command('list-jobs', 'Prints the jobs of the workflow as one line of JSON.')
            .json()
            .runs(async () => (await import('../gates/ci')).listJobs),
          'holdpoint gates ci list-jobs',
        ),
      ]),
      // The launcher handles the event before the command line is loaded.
      withExample(
        command(
          'stop-hook',
          'Decides whether a turn may end: a hook event on stdin, one line of JSON on stdout.',
        ),
        `echo '{"stop_hook_active":false}' | agent-gauntlet stop-hook`,
      ),
    ],
  );
  made.unknown = (name) => `error: unknown command '${name}'.`;
  return made;
}
