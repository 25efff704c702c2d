/** All values that something may have; a single `undefined` if they are unknown, never a guess. */
export type PossibleValues = readonly (string | undefined)[];

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
 * A ref that is written, moved or deleted. Branches have their bare name, other refs their full one, a
 * detached commit is `HEAD`. With `remote`, the ref is on that remote.
 */
export interface RefWrite {
  readonly remote?: PossibleValues;
  readonly ref: PossibleValues;
  /** It only takes over what the remote has under the same name. */
  readonly follows?: true;
  /** Whether it is written at all cannot be known beforehand. */
  readonly maybe?: true;
  /** The line does not name the ref: git's settings choose it, by default that of the current branch. */
  readonly implied?: true;
  /** It stands for every branch there is, or for all that match a pattern. */
  readonly all?: true;
  /** Nothing here shows it afterwards: the remote is an address or unknown, or has no branches here. */
  readonly untraced?: true;
}

export interface GitEffect {
  readonly operation: GitOperation;
  readonly dir: PossibleValues;
  /** The git directory that all work trees share; for an unknown repository, its directory. */
  readonly repository: PossibleValues;
  /** The branch that the operation runs on; `HEAD` if detached. */
  readonly branch: PossibleValues;
  readonly refsWritten: readonly RefWrite[];
  /** What is true if every earlier command that ran has succeeded; absent if that makes no difference. */
  readonly likely?: Pick<GitEffect, 'repository' | 'branch' | 'refsWritten'>;
  /** The command that makes git do it, if that is another one. */
  readonly by?: string;
  /** It is in a text that a program may run, or may only print. */
  readonly guessed?: true;
  readonly dryRun: boolean;
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

/** A file that is written, created or removed. A directory stands for everything in it. */
export interface FileWrite {
  readonly path: PossibleValues;
  /** The word as written; empty if no word names the file. */
  readonly text: string;
  readonly how: WriteKind;
  /** What happens to the file, if `how` does not say: git also reverts changes, and `mv` removes a name. */
  readonly means?: 'change' | 'removal';
  /** The branch that it is written on, if the line itself has switched branches before. */
  readonly branch?: PossibleValues;
  /** One of several possible paths, another of which is unknown or more likely, or only perhaps written at all. */
  readonly aside?: true;
}

export interface TestRun {
  readonly runner: string;
  /** Its words, as the line has them. */
  readonly text: string;
  /** The argument that makes it run no test, such as `--dry-run`. */
  readonly idle?: string;
  /** The argument that makes it succeed without any test. */
  readonly allowsNone?: string;
  /** The directories and files that it runs in; `undefined` stands for an unknown one. */
  readonly places: readonly (string | undefined)[];
  /** If the line exits with 0, it must have happened. */
  readonly certain: boolean;
  /** Later commands of the line change files, so the tests may have seen other versions. */
  readonly followed?: true;
}

/** A command to a forge, such as `gh pr merge`. */
export interface ForgeEffect {
  readonly program: string;
  readonly operation: string;
}

/**
 * What we cannot follow: `code` may be any shell command, `script` is an interpreter or a task of the
 * project, `program` is a program that we do not know.
 */
export interface UnknownEffect {
  readonly kind: 'code' | 'script' | 'program';
  readonly text: string;
  /** What of the text may be code, if the rest is known. */
  readonly code?: string;
  /** The program, if its path is given. */
  readonly file?: PossibleValues;
  /** It passes an interpreter code that may start other programs. */
  readonly starts?: true;
  /** The line is too long, or nested too deeply, to be read. */
  readonly isTooMuch?: true;
}

/** What a command line is about to do, as far as its text shows; the rest is in `unknown`. */
export interface Effects {
  readonly git: readonly GitEffect[];
  readonly writes: readonly FileWrite[];
  readonly tests: readonly TestRun[];
  readonly forge: readonly ForgeEffect[];
  readonly unknown: readonly UnknownEffect[];
  /** How many commands of the line commit, if more than one: `git` lists equal ones only once. */
  readonly commits?: number;
}

/** A branch as git shows it: `heads/main` is the same one. */
export function bareBranch(ref: string): string {
  return ref.replace(/^(?:refs\/)?heads\//, '');
}
