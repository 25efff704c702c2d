import { isAbsolute } from 'node:path';
import type { GitHead } from '../domain/git-head';
import { findGit } from './find-git';
import { readPosition } from './position';
import { readRef, usesReftable } from './refs';

/**
 * Runs git in a directory: what it printed, or `undefined` when it could not answer.
 * Handed in, because the code that starts processes is loaded only when it is needed.
 */
export type AskGit = (dir: string, args: readonly string[]) => string | undefined;

/**
 * The repository around `start`, which need not exist any more. Never throws: whatever is odd
 * about the repository is told in `position`. A bare repository has no work tree and is none here;
 * a place inside `.git` belongs to the work tree around it.
 */
export function readGitHead(start: string, askGit: AskGit): GitHead | undefined {
  const found = isAbsolute(start) ? findGit(start) : undefined;
  if (found === undefined) return undefined;
  const { trouble, ...place } = found;
  return { ...place, position: trouble ?? readPosition(place, askGit) };
}

/** The commit that is checked out; `undefined` while the branch has none, or where it cannot be told. */
export function readHeadCommit(head: GitHead, askGit: AskGit): string | undefined {
  const { position } = head;
  switch (position.kind) {
    case 'detached':
    case 'rebase':
      return position.commit;
    case 'unreadable':
      return undefined;
    case 'branch': {
      const ref = `refs/heads/${position.branch}`;
      if (!usesReftable(head.commonDir)) return readRef(head.commonDir, ref);
      return askGit(head.root, ['rev-parse', '--verify', '--quiet', ref])?.trim() || undefined;
    }
  }
}
