import { constantOf, type EnvironmentEntry, knownWord, type Word } from './command';
import { resolveFrom } from './paths';
import type { Options } from './possible';

/** A git command without its global options. */
export interface GitCall {
  /** `undefined` where the subcommand cannot be told; empty where there is none. */
  readonly subcommand: string | undefined;
  readonly args: readonly Word[];
  readonly dir: Options;
}

export const WITH_VALUE = [
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--super-prefix',
  '--config-env',
  '--exec-path',
];
const ONLY_TELL = ['--help', '-h', '--version', '-v'];

/** Reads what stands between `git` and its subcommand; `-C` adds up, as `cd` would. */
export function readGitCall(
  args: readonly Word[],
  environment: readonly EnvironmentEntry[],
  cwd: Options,
): GitCall {
  let dir = cwd;
  const set = new Map(environment.map((entry) => [entry.name, entry.value]));
  let index = 0;
  for (; index < args.length; index++) {
    const text = constantOf(args[index]);
    if (!text?.startsWith('-')) break;
    const { option, value, isSeparate } = readOption(text, args[index + 1]);
    if (isSeparate) index++;
    if (ONLY_TELL.includes(option)) return { subcommand: '', args: [], dir };
    if (option === '-C') dir = resolveFrom(dir, constantOf(value));
    else if (value !== undefined) set.set(option, value);
  }
  const name = args[index];
  return {
    subcommand: name === undefined ? '' : constantOf(name),
    args: args.slice(index + 1),
    dir: placeOf(
      dir,
      set.get('--git-dir') ?? set.get('GIT_DIR'),
      set.get('--work-tree') ?? set.get('GIT_WORK_TREE'),
    ),
  };
}

function readOption(
  text: string,
  next: Word | undefined,
): { option: string; value: Word | undefined; isSeparate: boolean } {
  const equals = text.startsWith('--') ? text.indexOf('=') : -1;
  if (equals >= 0)
    return { option: text.slice(0, equals), value: knownWord(text.slice(equals + 1)), isSeparate: false };
  const isSeparate = WITH_VALUE.includes(text) && text !== '--exec-path';
  return { option: text, value: isSeparate ? next : undefined, isSeparate };
}

/** With `--git-dir` the repository is the one that directory belongs to, wherever the command stands. */
function placeOf(dir: Options, gitDir: Word | undefined, workTree: Word | undefined): Options {
  if (gitDir === undefined) return workTree === undefined ? dir : resolveFrom(dir, constantOf(workTree));
  return resolveFrom(dir, constantOf(gitDir)).map((path) =>
    path?.endsWith('/.git') ? path.slice(0, -'/.git'.length) : path,
  );
}
