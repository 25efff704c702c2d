import { constantOf, type Word } from './command';
import { type Options, type Possible, possibleOf } from './possible';

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
}

/** What one git command is about to do, seen from its arguments and the branch it meets. */
export interface GitPlan {
  readonly operation: GitOperation;
  readonly refs: readonly RefWrite[];
  readonly createsCommit: boolean | 'unknown';
  readonly dryRun: boolean;
  /** The branch that HEAD names afterwards; absent where it stays. */
  readonly branchAfter?: Options;
  /** Files of the work tree it writes: these, or some that cannot be told. */
  readonly files: readonly Word[] | 'some';
  /** A work tree that it makes, and the branch there. */
  readonly makes?: { readonly path: Word; readonly branch: Options };
  /** It runs commands that are not followed. */
  readonly runsCode: boolean;
}

/** `undefined`: nothing is written. */
export type Planner = (args: readonly Word[], branch: Options) => GitPlan | undefined;

/** The name HEAD goes by when it names no branch. */
export const NO_BRANCH = 'HEAD';

export function plan(operation: GitOperation, more: Partial<GitPlan> = {}): GitPlan {
  return { operation, refs: [], createsCommit: false, dryRun: false, files: [], runsCode: false, ...more };
}

export function refTo(options: Options): RefWrite {
  return { ref: possibleOf(options) };
}

export function refNamed(word: Word | undefined): RefWrite {
  const name = constantOf(word);
  return refTo([name === undefined ? undefined : bareBranch(name)]);
}

export function bareBranch(ref: string): string {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : ref;
}
