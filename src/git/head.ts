import type { GitHead, GitPlace } from '../core/git-head';
import { readPosition } from './position';
import { readRef, usesReftable } from './refs';

/**
 * Runs git in a directory: what it printed, or `undefined` when it could not answer.
 * Handed in, because the code that starts processes is loaded only when it is needed.
 */
export type AskGit = (dir: string, args: readonly string[]) => string | undefined;

/** Where HEAD of a repository points. Never throws: whatever is odd about it is told in `position`. */
export function readHead(place: GitPlace, askGit: AskGit): GitHead {
  return { ...place, position: place.trouble ?? readPosition(place, askGit) };
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
