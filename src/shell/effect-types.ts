import type { GitOperation, RefWrite } from './git-plan';
import type { Possible } from './possible';
import type { RepositoryFact } from './repositories';

/** `certain` in every effect: a line that exits with 0 must have brought it about. */

export interface GitEffect {
  readonly operation: GitOperation;
  readonly dir: Possible<string>;
  /** The branch that the operation meets; `HEAD` where HEAD names none. */
  readonly branch: Possible<string>;
  readonly refsWritten: readonly RefWrite[];
  readonly createsCommit: boolean | 'unknown';
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
  | 'git';

/** A file that is written, made or removed. The path of a directory stands for all that is in it. */
export interface FileWrite {
  readonly path: Possible<string>;
  /** The word as it was written; empty where no word names the file. */
  readonly text: string;
  readonly how: WriteKind;
  readonly certain: boolean;
}

export interface TestRun {
  readonly runner: string;
  readonly dir: Possible<string>;
  readonly certain: boolean;
}

/** A command to a forge, such as `gh pr merge`. */
export interface ForgeEffect {
  readonly program: string;
  readonly operation: string;
  readonly dir: Possible<string>;
  readonly certain: boolean;
}

/**
 * What cannot be followed: `code` may be any shell command at all, `script` is an interpreter or a
 * task of the project, `program` a program that nothing is known about.
 */
export interface UnknownEffect {
  readonly kind: 'code' | 'script' | 'program';
  readonly text: string;
}

export interface Effects {
  readonly git: readonly GitEffect[];
  readonly writes: readonly FileWrite[];
  readonly tests: readonly TestRun[];
  readonly forge: readonly ForgeEffect[];
  readonly unknown: readonly UnknownEffect[];
}

/** Where a line starts, and what is known there. */
export interface Start {
  readonly cwd: string;
  readonly home?: string;
  /** The branch of the repository that `cwd` is in. */
  readonly branch?: string;
  /**
   * Tells the repository of a directory before the line runs. Without it only `cwd` itself is known,
   * since any directory below may hold a repository or a work tree of its own.
   */
  readonly repositoryAt?: (directory: string) => RepositoryFact | undefined;
  /** The project's own test commands, word by word; a command that begins like one is a test run. */
  readonly testCommands?: readonly (readonly string[])[];
}
