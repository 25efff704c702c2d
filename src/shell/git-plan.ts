import type { GitOperation, RefWrite } from '../core/command-effects';
import { constantOf, type Word } from './command';
import { type Options, possibleOf } from './possible';

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
  /** It writes the repository's own settings. */
  readonly settings: boolean;
  /** It runs commands that are not followed. */
  readonly runsCode: boolean;
}

/** `undefined`: nothing is written. */
export type Planner = (args: readonly Word[], branch: Options) => GitPlan | undefined;

/** The name HEAD goes by when it names no branch. */
export const NO_BRANCH = 'HEAD';

export function plan(operation: GitOperation, more: Partial<GitPlan> = {}): GitPlan {
  return {
    operation,
    refs: [],
    createsCommit: false,
    dryRun: false,
    files: [],
    settings: false,
    runsCode: false,
    ...more,
  };
}

export function refTo(options: Options): RefWrite {
  return { ref: possibleOf(options) };
}

export function refNamed(word: Word | undefined): RefWrite {
  const name = nameIn(word);
  return refTo([name === undefined ? undefined : bareBranch(name)]);
}

/**
 * The name that a word gives to a ref. One whose beginning can be told is kept as it was written, such as
 * `feature/$NAME`: that is enough to know which names it is not.
 */
export function nameIn(word: Word | undefined): string | undefined {
  if (word?.kind !== 'unknown') return word?.value;
  const text = word.text.replace(/["']/g, '');
  return /^[^$`*?[{(<]/.test(text) ? text : undefined;
}

/** Whether a branch set to this only takes over what a remote has under its name. */
export function takesOver(word: Word | undefined, branch: Options): boolean {
  const text = constantOf(word);
  const [name, ...others] = branch;
  if (text === undefined || name === undefined || others.length > 0) return false;
  if (/^(?:@|HEAD)?@?\{u(?:pstream)?\}$/.test(text)) return true;
  return text.replace(/^refs\/remotes\//, '').replace(/^[^/]+\//, '') === name && text.includes('/');
}

/** A write to the branch that the command is on. */
export function writeTo(branch: Options, follows: boolean): RefWrite {
  return { ...refTo(branch), ...(follows && { follows: true }) };
}

export function bareBranch(ref: string): string {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : ref;
}
