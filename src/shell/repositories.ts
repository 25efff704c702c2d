import { isInside } from './paths';
import type { Options } from './possible';
import { changed, type Timeline, timeline, valuesAt } from './timeline';
import type { Worlds } from './worlds';

/** A repository as it is before the line runs. */
export interface RepositoryFact {
  readonly root: string;
  /** Absent when it cannot be told; `HEAD` when there is none. */
  readonly branch?: string | undefined;
  /** The git directory that its work trees share. */
  readonly commonDir?: string;
}

interface Repository {
  /** False where nobody could say which repository the directory belongs to. */
  readonly isSettled: boolean;
  /** What all work trees of one repository have in common. */
  readonly identity: Options;
  branch: Timeline<string | undefined>;
}

/** Follows which branch each repository is on while the line goes through. */
export class Repositories {
  readonly #repositories = new Map<string, Repository>();
  readonly #made: { readonly root: string; readonly branch: Options; readonly identity: Options }[] = [];
  /** The commands that moved HEAD in a place of unknown belonging: it may have been any repository. */
  readonly #strays: number[] = [];
  readonly #facts = new Map<string, RepositoryFact | undefined>();
  readonly #ask: (directory: string) => RepositoryFact | undefined;

  constructor(factAt: (directory: string) => RepositoryFact | undefined) {
    this.#ask = factAt;
  }

  branchAt(directories: Options, worlds: Worlds): Options {
    return directories.flatMap((directory) =>
      directory === undefined ? [undefined] : valuesAt(this.#at(directory).branch, worlds),
    );
  }

  identityAt(directories: Options): Options {
    return directories.flatMap((directory) =>
      directory === undefined ? [undefined] : this.#at(directory).identity,
    );
  }

  /** HEAD may move wherever the command may stand; only where that is sure, it surely moves there. */
  move(directories: Options, step: number, to: Options, worlds: Worlds): void {
    const isSure = directories.length === 1 && directories[0] !== undefined;
    for (const directory of directories) {
      const repository = directory === undefined ? undefined : this.#at(directory);
      if (repository === undefined || !repository.isSettled) this.#doubtOthers(repository, step);
      if (repository === undefined) continue;
      const options = isSure ? to : [...to, ...valuesAt(repository.branch, worlds)];
      repository.branch = changed(repository.branch, step, options);
    }
  }

  /**
   * A work tree made in the line itself: nobody can be asked about it beforehand. It belongs to the
   * repository of `of`; without that it is one of its own.
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
    const made = this.#made.findLast(({ root }) => isInside(root, directory));
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
