import type { GitHead } from '../../../git/head';
import {
  fetchedTips,
  headMovesSince,
  lastMoves,
  type Move,
  otherWorktrees,
  refsBelow,
  stashesOf,
  wasFetched,
  worktreesOf,
} from '../../../git/refs';
import { askGit } from '../../../git/run-git';
import type { SessionBaseline } from '../session-baseline';

/** A commit with work: its description, and the command that gets it back. */
export interface Candidate {
  readonly commit: string;
  readonly what: string;
  readonly exit: string;
  readonly isStash?: true;
}

/** Stashes and refs created during the session and not checked out, found by reading files only. */
export function candidatesFor(session: SessionBaseline, git: GitHead): readonly Candidate[] {
  const others = otherWorktrees(git, session.worktrees);
  // Git numbers stashes from the newest.
  const stashes = stashesOf(git)
    .reverse()
    .flatMap(({ to: commit, how }, at): Candidate[] => {
      // `WIP on work: …` or `On work: …`.
      const branch = /^(?:WIP on|On) ([^:]+):/.exec(how)?.[1] ?? '';
      if (session.stashes.includes(commit) || others.branches.includes(branch)) return [];
      const name = `stash@{${at}}`;
      const of = branch === '' ? '' : ` (made on ${branch})`;
      return [{ commit, what: `\`${name}\`${of}`, exit: `\`git stash pop ${name}\``, isStash: true }];
    });
  return [...stashes, ...branchesFor(session, git, others)];
}

/** Commits that the session has made here, by the reflog of HEAD; optionally only those made in one way. */
export function commitsMade({ log }: SessionBaseline, git: GitHead, inThisWay = /^/): ReadonlySet<string> {
  const moves = headMovesSince(git.gitDir, log) ?? [];
  return new Set(moves.filter((move) => isOwnWork(move) && inThisWay.test(move.how)).map(({ to }) => to));
}

function branchesFor(
  session: SessionBaseline,
  git: GitHead,
  others: ReturnType<typeof otherWorktrees>,
): Candidate[] {
  const { head, heads, worktrees } = session;
  const here = git.position.kind === 'branch' ? git.position.branch : '';
  const now = refsBelow(git, 'refs/heads/', askGit);
  // A commit that was there before is not the session's work, whatever branch it is on now.
  const before = new Set([head, ...Object.values(heads ?? {})]);
  const made = commitsMade(session, git);
  // A branch in a work tree created since is checked there.
  const fresh = otherWorktrees(
    git,
    worktreesOf(git).filter((name) => !worktrees.includes(name)),
  );
  const moved = [...now].filter(([name, commit]) => {
    if ([here, ...others.branches, ...fresh.branches].includes(name)) return false;
    return !before.has(commit) && (made.has(commit) || (heads !== undefined && !others.made(commit)));
  });
  const fetched = moved.length === 0 ? new Set() : fetchedTips(git, askGit);
  const isBrought = (name: string): boolean =>
    wasFetched(lastMoves(`${git.commonDir}/logs/refs/heads/${name}`).at(-1)?.how ?? '');
  const branches = moved
    .filter(([name, commit]) => made.has(commit) || !(fetched.has(commit) || isBrought(name)))
    .map(([name, commit]) => ({ commit, what: `the branch \`${name}\``, exit: `\`git switch ${name}\`` }));
  const places = made.size === 0 ? [] : ['refs/tags/', 'refs/remotes/'];
  const refs = places
    .flatMap((place) => [...refsBelow(git, place, askGit)])
    .filter(([, commit]) => made.has(commit) && !branches.some((branch) => branch.commit === commit))
    .map(([name, commit]) => ({ commit, what: `\`${name}\``, exit: `\`git switch --detach ${name}\`` }));
  return [...branches, ...refs];
}

/** Whether a reflog entry of HEAD created a commit, rather than moving to an existing one. */
function isOwnWork({ how }: Move): boolean {
  const isKnown = /^[^:]*\((?:start|finish|abort)\)|Fast-forward$/i.test(how);
  return /^(?:commit|cherry-pick|revert|am|rebase|merge|pull)\b/.test(how) && !isKnown;
}
