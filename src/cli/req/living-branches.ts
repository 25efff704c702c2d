import type { AskGit } from '../../git/run-git';

/**
 * Every branch there is: those with commits, and those that a work tree stands on before its first one.
 * `undefined` where git does not answer: then nobody may conclude that a branch is gone.
 */
export function livingBranches(root: string, askGit: AskGit): ReadonlySet<string> | undefined {
  const withCommits = askGit(root, ['for-each-ref', '--format=%(refname)', 'refs/heads']);
  const checkedOut = askGit(root, ['worktree', 'list', '--porcelain']);
  if (withCommits === undefined || checkedOut === undefined) return undefined;
  const standing = checkedOut.split('\n').map((line) => line.replace(/^branch /, ''));
  const refs = [...withCommits.split('\n'), ...standing];
  return new Set(refs.flatMap((ref) => (ref.startsWith(HEADS) ? [ref.slice(HEADS.length).trimEnd()] : [])));
}

const HEADS = 'refs/heads/';
