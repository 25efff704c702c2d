import { bareBranch, type GitEffect, type RefWrite } from '../core/command-effects';
import { type Target, targetsOf } from './file-writes';
import { type GitPlan, planCommit, planGitCommand } from './git-commands';
import { type GitLookups, settingName } from './git-lookups';
import { sweptFiles } from './git-sweeps';
import { changed, type Histories, type Timeline, timeline, valuesAt } from './history';
import type { ProgramCommit } from './releases';
import type { Assignment, RepositoryAt, RepositoryFact, Start } from './scope';
import type { RunCommand } from './walk';
import {
  type Arguments,
  gitOptions,
  knownWord,
  limited,
  type PossibleValues,
  resolveFrom,
  unknownWord,
  type Word,
} from './words';

/**
 * The effect of a git command, or of another command that `commits`. Records in `repositories` where HEAD
 * moves, for the commands after it.
 */
export function gitEffectOf(
  command: RunCommand,
  repositories: Repositories,
  commits?: ProgramCommit,
): { effect?: GitEffect; targets: readonly Target[]; dir: PossibleValues } & Pick<GitPlan, 'runsCode'> {
  const { id, words, assignments, histories } = command;
  const planIn = (cwd: PossibleValues, likely: boolean) => {
    if (commits !== undefined) {
      const dir = commits.directory === undefined ? cwd : resolveFrom(cwd, commits.directory.value);
      const lookups = repositories.here(dir, histories, [], likely);
      return { dir, on: lookups.branch(), plan: planCommit(commits, lookups), swept: [] };
    }
    const { subcommand, args, dir, settings } = readGitCall(words.slice(1), assignments, cwd);
    const lookups = repositories.here(dir, histories, settings, likely);
    const swept = sweptFiles(subcommand, args, dir);
    return { dir, on: lookups.branch(), plan: planGitCommand(subcommand, args, lookups), swept };
  };
  const { dir, on, plan, swept } = planIn(command.cwd, false);
  if (plan === undefined) return { targets: swept, dir };
  const { operation, refs = [], dryRun = false, files = [], means, makes, runsCode } = plan;
  const likely = on.length > 1 || dir.length > 1 ? planIn(command.likelyCwd, true) : undefined;
  const configs = plan.settings ? repositories.settingsAt(dir) : [];
  const named = targetsOf('git', files === 'some' ? [unknownWord('')] : files, means);
  const settings = configs.map((file) => (file === undefined ? unknownWord('.git/config') : knownWord(file)));
  const targets = [...named, ...targetsOf('git', settings), ...swept];
  if (!dryRun) repositories.apply(plan, dir, id, histories, likely?.plan?.branchAfter);
  if (makes !== undefined) {
    const of = operation === 'worktree' ? dir : undefined;
    repositories.make(resolveFrom(dir, makes.path.value), makes.branch, of, makes.from);
  }
  // A push from a clone of our remote writes what one from here would, and nothing here shows it.
  const written = (place: PossibleValues, all: readonly RefWrite[]) => {
    const copied = operation === 'push' && repositories.isCopy(place);
    return {
      repository: limited(repositories.identityAt(copied ? [repositories.begun] : place)),
      refsWritten: copied ? all.map((one) => ({ ...one, untraced: true as const })) : all,
    };
  };
  const effect: GitEffect = {
    operation,
    dir: limited(dir),
    branch: limited(on),
    ...written(dir, refs),
    ...(commits !== undefined && { by: commits.by }),
    ...(likely !== undefined && {
      likely: { branch: limited(likely.on), ...written(likely.dir, likely.plan?.refs ?? []) },
    }),
    dryRun,
  };
  return { effect, targets, dir, ...(runsCode && { runsCode }) };
}

/**
 * Reads git's global options and the subcommand, which is `undefined` if unknown and empty if there is none.
 * Several `-C` add up, as with `cd`. With `--git-dir`, the repository is the one that directory belongs to.
 */
function readGitCall(args: readonly Word[], environment: readonly Assignment[], cwd: PossibleValues) {
  const set = new Map<string, Word | undefined>(environment.map(({ name, value }) => [name, value]));
  const given = gitOptions(args);
  const [name, ...rest] = given.rest ?? [];
  const settings = [
    ...environment.flatMap(({ name: variable, value: { text } }): Setting[] => {
      const number = /^GIT_CONFIG_KEY_(\d+)$/.exec(variable)?.[1];
      return number === undefined ? [] : [[settingName(text), set.get(`GIT_CONFIG_VALUE_${number}`)?.value]];
    }),
    ...given.valuesOf('-c').map(settingIn),
    ...given.valuesOf('--config-env').map((word) => settingFrom(word, set)),
  ];
  const dir = given.valuesOf('-C').reduce((from, { value }) => resolveFrom(from, value), cwd);
  const subcommand = given.has('--help -h --version -v') || name === undefined ? '' : name.value;
  return { subcommand, args: rest, dir: namedDir(given, set, dir), settings };
}

/** Options take precedence over variables, and the git directory over the work tree. */
function namedDir(
  given: Arguments,
  set: ReadonlyMap<string, Word | undefined>,
  dir: PossibleValues,
): PossibleValues {
  const gitDir = given.valueOf('--git-dir') ?? set.get('GIT_DIR');
  const workTree = given.valueOf('--work-tree') ?? set.get('GIT_WORK_TREE');
  if (gitDir !== undefined)
    return resolveFrom(dir, gitDir.value).map((path) => path?.replace(/\/\.git$/, ''));
  return workTree === undefined ? dir : resolveFrom(dir, workTree.value);
}

type Setting = readonly [name: string, value: string | undefined];

/** Parses `-c name=value`; without a value the setting is true. */
function settingIn(word: Word): Setting {
  const [, name = '', value = 'true'] = /^([^=]*)(?:=(.*))?$/s.exec(word.text) ?? [];
  return [settingName(name), word.value === undefined ? undefined : value];
}

/** Parses `--config-env name=VARIABLE`. */
function settingFrom(word: Word, set: ReadonlyMap<string, Word | undefined>): Setting {
  const [name, variable = ''] = settingIn(word);
  return [name, set.get(variable)?.value];
}

interface Repository {
  /** False if it is unknown which repository the directory belongs to. */
  readonly isSettled: boolean;
  /** The same for all work trees of a repository. */
  readonly identity: PossibleValues;
  branch: Timeline<string | undefined>;
  /** The branch that `git checkout -` returns to. */
  previous: Timeline<string | undefined>;
}

/** How many git calls one command may need. */
const MOST_IN_A_ROW = 4;
/** With more possible branches than this, the branch is unknown. */
const MOST_BRANCHES = 8;

/** Stands for the branch that was checked out before the current one when the line began. */
const LAST_LEFT = '@{-1}';

function plainUrl(url: string | undefined): string | undefined {
  return url?.replace(/(?:\.git)?\/*$/, '');
}

/** Tracks which branch each repository is on while the line runs. */
export class Repositories {
  readonly #repositories = new Map<string, Repository>();
  readonly #made: {
    readonly root: string;
    readonly branch: PossibleValues;
    readonly identity: PossibleValues;
    /** It has the same remote as the repository that the line starts in. */
    readonly isCopy: boolean;
  }[] = [];
  /** Steps that moved HEAD in an unknown repository, which may be any of them. */
  readonly #strays: number[] = [];
  readonly #facts = new Map<string, RepositoryFact | undefined>();
  readonly #settings = new Map<string, ReadonlyMap<string, string> | undefined>();
  readonly #ask: RepositoryAt;
  /** Where the line starts. */
  readonly begun: string | undefined;
  /** How many more git calls are allowed: each takes a few milliseconds. */
  #questions = 40;
  /** Whether an earlier command of the line may have created refs. */
  #hasNewRefs = false;
  /** The refs that earlier commands have written. */
  readonly #movedRefs = new Set<string>();
  #hasMoved = false;
  /** Settings that earlier commands of the line wrote. */
  readonly #written: Setting[] = [];

  constructor(ask: RepositoryAt = () => undefined, begun: string | undefined = undefined) {
    this.#ask = ask;
    this.begun = begun;
  }

  /** Lookups in the repository of a directory; the settings in `given` apply to one command only. */
  here(
    directories: PossibleValues,
    histories: Histories,
    given: readonly Setting[],
    likely: boolean,
  ): GitLookups {
    const [directory, ...others] = directories;
    const isMade = directory !== undefined && this.#madeAt(directory) !== undefined;
    const fact = directory === undefined || isMade || others.length > 0 ? undefined : this.#factAt(directory);
    const ask: GitLookups['ask'] = (...args) => (this.#questions-- > 0 ? fact?.ask?.(...args) : undefined);
    const values = (of: 'branch' | 'previous') =>
      directories.flatMap((each) =>
        each === undefined ? [undefined] : valuesAt(this.#at(each)[of], histories, likely),
      );
    return {
      canAsk: fact?.ask !== undefined && this.#questions >= MOST_IN_A_ROW,
      ask,
      branch: () => values('branch'),
      previous: () =>
        values('previous').map((name) =>
          name === LAST_LEFT
            ? (fact?.previous?.() ?? (ask('rev-parse', '--abbrev-ref', LAST_LEFT) || undefined))
            : name,
        ),
      commitOf: (ref) => {
        if (fact?.commitOf === undefined || this.#movedRefs.has(bareBranch(ref))) return undefined;
        return fact.commitOf(ref) ?? (this.#hasNewRefs ? undefined : null);
      },
      setting: (name) => {
        const own = [...this.#written, ...given].findLast(([key]) => key === name);
        if (own !== undefined) return own[1];
        return fact === undefined ? undefined : this.#settingsOf(fact, name);
      },
    };
  }

  /** Records what a command changes for later commands. */
  apply(
    { operation, refs = [], branchAfter, ends, sets }: GitPlan,
    dir: PossibleValues,
    step: number,
    histories: Histories,
    likely?: PossibleValues,
  ): void {
    if (branchAfter !== undefined) this.move(dir, step, branchAfter, histories, ends, likely);
    this.#hasNewRefs ||= refs.length > 0 || ['fetch', 'pull', 'unknown'].includes(operation);
    for (const { ref } of refs) for (const name of ref) this.#movedRefs.add(name ?? '');
    this.#written.push(...Object.entries(sets ?? {}));
  }

  /** The branch there most likely, if the repository is the one the line starts in and HEAD may have moved since. */
  branchLeft(directories: PossibleValues, histories: Histories): PossibleValues | undefined {
    if (!this.#hasMoved) return undefined;
    const [own] = this.identityAt([this.begun]);
    const isOwn = own !== undefined && this.identityAt(directories).every((one) => one === own);
    return isOwn ? this.here(directories, histories, [], true).branch() : undefined;
  }

  /** The branch of the work tree with this file, if the line has added it. Git adds none over what is there. */
  branchMadeAt(file: PossibleValues, histories: Histories, { isDirectory }: Start) {
    const made = file.length === 1 && file[0] !== undefined ? this.#madeAt(file[0]) : undefined;
    return made && !isDirectory?.(made.root) ? valuesAt(this.#at(made.root).branch, histories) : undefined;
  }

  /** Whether a directory belongs to another clone of the remote of the repository that the line starts in. */
  isCopy(directories: PossibleValues): boolean {
    return directories.some((each) => {
      const made = each === undefined ? undefined : this.#madeAt(each);
      if (each === undefined || made !== undefined) return made?.isCopy;
      const own = this.identityAt([this.begun]).includes(this.identityAt([each])[0]);
      return !own && this.#isRemoteHere(this.#remoteOf(each));
    });
  }

  #isRemoteHere(url: string | undefined): boolean {
    return url !== undefined && plainUrl(url) === plainUrl(this.#remoteOf(this.begun));
  }

  #remoteOf(directory: string | undefined): string | undefined {
    const fact = directory === undefined ? undefined : this.#factAt(directory);
    return (fact && this.#settingsOf(fact, 'remote.origin.url')) ?? undefined;
  }

  identityAt(directories: PossibleValues): PossibleValues {
    return directories.flatMap((each) => (each === undefined ? [undefined] : this.#at(each).identity));
  }

  /** HEAD may move wherever the command may run; the move is certain only if there is just one directory. */
  move(
    directories: PossibleValues,
    step: number,
    to: PossibleValues,
    histories: Histories,
    ends: GitPlan['ends'],
    likely?: PossibleValues,
  ): void {
    this.#hasMoved = true;
    const isSure = directories.length === 1 && directories[0] !== undefined;
    for (const directory of directories) {
      const repository = directory === undefined ? undefined : this.#at(directory);
      if (repository === undefined || !repository.isSettled) this.#doubtOthers(repository, step);
      if (repository === undefined) continue;
      const all = valuesAt(repository.branch, histories);
      const before = all.length > MOST_BRANCHES ? [undefined] : all;
      repository.previous = changed(repository.previous, step, before, ends);
      const after = isSure ? to : [...to, ...before];
      repository.branch = changed(repository.branch, step, after, ends, isSure ? likely : undefined);
    }
  }

  /** Adds a work tree that the line creates, in the repository of `of` or, without it, in a new one. One that is there stays. */
  make(roots: PossibleValues, branch: PossibleValues, of: PossibleValues | undefined, from?: string): void {
    const isCopy = this.#isRemoteHere(from);
    for (const root of roots) {
      const fact = root === undefined ? undefined : this.#factAt(root);
      // Without a repository, the fact names the directory itself.
      const isThere = fact?.root === root && fact?.commonDir !== root;
      if (root === undefined || isThere) continue;
      this.#made.push({ root, branch, identity: of === undefined ? [root] : this.identityAt(of), isCopy });
    }
  }

  /** The path of the repository's config file. */
  settingsAt(directories: PossibleValues): PossibleValues {
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

  /** Reads the effective settings once; of several values the last one counts. */
  #settingsOf(fact: RepositoryFact, name: string): string | null | undefined {
    if (!this.#settings.has(fact.root) && fact.settings !== undefined) {
      this.#settings.set(fact.root, fact.settings());
    }
    if (!this.#settings.has(fact.root)) {
      const printed = fact.ask?.('config', '--list', '--null');
      const lines = printed?.split('\0').map((line): [string, string] => {
        const at = line.indexOf('\n');
        return at < 0 ? [line, 'true'] : [line.slice(0, at), line.slice(at + 1)];
      });
      this.#settings.set(fact.root, lines && new Map(lines));
    }
    const settings = this.#settings.get(fact.root);
    return settings && (settings.get(name) ?? null);
  }

  #madeAt(directory: string) {
    return this.#made.findLast(({ root }) => `${directory}/`.startsWith(`${root}/`));
  }

  #doubtOthers(except: Repository | undefined, step: number): void {
    this.#strays.push(step);
    for (const other of this.#repositories.values()) {
      if (other !== except) other.branch = changed(other.branch, step, [undefined]);
    }
  }

  #at(directory: string): Repository {
    const made = this.#madeAt(directory);
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
      previous: timeline<string | undefined>(LAST_LEFT),
    };
    this.#repositories.set(key, repository);
    return repository;
  }
}
