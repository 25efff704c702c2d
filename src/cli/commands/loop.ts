import { type Cli, command, group } from '../command';

/** `holdpoint loop`. */
export function loop(): Cli {
  return group(
    'loop',
    'Keeps an agent at its task until it is complete or a bound is reached: start, status, cancel.',
    [
      command('start', 'Starts a loop for a session, with a task and its bounds.')
        .usage('[PROMPT | -] [options]')
        .argument('[PROMPT...]', 'the task, or - to read it from standard input')
        .option('-s, --session <ID>', 'the session that is kept at it')
        .choice('--mode <MODE>', 'the kind of loop', ['loop', 'issue', 'grind'])
        .option('--max <N>', 'the most iterations')
        .option('--issue <ID>', 'the issue that is worked on, with --mode issue')
        .option('--worktree <PATH>', 'the directory in which the work is done')
        .option('--branch <B>', 'the branch of that worktree')
        .option('--include-prompt', 'repeats the task at every iteration')
        .option('--verify <CMD>', 'a command that has to succeed before the loop may end')
        .option('--max-minutes <M>', 'the longest time')
        .option('--max-tokens <T>', 'the most tokens')
        .option('--force', 'replaces a loop that is live')
        .option('--push', 'puts this loop on top of the one that is live')
        .json()
        .runs(async () => (await import('../loop/start')).start),
      command('status', 'Shows the loops of this project: iteration, bounds, what ends them.')
        .option('-s, --session <ID>', 'only the loop of this session')
        .option('--all', 'with --json, every loop')
        .json()
        .runs(async () => (await import('../loop/status')).status),
      command('log', 'Shows what became of the loops, the newest last.')
        .option('-n, --limit <N>', 'how many entries', '20')
        .option('-s, --session <ID>', 'only those of this session')
        .json()
        .runs(async () => (await import('../loop/status')).log),
      command('pause', 'Lets turns end without counting, until the loop is resumed.')
        .argument('[WHY...]', 'the reason')
        .option('-s, --session <ID>', 'the session whose loop is meant')
        .json()
        .runs(async () => (await import('../loop/control')).pause),
      command(
        'resume',
        'Goes on with a loop that is paused, went stale, or belongs to a session that has ended.',
      )
        .option('-s, --session <ID>', 'the session that goes on with it')
        .option('--from <SESSION|RUN>', 'the session or run whose loop is taken over')
        .json()
        .runs(async () => (await import('../loop/control')).resume),
      command('cancel', 'Ends a loop; with --all, every loop of this project.')
        .option('-s, --session <ID>', 'the session whose loop is meant')
        .option('--all', 'every loop of this project')
        .json()
        .runs(async () => (await import('../loop/control')).cancel),
    ],
  );
}
