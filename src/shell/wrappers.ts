import { type Assignment, assignmentIn } from './scope';
import { Arguments, byName, knownWord, programOf, unknownWord, type Word } from './words';

/*
 * Programs that run a command or a text that stands in their own words: `env`, `sudo`, `xargs`, `bash -c`.
 */

/** What a wrapper runs. */
export type Wrapped =
  | {
      readonly kind: 'command';
      readonly words: readonly Word[];
      readonly assignments: readonly Assignment[];
      readonly directory: Word | undefined;
      readonly maybe: boolean;
    }
  | { readonly kind: 'code'; readonly code: Word; readonly maybe: boolean };

/** How a wrapper is called. */
interface Wrapper {
  /** Options whose value is the next word, separated by spaces. */
  readonly values?: string;
  /** How many words of its own stand between options and command, such as a duration. */
  readonly operands?: number;
  /** Takes `NAME=value` before the command. */
  readonly assigns?: boolean;
  /** Options that name the directory to run in. */
  readonly directory?: string;
  /** Options after which a whole command line stands in one word. */
  readonly code?: string;
  /** It adds arguments of its own, or runs the command any number of times. */
  readonly maybe?: boolean;
}

const XARGS_VALUES = '-I -n -P -L -d -a -s -E --max-args --max-procs --replace --delimiter --arg-file';
const UV_VALUES = '--with --extra --group -p --python --package --env-file --directory';

/** By their names; a subcommand is joined with `+`. */
const wrapperNamed = byName<Wrapper>(() => [
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
  ['nohup setsid command builtin chronic unbuffer pnpx', {}],
  ['exec', { values: '-a' }],
  ['caffeinate', { values: '-t -w' }],
  ['nice', { values: '-n --adjustment' }],
  ['ionice', { values: '-c -n --class --classdata' }],
  ['stdbuf', { values: '-i -o -e --input --output --error' }],
  ['timeout gtimeout', { values: '-s -k --signal --kill-after', operands: 1 }],
  ['taskset direnv+exec', { operands: 1 }],
  ['flock', { values: '-w -E --timeout', operands: 1, code: '-c --command' }],
  ['time', { values: '-f -o --format --output' }],
  ['strace', { values: '-o -e -p -s -u' }],
  ['xargs', { values: XARGS_VALUES, maybe: true }],
  ['npx npm+exec npm+x', { values: '-p --package -w --workspace', code: '-c --call' }],
  ['bunx yarn+dlx', { values: '-p --package' }],
  ['uvx', { values: '--from --with -p --python' }],
  ['pipx+run', { values: '--spec' }],
  ['pnpm+exec pnpm+dlx yarn+exec bun+x bundle+exec mise+exec', {}],
  ['poetry+run pipenv+run hatch+run rye+run', {}],
  ['uv+run', { values: UV_VALUES, directory: '--directory' }],
  ['pdm+run', { values: '-p --project' }],
  ['cross-env', { assigns: true }],
  ['dotenv', { values: '-e -f -c' }],
  ['nyc c8', { values: '-r --reporter' }],
  ['xvfb-run', { values: '-s -n -e' }],
]);

/** The watched files, and directories above them, that a search hands over at a word; `undefined` if unknown. */
export type Found = (action: number) => readonly string[] | undefined;

/** The commands inside `env`, `sudo`, `timeout`, `xargs`, `find -exec` and the like; none for any other program. */
export function wrappedIn(words: readonly Word[], found: Found = () => undefined): readonly Wrapped[] {
  const name = programOf(words[0]);
  if (name === 'find') return commandsOfFind(words, found);
  if (name === 'watch') return [codeOfWatch(words.slice(1))];
  if (name === 'su') return codeAfter(words, '-c --command');
  const wide = wrapperNamed(`${name}+${words[1]?.value ?? ''}`);
  const wrapper = wide ?? wrapperNamed(name);
  if (wrapper === undefined) return [];
  const code = codeAfter(words, wrapper.code ?? '');
  if (code.length > 0) return code;
  if (name === 'command' && ['-v', '-V'].includes(words[1]?.value ?? '')) return [];
  return commandIn(wrapper, name, words.slice(wide === undefined ? 1 : 2), found);
}

function commandIn(wrapper: Wrapper, name: string, words: readonly Word[], found: Found): readonly Wrapped[] {
  const { start, directory } = skipOptions(wrapper, words);
  const assignments: Assignment[] = [];
  let index = start;
  for (const word of wrapper.assigns ? words.slice(start) : []) {
    const assignment = assignmentIn(word);
    if (assignment === undefined) break;
    assignments.push(assignment);
    index++;
  }
  index += wrapper.operands ?? 0;
  if (index >= words.length) return [];
  const inner = words.slice(index);
  const run = name === 'xargs' ? withInput(words.slice(0, start), inner, found) : inner;
  return [{ kind: 'command', words: run, assignments, directory, maybe: wrapper.maybe ?? false }];
}

function skipOptions(
  wrapper: Wrapper,
  words: readonly Word[],
): { start: number; directory: Word | undefined } {
  const directories = wrapper.directory?.split(' ') ?? [];
  let directory: Word | undefined;
  let index = 0;
  for (; index < words.length; index++) {
    const text = words[index]?.value;
    if (text === '--') return { start: index + 1, directory };
    if (text === undefined || !/^-./.test(text)) break;
    const [option = '', value] = text.split('=', 2);
    const separate = value === undefined && takesValue(wrapper, text) ? words[++index] : undefined;
    if (directories.includes(option)) directory = value === undefined ? separate : knownWord(value);
  }
  return { start: index, directory };
}

function takesValue({ values = '' }: Wrapper, option: string): boolean {
  const options = values.split(' ');
  if (options.includes(option)) return true;
  const isCluster = /^-[^-]./.test(option);
  return isCluster && options.includes(`-${option.slice(-1)}`) && !options.includes(option.slice(0, 2));
}

const FIND_RUNS = ['-exec', '-execdir', '-ok', '-okdir'];

function commandsOfFind(words: readonly Word[], found: Found): readonly Wrapped[] {
  return words.flatMap((word, at): readonly Wrapped[] => {
    const action = word.value ?? '';
    if (!FIND_RUNS.includes(action)) return [];
    const rest = words.slice(at + 1);
    const end = rest.findIndex((each) => [';', '+'].includes(each.value ?? ''));
    const inner = replaced(rest.slice(0, end < 0 ? undefined : end), '{}', found(at));
    // `-execdir` runs where it finds something.
    const directory = action.endsWith('dir') ? unknownWord('where it was found') : undefined;
    return inner.length === 0
      ? []
      : [{ kind: 'command', words: inner, assignments: [], directory, maybe: true }];
  });
}

/** Words that are handed over: known where a search has found them, else told by their text alone. */
function handedOver(
  found: readonly string[] | undefined,
  program: Word | undefined,
  text: string,
): readonly Word[] {
  // Only what removes or moves a directory does it to everything in it.
  const isWhole = ['rm', 'mv', 'trash'].includes(programOf(program));
  const files = found?.filter((path) => isWhole || !path.endsWith('/'));
  if (files === undefined) return [unknownWord(text)];
  return files.length === 0 ? [unknownWord('found')] : files.map(knownWord);
}

function replaced(
  words: readonly Word[],
  placeholder: string,
  found: readonly string[] | undefined,
): readonly Word[] {
  const given = handedOver(found, words[0], placeholder);
  return words.flatMap((word) => {
    if (!word.text.includes(placeholder)) return [word];
    return word.text === placeholder ? given : [unknownWord(word.text)];
  });
}

/** `xargs` appends what it reads, or with `-I` puts it in place of a text. */
function withInput(options: readonly Word[], inner: readonly Word[], found: Found): readonly Word[] {
  const placeholder = new Arguments(options, '-I --replace').valueOf('-I --replace');
  if (placeholder !== undefined) return replaced(inner, placeholder.text, found(0));
  return [...inner, ...handedOver(found(0), inner[0], '…')];
}

function codeOfWatch(words: readonly Word[]): Wrapped {
  const inner = words.slice(skipOptions({ values: '-n --interval' }, words).start);
  const text = inner.map(({ text }) => text).join(' ');
  const isKnown = inner.every((word) => word.value !== undefined);
  return { kind: 'code', code: isKnown ? knownWord(text) : unknownWord(text), maybe: true };
}

function codeAfter(words: readonly Word[], options: string): readonly Wrapped[] {
  const wanted = options.split(' ');
  const at = words.findIndex((word) => wanted.includes(word.value || ' '));
  const code = at < 0 ? undefined : words[at + 1];
  return code === undefined ? [] : [{ kind: 'code', code, maybe: false }];
}

/** What a shell was asked to run. */
export interface ShellCode {
  readonly code: string;
  /** Absent where it has those of the shell around it. */
  readonly positional?: readonly Word[];
  readonly errexit?: boolean;
  readonly pipefail?: boolean;
}

/**
 * The code that a shell runs by its words and its input, where that code is a constant.
 * `undefined`: a script file, a pipe, or a text that depends on the machine.
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
