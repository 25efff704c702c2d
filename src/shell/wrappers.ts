import { EXEC_ACTIONS } from './find';
import { type Assignment, assignmentIn } from './scope';
import {
  Arguments,
  isOneOf,
  isTestScript,
  knownWord,
  NODE_VALUES,
  nameTable,
  OPERAND,
  PYTHON_VALUES,
  programOf,
  SCRIPT,
  unknownWord,
  type Word,
} from './words';

/* Programs that run a command or code given in their arguments: `env`, `sudo`, `xargs`, `bash -c`. */

/** What a wrapper runs. */
export type Wrapped =
  | {
      readonly kind: 'command';
      readonly words: readonly Word[];
      readonly assignments?: readonly Assignment[];
      readonly directory?: Word | undefined;
      readonly maybe?: boolean;
      /** Runs in a container: only its test runs matter, since its paths are not those of this machine. */
      readonly container?: boolean;
    }
  | { readonly kind: 'code'; readonly code: Word; readonly maybe?: boolean };

/** How to find the inner command in a wrapper's arguments. */
interface Wrapper {
  /** Options whose value is the next word, separated by spaces. */
  readonly values?: string;
  /** Number of operands between the options and the command, such as a duration. */
  readonly operands?: number;
  /** Takes `NAME=value` before the command. */
  readonly assigns?: boolean;
  /** Options that name the directory to run in. */
  readonly directory?: string;
  /** Options whose value is a whole command line. */
  readonly code?: string;
  /** It adds arguments to the command, or runs it any number of times. */
  readonly maybe?: boolean;
  readonly container?: boolean;
  /** The command follows `--`: always, or only if a `--` is given. */
  readonly dashes?: 'always' | 'maybe';
  /** It also runs project scripts by name, which are not programs. */
  readonly scripts?: boolean;
  /** The program that runs the arguments. */
  readonly program?: string;
  /** Options that are followed by the command. */
  readonly command?: string;
  /** The first operand is a whole command line. */
  readonly text?: boolean;
}

const XARGS_VALUES = '-I -n -P -L -d -a -s -E --max-args --max-procs --replace --delimiter --arg-file';
const UV_VALUES =
  '--with --extra --group -p --python --package --env-file --directory --project --with-requirements --with-editable --index';

const NIX_VALUES = '-I --arg --argstr --option --inputs-from --keep -k --unset -u --profile';
const DOCKER_VALUES = `-e --env --env-file -w --workdir -u --user -v --volume --mount -p --publish --name --network --net
  --entrypoint --platform -m --memory --cpus -l --label --add-host --link --gpus --shm-size --ulimit --pull --cap-add
  --device --dns --expose -h --hostname --security-opt --tmpfs --volumes-from --index --detach-keys -a --attach`;

const CONTAINER: Wrapper = { values: DOCKER_VALUES, operands: 1, container: true };

/** By name; subcommands are joined with `+`. All lists are separated by white space. */
const wrapperNamed = nameTable<Wrapper>(() => [
  [
    'env',
    { values: '-u --unset -C --chdir', assigns: true, directory: '-C --chdir', code: '-S --split-string' },
  ],
  [
    'sudo',
    {
      values: '-u -g -h -p -C -D -R -T -U -r -t --user --group --chdir',
      assigns: true,
      directory: '-D --chdir',
    },
  ],
  ['doas', { values: '-u -C' }],
  ['nohup setsid command builtin chronic unbuffer pnpx corepack fvm spring dbus-run-session', {}],
  ['busybox toybox', {}],
  ['exec', { values: '-a' }],
  ['caffeinate', { values: '-t -w' }],
  ['nice', { values: '-n --adjustment' }],
  ['ionice', { values: '-c -n --class --classdata' }],
  ['stdbuf', { values: '-i -o -e --input --output --error' }],
  ['timeout gtimeout', { values: '-s -k --signal --kill-after', operands: 1 }],
  ['taskset direnv+exec gosu su-exec rustup+run nvm+exec n+exec', { operands: 1 }],
  ['flock', { values: '-w -E --timeout', operands: 1, code: '-c --command' }],
  ['time gtime', { values: '-f -o --format --output' }],
  ['strace ltrace', { values: '-o -e -p -s -u' }],
  ['systemd-run', { values: '-p --property -u --unit -E --setenv --slice' }],
  ['runuser', { values: '-u -g', code: '-c --command' }],
  ['script', { values: '-t -T -B -I -O -E -m', operands: 1, code: '-c --command' }],
  ['xargs', { values: XARGS_VALUES, maybe: true }],
  ['npx npm+exec npm+x', { values: '-p --package -w --workspace', code: '-c --call' }],
  ['bunx yarn+dlx', { values: '-p --package' }],
  ['uvx uv+tool+run', { values: '--from --with -p --python' }],
  ['pipx+run', { values: '--spec' }],
  ['pnpm+exec pnpm+dlx yarn+exec yarn+node bun+x bundle+exec', {}],
  ['volta+run', { values: '--node --npm --yarn --pnpm' }],
  ['asdf+exec rbenv+exec pyenv+exec fnm+exec', { values: '--using' }],
  ['mise+exec mise+x', { values: '-C --cd', directory: '-C --cd', dashes: 'maybe' }],
  ['poetry+run pipenv+run rye+run devbox+run devenv+shell', { scripts: true }],
  ['hatch+run', { values: '-e --env', scripts: true }],
  ['pixi+run', { values: '-e --environment --manifest-path', scripts: true }],
  ['uv+run', { values: UV_VALUES, directory: '--directory' }],
  ['pdm+run', { values: '-p --project', scripts: true }],
  ['conda+run mamba+run micromamba+run', { values: '-n --name -p --prefix --cwd', directory: '--cwd' }],
  ['nix+develop nix+shell', { values: NIX_VALUES, command: '-c --command' }],
  ['su', { code: '-c --command', dashes: 'always' }],
  ['nix-shell', { code: '--run --command', dashes: 'always' }],
  ['doppler+run infisical+run', { code: '--command', dashes: 'always' }],
  [
    'op+run dotenvx+run aws-vault+exec chamber+exec teller+run guix+shell flox+activate distrobox+enter',
    { dashes: 'always' },
  ],
  ['sops+exec-env', { operands: 1, text: true }],
  ['firebase+emulators:exec', { values: '--only --project -P --import --export-on-exit', text: true }],
  ['cross-env env-cmd', { values: '-f --file -e --environments', assigns: true }],
  ['dotenv dotenv-cli dotenv+run', { values: '-e -f -c -v', dashes: 'maybe' }],
  ['lerna+exec', { values: '--scope --ignore --concurrency', dashes: 'maybe' }],
  ['nyc c8', { values: '-r --reporter' }],
  ['kcov', { operands: 1 }],
  [
    'coverage+run coverage3+run',
    { values: '--source --rcfile --omit --include --data-file --context', program: 'python' },
  ],
  ['xvfb-run', { values: '-s -n -e' }],
  ['docker+exec podman+exec nerdctl+exec docker+container+exec', CONTAINER],
  ['docker+run podman+run nerdctl+run docker+container+run', CONTAINER],
  ['docker-compose+run docker-compose+exec docker+compose+run docker+compose+exec', CONTAINER],
  ['podman-compose+run podman-compose+exec podman+compose+run podman+compose+exec', CONTAINER],
  ['ddev+exec lando+exec lima wsl', { container: true }],
  ['sail ddev lando', { container: true, scripts: true }],
  ['devcontainer+exec', { ...CONTAINER, operands: 0, values: '--workspace-folder --config' }],
  ['kubectl+exec oc+exec', { dashes: 'always', container: true }],
]);

/** What a search passes on: the watched files and directories above them, if known, and globs for the others. */
export type SearchResults = (action: number) => {
  readonly files: readonly string[] | undefined;
  readonly globs: readonly Word[];
};
/** Options with a value that may come before a subcommand. */
const GLOBAL_VALUES = isOneOf(
  `-f --file --profile --project-name --project-directory --env-file --context --namespace -H --host --log-level
  --directory --project -C --dir --cwd --prefix --filter -F -w --workspace --loglevel --config --cd -P -n
  --extra-experimental-features --cache-dir --python -e --env -p`,
);
const GLOBAL_DIRECTORY = isOneOf('--directory -C --dir --cwd --prefix --cd');

/** The commands inside `env`, `sudo`, `xargs`, `find -exec` and the like; empty for any other program. */
export function wrappedCommands(words: readonly Word[], found: SearchResults): readonly Wrapped[] {
  const name = programOf(words[0]);
  const special = inSpecial(name, words, found);
  if (special !== undefined) return special;
  const module = /^python[0-9.]*$/.test(name) ? moduleOfPython(words.slice(1)) : undefined;
  const called = module ?? words;
  const known = wrapperOf(called);
  if (known === undefined) return [];
  const { wrapper, start, directory } = known;
  const args = called.slice(start);
  const code = codeIn(wrapper, args);
  if (code !== undefined) return [{ kind: 'code', code }];
  if (name === 'command' && ['-v', '-V'].includes(words[1]?.value ?? '')) return [];
  return commandIn(wrapper, programOf(called[0]), args, directory, found);
}

/** A wrapper's own options, and the words after them. */
function leading({ values = '', code = '', program }: Wrapper, args: readonly Word[]): Arguments {
  return new Arguments(args, `${values} ${code}`, program === undefined ? OPERAND : SCRIPT);
}

/** The value of an option for code. Some wrappers accept it after their operands too. */
function codeIn(wrapper: Wrapper, args: readonly Word[]): Word | undefined {
  const { code, operands, dashes } = wrapper;
  if (code === undefined) return undefined;
  if (dashes !== undefined)
    return new Arguments(
      args.filter(({ value }) => value !== '--'),
      code,
    ).valueOf(code);
  const own = leading(wrapper, args);
  const after = operands === undefined ? [] : (own.rest ?? []).slice(operands);
  return own.valueOf(code) ?? leading(wrapper, after).valueOf(code);
}

/** The same for programs with rules of their own; `undefined` for any other. */
function inSpecial(
  name: string,
  words: readonly Word[],
  found: SearchResults,
): readonly Wrapped[] | undefined {
  const args = words.slice(1);
  switch (name) {
    case 'find':
      return commandsOfFind(words, found);
    case 'watch':
      return [codeOf(new Arguments(args, '-n --interval', OPERAND).rest ?? [])];
    case 'node':
    case 'nodejs':
      return scriptOfNode(args);
    default:
      return undefined;
  }
}

/** The wrapper by name and subcommands, where its arguments start, and the directory given before them. */
function wrapperOf(words: readonly Word[]) {
  let name = programOf(words[0]);
  let found = { wrapper: wrapperNamed(name), start: 1 };
  let directory: Word | undefined;
  for (let at = 1, names = 1; at < words.length && names < 3; at++) {
    const text = words[at]?.value ?? '';
    if (/^-/.test(text)) {
      if (GLOBAL_DIRECTORY(text)) directory = words[at + 1];
      if (GLOBAL_VALUES(text)) at++;
      continue;
    }
    name += `+${text}`;
    names++;
    const wrapper = wrapperNamed(name);
    if (wrapper !== undefined) found = { wrapper, start: at + 1 };
  }
  const { wrapper, start } = found;
  return wrapper && { wrapper, start, directory: start === 1 ? undefined : directory };
}

/** `python -m coverage run …` is `coverage run …`. */
function moduleOfPython(args: readonly Word[]): readonly Word[] | undefined {
  const [option, ...rest] = new Arguments(args, PYTHON_VALUES, SCRIPT).rest ?? [];
  return option?.value === '-m' ? rest : undefined;
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  '@playwright/test': 'playwright',
  '@angular/cli': 'ng',
};

/** `node node_modules/vitest/vitest.mjs` runs the program of that package. */
function scriptOfNode(args: readonly Word[]): readonly Wrapped[] {
  const [script, ...rest] = new Arguments(args, NODE_VALUES, SCRIPT).rest ?? [];
  const path = script?.value ?? '';
  const [, name = ''] =
    /(?:^|\/)node_modules\/(?:\.bin\/)?((?:@[^/]+\/)?[^/]+)/.exec(path) ??
    /(?:^|\/)\.yarn\/releases\/(yarn)-[^/]*$/.exec(path) ??
    [];
  if (name === '') return [];
  const words = [knownWord(OTHER_NAMES[name] ?? name), ...rest];
  return [{ kind: 'command', words }];
}

function commandIn(
  wrapper: Wrapper,
  name: string,
  words: readonly Word[],
  outer: Word | undefined,
  found: SearchResults,
): readonly Wrapped[] {
  const own = leading(wrapper, words);
  const start = words.length - (own.rest?.length ?? 0);
  const directory = own.valueOf(wrapper.directory ?? '') ?? outer;
  const marked = markedStart(wrapper, words);
  const given = wrapper.assigns ? words.slice(start).map(assignmentIn) : [];
  const end = given.indexOf(undefined);
  const assignments = given.slice(0, end < 0 ? undefined : end).filter((each) => each !== undefined);
  let index = marked ?? start + assignments.length + (wrapper.operands ?? 0);
  if (words[index]?.value === '--') index++;
  const inner = [...entryPoint(wrapper, words.slice(0, index)), ...words.slice(index)];
  const [first] = inner;
  if (first === undefined || (wrapper.scripts && isTestScript(first.text))) return [];
  if (takesLine(wrapper, inner)) return [{ kind: 'code', code: first }];
  const run = name === 'xargs' ? withInput(words.slice(0, start), inner, found) : inner;
  const called = wrapper.program === undefined ? run : [knownWord(wrapper.program), ...run];
  const { maybe = false, container = false } = wrapper;
  return [{ kind: 'command', words: called, assignments, directory, maybe, container }];
}

/** Whether a wrapper gives its first word to a shell: those that take `--` do, if the only word has a blank in it. */
function takesLine({ text, dashes }: Wrapper, inner: readonly Word[]): boolean {
  return text ?? (dashes === 'maybe' && inner.length === 1 && /\s/.test(inner[0]?.text ?? ''));
}

/** The program that an option sets instead of the image's own. */
function entryPoint({ container }: Wrapper, options: readonly Word[]): readonly Word[] {
  const named = container ? new Arguments(options, DOCKER_VALUES).valueOf('--entrypoint') : undefined;
  return named === undefined ? [] : [named];
}

/** Where the command starts, if a word marks it; past the end if that word is required but missing. */
function markedStart({ dashes, command }: Wrapper, words: readonly Word[]): number | undefined {
  const marks = dashes === undefined ? command?.split(' ') : ['--'];
  const at = words.findIndex(({ value = '' }) => marks?.includes(value));
  if (at >= 0) return at + 1;
  return marks === undefined || dashes === 'maybe' ? undefined : words.length;
}

function commandsOfFind(words: readonly Word[], found: SearchResults): readonly Wrapped[] {
  return words.flatMap((word, at): readonly Wrapped[] => {
    const action = word.value ?? '';
    if (!EXEC_ACTIONS.includes(action)) return [];
    const rest = words.slice(at + 1);
    const end = rest.findIndex((each) => [';', '+'].includes(each.value ?? ''));
    const inner = replaced(rest.slice(0, end < 0 ? undefined : end), '{}', found(at));
    // `-execdir` runs in the directory of each file it finds.
    const directory = action.endsWith('dir') ? unknownWord('where it was found') : undefined;
    return inner.length === 0 ? [] : [{ kind: 'command', words: inner, directory, maybe: true }];
  });
}

/** The words passed on by `find` or `xargs`: the files found, or if unknown, one word with this text. */
function wordsPassedOn(
  { files: found, globs }: ReturnType<SearchResults>,
  program: Word | undefined,
  text: string,
): readonly Word[] {
  // Only commands that remove or move a directory affect everything in it.
  const isWhole = ['rm', 'mv', 'trash'].includes(programOf(program));
  const files = found?.filter((path) => isWhole || !path.endsWith('/'));
  if (files !== undefined && files.length > 0) return files.map(knownWord);
  return globs.length > 0 ? globs : [unknownWord(files === undefined ? text : 'found')];
}

function replaced(
  words: readonly Word[],
  placeholder: string,
  found: ReturnType<SearchResults>,
): readonly Word[] {
  const given = wordsPassedOn(found, words[0], placeholder);
  return words.flatMap((word) => {
    if (!word.text.includes(placeholder)) return [word];
    return word.text === placeholder ? given : [unknownWord(word.text)];
  });
}

/** `xargs` appends its input to the command, or with `-I` substitutes it for a placeholder. */
function withInput(options: readonly Word[], inner: readonly Word[], found: SearchResults): readonly Word[] {
  const placeholder = new Arguments(options, '-I --replace').valueOf('-I --replace');
  if (placeholder !== undefined) return replaced(inner, placeholder.text, found(0));
  return [...inner, ...wordsPassedOn(found(0), inner[0], '…')];
}

/** The words joined with spaces, which a shell then runs. */
function codeOf(words: readonly Word[]): Wrapped {
  const text = words.map(({ text }) => text).join(' ');
  const isKnown = words.every((word) => word.value !== undefined);
  return { kind: 'code', code: isKnown ? knownWord(text) : unknownWord(text), maybe: true };
}

/** The code a shell runs, and the options it was given. */
export interface ShellCode {
  readonly code: string;
  /** Absent if the code uses those of the surrounding shell. */
  readonly positional?: readonly Word[];
  readonly errexit?: boolean;
  readonly pipefail?: boolean;
}

/**
 * The code that a shell runs, from its arguments or its input, if it is constant. `undefined` for a script
 * file, a pipe, or code that depends on the machine.
 */
export function codeForShell(args: readonly Word[], input: Word | undefined): ShellCode | undefined {
  const operands = [...args];
  const named: (string | undefined)[] = [];
  let letters = '';
  while (/^[-+]./.test(operands[0]?.value ?? '')) {
    const text = operands.shift()?.value ?? '';
    if (text === '--') break;
    if (/^-[^-]/.test(text)) letters += text.slice(1);
    const takesName = /^(?:--rcfile|--init-file|[-+][^-].*[oO]|[-+][oO])$/.test(text);
    if (takesName) named.push(operands.shift()?.value);
  }
  const isCommand = letters.includes('c');
  if (!isCommand && operands.length > 0 && !letters.includes('s')) return undefined;
  const code = (isCommand ? operands[0] : input)?.value;
  if (code === undefined) return undefined;
  return {
    code,
    positional: isCommand ? operands.slice(2) : operands,
    errexit: letters.includes('e') || named.includes('errexit'),
    pipefail: named.includes('pipefail'),
  };
}
