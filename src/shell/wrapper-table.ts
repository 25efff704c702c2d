import { lazily } from './lazily';

/** A program that runs the command given by the rest of its words. */
export interface Wrapper {
  /** Options whose value is the next word. */
  readonly values: readonly string[];
  /** Words of its own between options and command, such as a duration. */
  readonly operands: number;
  /** Takes `NAME=value` before the command. */
  readonly assigns: boolean;
  /** Options that name the directory to run in. */
  readonly directory: readonly string[];
  /** It adds arguments of its own, or runs the command any number of times. */
  readonly maybe: boolean;
}

function wrapper(values: string, more: Partial<Omit<Wrapper, 'values'>> = {}): Wrapper {
  return {
    values: values === '' ? [] : values.split(' '),
    operands: 0,
    assigns: false,
    directory: [],
    maybe: false,
    ...more,
  };
}

/** By the program's name. */
export const wrappersByName = lazily((): ReadonlyMap<string, Wrapper> => {
  const PLAIN = wrapper('');
  return new Map([
    ['env', wrapper('-u --unset -C --chdir', { assigns: true, directory: ['-C', '--chdir'] })],
    [
      'sudo',
      wrapper('-u -g -h -p -C -D -R -T -U -r -t --user --group --chdir', {
        assigns: true,
        directory: ['-D', '--chdir'],
      }),
    ],
    ['doas', wrapper('-u -C')],
    ['nohup', PLAIN],
    ['setsid', PLAIN],
    ['command', PLAIN],
    ['builtin', PLAIN],
    ['exec', wrapper('-a')],
    ['chronic', PLAIN],
    ['unbuffer', PLAIN],
    ['caffeinate', wrapper('-t -w')],
    ['nice', wrapper('-n --adjustment')],
    ['ionice', wrapper('-c -n --class --classdata')],
    ['stdbuf', wrapper('-i -o -e --input --output --error')],
    ['timeout', wrapper('-s -k --signal --kill-after', { operands: 1 })],
    ['gtimeout', wrapper('-s -k --signal --kill-after', { operands: 1 })],
    ['taskset', wrapper('', { operands: 1 })],
    ['flock', wrapper('-w -E --timeout', { operands: 1 })],
    ['time', wrapper('-f -o --format --output')],
    ['strace', wrapper('-o -e -p -s -u')],
    [
      'xargs',
      wrapper('-I -n -P -L -d -a -s -E --max-args --max-procs --replace --delimiter --arg-file', {
        maybe: true,
      }),
    ],
    ['npx', wrapper('-p --package -w --workspace')],
    ['bunx', wrapper('-p --package')],
    ['pnpx', PLAIN],
    ['uvx', wrapper('--from --with -p --python')],
    ['pipx run', wrapper('--spec')],
    ['npm exec', wrapper('-p --package -w --workspace')],
    ['npm x', wrapper('-p --package -w --workspace')],
    ['pnpm exec', PLAIN],
    ['pnpm dlx', PLAIN],
    ['yarn exec', PLAIN],
    ['yarn dlx', wrapper('-p --package')],
    ['bun x', PLAIN],
    ['poetry run', PLAIN],
    [
      'uv run',
      wrapper('--with --extra --group -p --python --package --env-file --directory', {
        directory: ['--directory'],
      }),
    ],
    ['pipenv run', PLAIN],
    ['pdm run', wrapper('-p --project')],
    ['hatch run', PLAIN],
    ['rye run', PLAIN],
    ['bundle exec', PLAIN],
    ['mise exec', PLAIN],
    ['direnv exec', wrapper('', { operands: 1 })],
    ['cross-env', wrapper('', { assigns: true })],
    ['dotenv', wrapper('-e -f -c')],
    ['nyc', wrapper('-r --reporter')],
    ['c8', wrapper('-r --reporter')],
    ['xvfb-run', wrapper('-s -n -e')],
  ]);
});
