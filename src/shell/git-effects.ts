import type { GitEffect } from '../core/command-effects';
import { eachOf, type Target } from './file-writes';
import { planOf } from './git-commands';
import { sweptBy } from './git-sweeps';
import { changed, type Histories, type Timeline, timeline, valuesAt } from './history';
import type { Assignment, RepositoryAt, RepositoryFact } from './scope';
import type { RunCommand } from './walk';
import {
  GIT_OPTIONS_WITH_VALUE,
  knownWord,
  type Options,
  possibleOf,
  resolveFrom,
  unknownWord,
  type Word,
} from './words';

/** What a git command does; where it moves HEAD, `repositories` knows for the commands after it. */
export function gitEffectOf(
  { id, words, assignments, cwd, histories, certain }: RunCommand,
  repositories: Repositories,
): { effect?: GitEffect; targets: readonly Target[]; dir: Options; runsCode: boolean } {
  const { subcommand, args, dir } = readGitCall(words.slice(1), assignments, cwd);
  const branch = () => repositories.branchAt(dir, histories);
  const plan = planOf(subcommand, args, branch);
  if (plan === undefined) return { targets: sweptBy(subcommand, args, dir), dir, runsCode: false };
  const { operation, refs = [], dryRun = false, branchAfter, files = [], makes, runsCode = false } = plan;
  const on = branch();
  const configs = plan.settings ? repositories.settingsAt(dir) : [];
  const named = eachOf('git', [
    ...(files === 'some' ? [unknownWord('')] : files),
    ...configs.map((file) => (file === undefined ? unknownWord('.git/config') : knownWord(file))),
  ]);
  const targets = [...named, ...sweptBy(subcommand, args, dir)];
  if (branchAfter !== undefined && !dryRun) repositories.move(dir, id, branchAfter, histories);
  if (makes !== undefined) {
    const of = operation === 'worktree' ? dir : undefined;
    repositories.make(resolveFrom(dir, makes.path.value), makes.branch, of);
  }
  const effect: GitEffect = {
    operation,
    dir: possibleOf(dir),
    repository: possibleOf(repositories.identityAt(dir)),
    branch: possibleOf(on),
    refsWritten: refs,
    dryRun,
    certain,
  };
  return { effect, targets, dir, runsCode };
}

/**
 * Reads what stands between `git` and its subcommand, which is `undefined` where it is unknown and empty where there is
 * none. `-C` adds up, as `cd` would. With `--git-dir` the repository is the one that directory belongs to.
 */
function readGitCall(args: readonly Word[], environment: readonly Assignment[], cwd: Options) {
  let dir = cwd;
  const set = new Map<string, Word | undefined>(environment.map(({ name, value }) => [name, value]));
  const queue = [...args];
  let name = queue.shift();
  for (; name?.value?.startsWith('-'); name = queue.shift()) {
    const text = name.value;
    if (/^(?:--help|-h|--version|-v)$/.test(text)) return { subcommand: '', args: [], dir };
    const [, option = text, attached = ''] = /^(--[^=]*)=(.*)$/s.exec(text) ?? [];
    const isSeparate = GIT_OPTIONS_WITH_VALUE.includes(text) && text !== '--exec-path';
    const value = isSeparate ? queue.shift() : knownWord(attached);
    if (option === '-C') dir = resolveFrom(dir, value?.value);
    else set.set(option, value);
  }
  const gitDir = set.get('--git-dir') ?? set.get('GIT_DIR');
  const workTree = set.get('--work-tree') ?? set.get('GIT_WORK_TREE');
  if (gitDir !== undefined) dir = resolveFrom(dir, gitDir.value).map((path) => path?.replace(/\/\.git$/, ''));
  else if (workTree !== undefined) dir = resolveFrom(dir, workTree.value);
  return { subcommand: name === undefined ? '' : name.value, args: queue, dir };
}

interface Repository {
  /** False where it is unknown which repository the directory belongs to. */
  readonly isSettled: boolean;
  /** What all work trees of one repository have in common. */
  readonly identity: Options;
  branch: Timeline<string | undefined>;
}

/** Follows which branch each repository is on while the line runs. */
export class Repositories {
  readonly #repositories = new Map<string, Repository>();
  readonly #made: { readonly root: string; readonly branch: Options; readonly identity: Options }[] = [];
  /** The commands that moved HEAD in an unknown repository: it may have been any. */
  readonly #strays: number[] = [];
  readonly #facts = new Map<string, RepositoryFact | undefined>();
  readonly #ask: RepositoryAt;

  constructor(ask: RepositoryAt = () => undefined) {
    this.#ask = ask;
  }

  branchAt(directories: Options, histories: Histories): Options {
    return directories.flatMap((directory) =>
      directory === undefined ? [undefined] : valuesAt(this.#at(directory).branch, histories),
    );
  }

  identityAt(directories: Options): Options {
    return directories.flatMap((directory) =>
      directory === undefined ? [undefined] : this.#at(directory).identity,
    );
  }

  /** HEAD may move wherever the command may run; only where that is sure, it surely moves there. */
  move(directories: Options, step: number, to: Options, histories: Histories): void {
    const isSure = directories.length === 1 && directories[0] !== undefined;
    for (const directory of directories) {
      const repository = directory === undefined ? undefined : this.#at(directory);
      if (repository === undefined || !repository.isSettled) this.#doubtOthers(repository, step);
      if (repository === undefined) continue;
      const options = isSure ? to : [...to, ...valuesAt(repository.branch, histories)];
      repository.branch = changed(repository.branch, step, options);
    }
  }

  /**
   * Adds a work tree that the line itself makes. It belongs to the repository of `of`; without that it is one
   * of its own.
   */
  make(roots: Options, branch: Options, of: Options | undefined): void {
    for (const root of roots) {
      if (root === undefined) continue;
      this.#made.push({ root, branch, identity: of === undefined ? [root] : this.identityAt(of) });
    }
  }

  /** The file with the repository's own settings. */
  settingsAt(directories: Options): Options {
    return directories.map((directory) => {
      const fact = directory === undefined ? undefined : this.#factAt(directory);
      const root = fact?.root ?? directory;
      return root === undefined ? undefined : `${fact?.commonDir ?? `${root}/.git`}/config`;
    });
  }

  #factAt(directory: string): RepositoryFact | undefined {
    if (!this.#facts.has(directory)) this.#facts.set(directory, this.#ask(directory));
    return this.#facts.get(directory);
  }

  #doubtOthers(except: Repository | undefined, step: number): void {
    this.#strays.push(step);
    for (const other of this.#repositories.values()) {
      if (other !== except) other.branch = changed(other.branch, step, [undefined]);
    }
  }

  #at(directory: string): Repository {
    const made = this.#made.findLast(({ root }) => `${directory}/`.startsWith(`${root}/`));
    const fact = made === undefined ? this.#factAt(directory) : undefined;
    const key = made?.root ?? fact?.root ?? directory;
    const present = this.#repositories.get(key);
    if (present !== undefined) return present;
    const repository: Repository = {
      isSettled: made !== undefined || fact !== undefined,
      identity: made?.identity ?? [fact?.commonDir ?? fact?.root],
      branch: this.#strays.reduce(
        (line, step) => changed(line, step, [undefined]),
        timeline<string | undefined>(...(made?.branch ?? [fact?.branch])),
      ),
    };
    this.#repositories.set(key, repository);
    return repository;
  }
}
