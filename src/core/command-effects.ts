/** A fact that may have several values, or none that can be told. Unknown is a value of its own, never a guess. */
export type Possible<T> =
  | { readonly kind: 'known'; readonly value: T }
  | { readonly kind: 'oneOf'; readonly values: readonly T[] }
  | { readonly kind: 'unknown' };

export type GitOperation =
  | 'commit'
  | 'merge'
  | 'rebase'
  | 'cherry-pick'
  | 'revert'
  | 'am'
  | 'pull'
  | 'push'
  | 'fetch'
  | 'checkout'
  | 'switch'
  | 'restore'
  | 'branch'
  | 'reset'
  | 'tag'
  | 'stash'
  | 'update-ref'
  | 'symbolic-ref'
  | 'worktree'
  | 'init'
  | 'clone'
  | 'config'
  | 'files'
  | 'history'
  | 'unknown';

/**
 * A ref that is written, moved or deleted. Branches go by their bare name, other refs by their full
 * one, a commit without branch by `HEAD`. With `remote` the ref is one of that remote.
 */
export interface RefWrite {
  readonly remote?: Possible<string>;
  readonly ref: Possible<string>;
  /** It only takes over what the remote has under the same name. */
  readonly follows?: true;
  /** Nobody can tell beforehand whether it is written at all. */
  readonly maybe?: true;
  /** No word names the ref: the settings say which one it is, by default that of the branch one is on. */
  readonly implied?: true;
}

/** `certain` in an effect: a line that exits with 0 must have brought it about. */

export interface GitEffect {
  readonly operation: GitOperation;
  readonly dir: Possible<string>;
  /** The git directory that all work trees of the repository share; of an unknown one, its directory. */
  readonly repository: Possible<string>;
  /** The branch that the operation meets; `HEAD` where HEAD names none. */
  readonly branch: Possible<string>;
  readonly refsWritten: readonly RefWrite[];
  /** What of this is so where every command before it that ran has succeeded; absent where that makes no difference. */
  readonly likely?: { readonly repository: Possible<string>; readonly refsWritten: readonly RefWrite[] };
  /** The command that makes git do it, where that is another one. */
  readonly by?: string;
  readonly dryRun: boolean;
  readonly certain: boolean;
}

export type WriteKind =
  | 'redirect'
  | 'append'
  | 'tee'
  | 'sed-i'
  | 'perl-i'
  | 'cp'
  | 'mv'
  | 'rm'
  | 'dd'
  | 'install'
  | 'ln'
  | 'truncate'
  | 'touch'
  | 'mkdir'
  | 'attributes'
  | 'patch'
  | 'archive'
  | 'download'
  | 'output'
  | 'format'
  | 'git';

/** A file that is written, made or removed. The path of a directory stands for all that is in it. */
export interface FileWrite {
  readonly path: Possible<string>;
  /** The word as it was written; empty where no word names the file. */
  readonly text: string;
  readonly how: WriteKind;
  /** What it does to the file, where `how` alone does not tell: git also takes changes back, and `mv` removes one name. */
  readonly means?: 'change' | 'removal';
  /** The branch that it meets, where the line itself has left another one before. */
  readonly branch?: Possible<string>;
  /** One of several that it may be, where another one cannot be told. */
  readonly aside?: true;
  readonly certain: boolean;
}

export interface TestRun {
  readonly runner: string;
  /** The word by which it runs no test after all, such as `--dry-run`. */
  readonly idle?: string;
  /** The word by which it ends well if there is no test. */
  readonly allowsNone?: string;
  /** The directories and files that it runs in; `undefined` stands for one that cannot be told. */
  readonly places: readonly (string | undefined)[];
  readonly certain: boolean;
  /** Later commands of the line change files: those that the tests saw may be others. */
  readonly followed?: true;
}

/** A command to a forge, such as `gh pr merge`. */
export interface ForgeEffect {
  readonly program: string;
  readonly operation: string;
}

/**
 * What cannot be followed: `code` may be any shell command at all, `script` is an interpreter or a
 * task of the project, `program` a program that nothing is known about.
 */
export interface UnknownEffect {
  readonly kind: 'code' | 'script' | 'program';
  readonly text: string;
  /** It gives an interpreter code that may start other programs. */
  readonly starts?: true;
}

/** What a command line is about to do, as far as its text tells; what it does not tell is in `unknown`. */
export interface Effects {
  readonly git: readonly GitEffect[];
  readonly writes: readonly FileWrite[];
  readonly tests: readonly TestRun[];
  readonly forge: readonly ForgeEffect[];
  readonly unknown: readonly UnknownEffect[];
  /** How many commands of the line commit, where it is more than one: equal ones are told once in `git`. */
  readonly commits?: number;
}

/** Every value that something may have; `undefined` among them stands for one that cannot be told. */
export function optionsOf(possible: Possible<string>): readonly (string | undefined)[] {
  switch (possible.kind) {
    case 'known':
      return [possible.value];
    case 'oneOf':
      return possible.values;
    case 'unknown':
      return [undefined];
  }
}
