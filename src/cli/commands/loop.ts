import { type Cli, command, group } from '../command';

export function loop(): Cli {
  return group(
    'loop',
    'Keep an agent at its task until it is complete or a limit is reached: start, status, cancel.',
    [
      command('start', 'Start a loop for a session, with a task and its limits.')
        .usage('[PROMPT | -] [options]')
        .argument('[PROMPT...]', 'the task, or - to read it from standard input')
        .option('-s, --session <ID>', 'the session that runs the loop')
        .choice('--mode <MODE>', 'the kind of loop', ['loop', 'issue', 'grind'])
        .option('--max <N>', 'the most iterations')
        .option('--issue <ID>', 'the issue that is worked on, with --mode issue')
        .option('--worktree <PATH>', 'the directory in which the work is done')
        .option('--branch <B>', 'the branch of that worktree')
        .option('--include-prompt', 'repeat the task at every iteration')
        .option('--verify <CMD>', 'a command that must succeed before the loop may end')
        .option('--max-minutes <M>', 'the longest time')
        .option('--max-tokens <T>', 'the most tokens')
        .option('--force', 'replace a live loop')
        .option('--push', 'nest this loop inside the live one')
        .runs(async () => (await import('../loop/start')).start),
      command('status', 'Show the loops of this project: iteration, limits, what ends them.')
        .option('-s, --session <ID>', 'only the loop of this session')
        .option('--all', 'with --json, every loop')
        .runs(async () => (await import('../loop/status')).status),
      command('log', 'Show what happened to the loops, newest last.')
        .option('-n, --limit <N>', 'how many entries', '20')
        .option('-s, --session <ID>', 'only those of this session')
        .option('--json', 'print JSON, one document a line')
        .runsPlainly(async () => (await import('../loop/status')).log),
      command('pause', 'Let turns end without counting until the loop is resumed.')
        .argument('[WHY...]', 'the reason')
        .option('-s, --session <ID>', 'the session whose loop is meant')
        .runs(async () => (await import('../loop/control')).pause),
      command('resume', 'Resume a loop that is paused, stale, or left by a session that has ended.')
        .option('-s, --session <ID>', 'the session that continues it')
        .option('--from <SESSION|RUN>', 'the session or run whose loop is taken over')
        .runs(async () => (await import('../loop/control')).resume),
      command('cancel', 'End a loop; with --all, every loop of this project.')
        .option('-s, --session <ID>', 'the session whose loop is meant')
        .option('--all', 'every loop of this project')
        .runs(async () => (await import('../loop/control')).cancel),
    ],
  );
}
