import { type Cli, command, group } from '../command';

/** `holdpoint loop`. */
export function loop(): Cli {
  return group('loop', 'Keeps an agent working until the task is complete or a limit is reached.', [
    command('start', 'Starts a loop for a session, with a task and limits.')
      .usage('[PROMPT | -] [options]')
      .argument('[PROMPT...]', 'the task, or - to read it from standard input')
      .option('-s, --session <ID>', 'the session that has to keep working')
      .choice('--mode <MODE>', 'the kind of loop', ['loop', 'issue', 'grind'])
      .option('--max <N>', 'most iterations (default: 10, grind: 100)')
      .option('--issue <ID>', 'the issue to work on, with --mode issue')
      .option('--worktree <PATH>', 'the directory to work in')
      .option('--branch <B>', 'the branch of that worktree')
      .option('--include-prompt', 'repeats the task at every iteration')
      .option('--verify <CMD>', 'a command that must succeed before the loop may end')
      .option('--max-minutes <M>', 'most minutes')
      .option('--max-tokens <T>', 'most tokens')
      .option('--force', 'replaces the active loop')
      .option('--push', 'starts this loop inside the active one')
      .json()
      .addHelpText(
        'after',
        "\nExample:\n  holdpoint loop start --max 5 --verify 'npm test' 'Fix the failing tests'",
      )
      .runs(async () => (await import('../loop/start')).start),
    command('status', 'Shows the loops of this project: iteration, limits, and what ends them.')
      .option('-s, --session <ID>', 'only the loop of this session')
      .option('--all', 'with --json, every loop')
      .json()
      .addHelpText('after', '\nExample:\n  holdpoint loop status')
      .runs(async () => (await import('../loop/status')).status),
    command('log', 'Shows the history of the loops, newest last.')
      .option('-n, --limit <N>', 'how many entries', '20')
      .option('-s, --session <ID>', 'only this session')
      .json()
      .addHelpText('after', '\nExample:\n  holdpoint loop log --limit 5')
      .runs(async () => (await import('../loop/status')).log),
    command('pause', 'Lets turns end without counting them until the loop is resumed.')
      .argument('[WHY...]', 'the reason')
      .option('-s, --session <ID>', 'the session of the loop')
      .json()
      .addHelpText('after', "\nExample:\n  holdpoint loop pause 'Waiting for the API key'")
      .runs(async () => (await import('../loop/control')).pause),
    command('resume', 'Continues a loop that is paused, stale, or left over from an earlier session.')
      .option('-s, --session <ID>', 'the session that continues it')
      .option('--from <SESSION|RUN>', 'the session or run whose loop to take over')
      .json()
      .addHelpText('after', '\nExample:\n  holdpoint loop resume')
      .runs(async () => (await import('../loop/control')).resume),
    command('cancel', 'Ends a loop; with --all, every loop of this project.')
      .option('-s, --session <ID>', 'the session of the loop')
      .option('--all', 'every loop of this project')
      .json()
      .addHelpText('after', '\nExample:\n  holdpoint loop cancel')
      .runs(async () => (await import('../loop/control')).cancel),
  ]);
}
