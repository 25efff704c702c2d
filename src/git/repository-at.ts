import type { GitHead } from '../core/git-head';
import { findGit, placeOfGitDir } from './find-git';
import { type AskGit, readHead } from './head';

/** The repository that a directory belongs to. */
export interface RepositoryHere {
  readonly root: string;
  readonly commonDir: string;
  /** `HEAD` where it names none, absent where it cannot be told. */
  readonly branch?: string;
}

/**
 * What git would find from a directory, which may also be a git directory itself. A place without any is
 * told as a repository of its own: whatever becomes of it, it is none that is known.
 */
export function repositoryAt(directory: string, askGit: AskGit): RepositoryHere {
  const place = placeOfGitDir(directory) ?? findGit(directory);
  if (place === undefined) return { root: directory, commonDir: directory };
  return repositoryOf(readHead(place, askGit));
}

export function repositoryOf(head: GitHead): RepositoryHere {
  const branch = branchIn(head);
  return { root: head.root, commonDir: head.commonDir, ...(branch !== undefined && { branch }) };
}

/** During a rebase the branch that will be moved in the end. */
function branchIn({ position }: GitHead): string | undefined {
  switch (position.kind) {
    case 'branch':
    case 'rebase':
      return position.branch;
    case 'detached':
      return 'HEAD';
    case 'unreadable':
      return undefined;
  }
}
